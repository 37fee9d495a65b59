"""Plays half an episode, then fails."""

import gymnasium as gym

env = gym.make("CartPole-v1")
env.reset(seed=1)
for _ in range(4):
    env.step(0)
raise SystemExit(3)
