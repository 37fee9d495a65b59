"""Plays the table that `table_train.py` saved. Words: the file, how many episodes, the first seed."""

import os
import sys

import gymnasium as gym
import numpy as np


def main() -> None:
    path, episodes, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    told = [os.environ[f"MOSAIC_{name}"] for name in ("CHECKPOINT", "EPISODES", "SEED")]
    assert told == sys.argv[1:4], told
    table = np.load(path, allow_pickle=False)
    env = gym.make("FrozenLake-v1", is_slippery=False)
    total = 0.0
    for episode in range(episodes):
        state, _ = env.reset(seed=seed + episode)
        done = False
        while not done:
            state, reward, terminated, truncated, _ = env.step(int(table[state].argmax()))
            total += float(reward)
            done = terminated or truncated
    print(f"mean return {total / episodes:.2f}")


main()
