"""Plays the network that `single_file_dqn.py` saved. Words: the file, how many episodes, the first seed."""

import sys

import gymnasium as gym
import torch
from torch import nn


def main() -> None:
    path, episodes, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    net = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 2))
    net.load_state_dict(torch.load(path, weights_only=True))
    env = gym.make("CartPole-v1")
    for episode in range(episodes):
        obs, _ = env.reset(seed=seed + episode)
        done = False
        while not done:
            obs, _, terminated, truncated, _ = env.step(int(net(torch.tensor(obs)).argmax().item()))
            done = terminated or truncated


main()
