"""SB3 PPO on CartPole that counts and times the calls of `render` made while it trains."""

import json
import sys
import time

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from timed_render import forget, spent  # type: ignore[import-not-found]

torch.set_num_threads(1)
steps = int(sys.argv[1])
model = PPO("MlpPolicy", gym.make("CartPole-v1"), seed=1, n_steps=256, device="cpu")
model.learn(2048)  # warm-up, and time for a viewer to come
forget()
wall, cpu = time.perf_counter(), time.process_time()
model.learn(steps)
found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "steps": steps, **spent}
print("TIMED", json.dumps(found))
