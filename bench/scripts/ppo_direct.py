"""SB3 PPO on CartPole with a clock on both sides of our own code: what a step of it takes in a training.

    ppo_direct.py STEPS

Medians, so that a step during which the machine did something else does not count; the clock's own price is
taken off. Caches are as cold as the training leaves them. Watched at sixty frames a second of processor time.
"""

import functools
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import torch
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.wrappers import TimeLimit
from stable_baselines3 import PPO

from mosaic_worker import frames as showing
from mosaic_worker.common import layout
from mosaic_worker.frames import Frames

FPS = 60
torch.set_num_threads(1)


def timed(owner: Any, name: str, clock: Callable[[], int] = time.perf_counter_ns) -> list[int]:
    """Put a clock around a method; returns where the times go."""
    original = getattr(owner, name)
    taken: list[int] = []

    @functools.wraps(original)
    def method(*args: Any) -> Any:
        began = clock()
        result = original(*args)
        taken.append(clock() - began)
        return result

    setattr(owner, name, method)
    return taken


def price_of_a_clock() -> float:
    """What `timed` finds around nothing."""

    class Nothing:
        def call(self) -> None:
            return None

    taken, nothing = timed(Nothing, "call"), Nothing()
    for _ in range(10_000):
        nothing.call()
    return statistics.median(taken)


inner = timed(TimeLimit, "step")  # before the hook is put around it
renders = timed(CartPoleEnv, "render", time.thread_time_ns)  # so long that another process may come between
env = gym.make("CartPole-v1")
outer = timed(TimeLimit, "step")
model = PPO("MlpPolicy", env, seed=1, n_steps=256, device="cpu")
model.learn(1024)  # warm-up: lazy imports, first allocations


def train(steps: int) -> float:
    """Train, and return the processor time of a step in microseconds."""
    for taken in (inner, outer, renders):
        taken.clear()
    began = time.process_time()
    model.learn(steps)
    return (time.process_time() - began) * 1e6 / steps


def lease(nanos: int) -> None:
    """A viewer's lease, without a viewer."""
    lane: Any = showing.frames._lane  # noqa: SLF001
    until = time.process_time_ns() + nanos
    layout.LEASE.pack_into(lane._memory, layout.LEASES_AT, until, 1, 10**9 // FPS, 1, 0, 0, 0)  # noqa: SLF001
    lane.wake[0] = 1


steps = int(sys.argv[1])
empty = price_of_a_clock()
step_micros = train(steps)
recording = statistics.median(whole - own for whole, own in zip(outer, inner, strict=True)) - empty
unwatched_renders = len(renders)

showing._now = time.process_time_ns  # noqa: SLF001
quiet: list[int] = []
shown: list[int] = []
publishing = timed(Frames, "_show", time.thread_time_ns)
stepping = timed(Frames, "stepped")
for _ in range(max(1, steps // 512)):
    lease(layout.MOST_LEASE_NANOS // 2)
    publishing.clear()
    stepping.clear()
    train(512)
    shown += [whole - own for whole, own in zip(publishing, renders, strict=True)]
    quiet += sorted(stepping)[: len(stepping) - len(renders)]  # the longest ones are those with a frame
found = {
    "step_micros": step_micros,
    "recording_micros": recording / 1e3,
    "watched_step_micros": (statistics.median(quiet) - empty) / 1e3,
    "frame_micros": (statistics.median(shown) - empty) / 1e3,
    "unwatched_renders": unwatched_renders,
    "frames": len(shown),
}
print("TIMED", json.dumps(found))
