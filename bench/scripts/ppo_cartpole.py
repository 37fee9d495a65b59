"""Stable-Baselines3 PPO on CartPole, timed by itself. An ordinary script: recorded or not, it is the same."""

import json
import os
import sys
import time

import gymnasium as gym
import torch
from stable_baselines3 import PPO

steps, cores = int(sys.argv[1]), {int(core) for core in sys.argv[2].split(",")}
os.sched_setaffinity(0, cores)
torch.set_num_threads(1)
model = PPO("MlpPolicy", gym.make("CartPole-v1"), seed=1, n_steps=256, device="cpu")
model.learn(256)  # warm-up: lazy imports, first allocations
print("BEGIN", flush=True)
wall, cpu = time.perf_counter(), time.process_time()
model.learn(steps)
print(
    "TIMED",
    json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "steps": steps}),
    flush=True,
)
