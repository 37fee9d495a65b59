"""How long it takes to open a recorded episode and to get to any of its steps, beside drawing one frame.

A CartPole episode of 1,000 steps and a LunarLander one of 500, by policies that keep them going; a CarRacing
one, which cannot be copied, and a Humanoid one, which takes long to draw without a graphics card. Seeks are
random, with nothing kept by the player: every frame is asked of the child. And the last of 100,000 episodes
beside an early one, once replayed alone and once as a chain from a near seeded reset.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mosaic.paths import RunFolder
from mosaic.replay.player import Player
from mosaic.replay.verify import verify
from mosaic.store.reader import StoreReader
from tests.envs import python_of
from tests.replay import many
from tests.replay.recorded import record

__all__ = ["measure"]

CARTPOLE = """
import gymnasium as gym
env = gym.make("CartPole-v1", max_episode_steps=1000)
for _ in range(2):
    obs, _ = env.reset(seed=1)
    over = False
    while not over:
        lean = 3 * obs[2] + obs[3] + 0.1 * obs[0] + 0.3 * obs[1]
        obs, _, terminated, truncated, _ = env.step(int(lean > 0))
        over = terminated or truncated
"""
LUNAR_LANDER = """
import gymnasium as gym
from gymnasium.envs.box2d.lunar_lander import heuristic
env = gym.make("LunarLander-v3", max_episode_steps=500)
for _ in range(2):
    obs, _ = env.reset(seed=1)
    over = False
    while not over:
        hovering = obs.copy()
        hovering[1] -= 0.9
        obs, _, terminated, truncated, _ = env.step(heuristic(env, hovering))
        over = terminated or truncated
"""

CAR_RACING = """
import gymnasium as gym
env = gym.make("CarRacing-v3", continuous=False)
for _ in range(2):
    env.reset(seed=1)
    for k in range(280):
        env.step(3 if k % 3 else 1)
"""
HUMANOID = """
import gymnasium as gym
env = gym.make("Humanoid-v5", terminate_when_unhealthy=False)
env.action_space.seed(1)
for _ in range(2):
    env.reset(seed=1)
    for _ in range(300):
        env.step(env.action_space.sample() * 0.3)
"""


def measure(*, seeks: int = 60, episodes: int = 100_000) -> dict[str, float]:
    """All figures of replay; `seeks` is how many random ones are timed, `episodes` how far the last is."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="mosaic-bench-") as parent:
        home = Path(parent) / "home"
        home.mkdir(mode=0o700)
        runs = {
            "cartpole": record(home, CARTPOLE),
            "lunarlander": record(home, LUNAR_LANDER, python=python_of("envs")),
            "carracing": record(home, CAR_RACING, python=python_of("envs")),
            "humanoid": record(home, HUMANOID, python=python_of("envs")),
        }
        for name, folder in runs.items():
            found |= {f"{name}_{key}": value for key, value in _measure_run(folder, seeks).items()}
        found |= {f"far_{key}": value for key, value in _measure_far(home, episodes).items()}
    return found


def _measure_far(home: Path, episodes: int) -> dict[str, float]:
    """How much longer the last of many episodes takes to open than an early one: the best of three each."""
    folder = record(
        home, many.LOOP.format(episodes=episodes), modules={"short.py": many.MODULE}, timeout_secs=1200.0
    )
    found = {}
    for name, early, last in (
        ("alone", 1, episodes - 1),
        ("chain", episodes + 7, 2 * episodes - 1),
    ):
        found[f"early_{name}_open_secs"] = min(_open_secs(folder, early) for _ in range(3))
        found[f"last_{name}_open_secs"] = min(_open_secs(folder, last) for _ in range(3))
    return found


def _open_secs(folder: RunFolder, episode: int) -> float:
    begun = time.perf_counter()
    with Player(folder, episode, allowed=["short"]) as player:
        taken = time.perf_counter() - begun
        if not player.verdict.exact:
            raise RuntimeError(player.verdict.sentence())
    return taken


def _measure_run(folder: RunFolder, seeks: int) -> dict[str, float]:
    chosen = random.Random(1)
    begun = time.perf_counter()
    with Player(folder, 1, cache_bytes=1, block=1) as player:
        found = {"steps": float(player.steps), "open_secs": time.perf_counter() - begun}
        if not player.verdict.exact:
            raise RuntimeError(player.verdict.sentence())
        taken = []
        for _ in range(seeks):
            step = chosen.randrange(player.steps + 1)
            begun = time.perf_counter()
            player.frame(step)
            taken.append((time.perf_counter() - begun) * 1e3)
        found["seek_median_millis"], found["seek_worst_millis"] = statistics.median(taken), max(taken)
    with Player(folder, 1) as player:
        player.frame(player.steps)
        begun = time.perf_counter()
        count = sum(1 for _ in player.play(-1e9, start=player.steps, stop=max(0, player.steps - 200)))
        found["backwards_per_sec"] = count / (time.perf_counter() - begun)
    with StoreReader(folder) as reader:
        rows = reader.episodes()
        begun = time.perf_counter()
        verdicts = list(verify(folder, reader, rows))
        found["verify_steps_per_sec"] = sum(v.steps for v in verdicts) / (time.perf_counter() - begun)
    return found


if __name__ == "__main__":
    for key, value in measure().items():
        sys.stdout.write(f"{key:32} {value:12,.2f}\n")
