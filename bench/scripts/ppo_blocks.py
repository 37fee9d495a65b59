"""SB3 PPO on CartPole whose blocks (a rollout and its update) take turns in how they are run.

    ppo_blocks.py recording|watching GROUPS

A group is three blocks in random order: two of them plain, one recorded or watched. Printed is the processor
time of each, so that a plain one can also be compared with the other plain one of its group. Sixty frames a
second are sixty in a second of processor time: on a busy machine the wall clock would ask for more.
"""

import gc
import json
import random
import sys
import time
from typing import Any

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from timed_render import forget, spent  # type: ignore[import-not-found]

from mosaic_worker import frames as showing
from mosaic_worker.common import layout

STEPS = 256
FPS = 60
kind, groups = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(1)
env = gym.make("CartPole-v1", render_mode="rgb_array" if kind == "watching" else None)
setattr(showing, "_now", time.process_time_ns)  # noqa: B010  (mypy refuses the plain form)
cls: Any = type(env)
hooked = {name: vars(cls)[name] for name in ("step", "reset")}


def switch(block: str) -> None:
    """Run the next block as a plain one, or as what it is compared with."""
    plain = block != "tried"
    if kind == "recording":  # the methods as the class had them before it was watched
        for name, method in hooked.items():
            setattr(cls, name, method.__wrapped__ if plain else method)
        return
    lane: Any = showing.frames._lane  # noqa: SLF001  (a viewer's lease, without a viewer)
    until = 0 if plain else time.process_time_ns() + layout.MOST_LEASE_NANOS // 2
    layout.LEASE.pack_into(lane._memory, layout.LEASES_AT, until, 1, 10**9 // FPS, 1, 0, 0, 0)  # noqa: SLF001
    lane.wake[0] = 0 if plain else 1


class Blocks(BaseCallback):  # type: ignore[misc]
    """Ends a block where the next rollout begins. Of `watching`, plain blocks render as often themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []
        self.block = ""
        self.found: list[dict[str, float]] = []
        self.due = self.began = 0.0
        self.watching = kind == "watching"

    def _on_rollout_start(self) -> None:
        if self.block:
            used = time.process_time() - self.began - spent["render_cpu"]  # of no block the rendering
            if len(self.order) == 2:
                self.found.append({})
            self.found[-1][self.block] = used * 1e6 / STEPS
            self.found[-1][self.block + "_renders"] = spent["renders"]
        if not self.order:
            self.order = ["first", "second", "tried"]
            random.shuffle(self.order)
        self.block = self.order.pop()
        switch(self.block)
        self.own = self.watching and self.block != "tried"
        gc.collect()
        forget()
        self.began = time.process_time()

    def _on_step(self) -> bool:
        if self.own:
            now = time.process_time()
            if now >= self.due:
                self.due = max(self.due + 1 / FPS, now + 0.5 / FPS)
                env.unwrapped.render()
        return True


random.seed(7)
model = PPO("MlpPolicy", env, seed=1, n_steps=STEPS, device="cpu")
model.learn(4 * STEPS)  # warm-up: lazy imports, first allocations
blocks = Blocks()
model.learn((3 * groups + 1) * STEPS, callback=blocks)
print("TIMED", json.dumps([group for group in blocks.found if len(group) == 6]))
