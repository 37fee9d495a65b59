"""Learns a table for FrozenLake, and saves it at the end and when it is stopped.

Words: how many episodes, where to save, and optionally a file to wait for before saving.
"""

import sys
import time
from pathlib import Path

import gymnasium as gym
import numpy as np

import mosaic_worker


def main() -> None:
    episodes, path = int(sys.argv[1]), Path(sys.argv[2])
    env = gym.make("FrozenLake-v1", is_slippery=False)
    table, rng = np.zeros((16, 4)), np.random.default_rng(1)
    steps, reason = 0, "final"
    try:
        for episode in range(episodes):
            state, _ = env.reset(seed=episode)
            done = False
            while not done:
                best = np.flatnonzero(table[state] == table[state].max())
                action = int(rng.integers(4) if rng.random() < 0.3 else rng.choice(best))
                after, reward, terminated, truncated, _ = env.step(action)
                table[state, action] = float(reward) + (0.0 if terminated else 0.9 * table[after].max())
                state, done = after, terminated or truncated
                steps += 1
    except KeyboardInterrupt:
        reason = "stop"
    while len(sys.argv) > 3 and not Path(sys.argv[3]).exists():
        time.sleep(0.02)
    np.save(path, table)
    mosaic_worker.checkpoint(path, step=steps, kind="numpy", meta={"reason": reason})


main()
