"""SB3 PPO on CartPole that counts and times the calls of `render` made while it trains."""

import json
import sys
import time
from typing import Any

import gymnasium as gym
import torch
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from stable_baselines3 import PPO

torch.set_num_threads(1)
calls = {"renders": 0, "render_cpu": 0.0}
original: Any = CartPoleEnv.render


def render(self: Any) -> Any:
    began = time.process_time()
    try:
        return original(self)
    finally:
        calls["renders"] += 1
        calls["render_cpu"] += time.process_time() - began


setattr(CartPoleEnv, "render", render)  # noqa: B010  (mypy refuses the plain form)
steps = int(sys.argv[1])
model = PPO("MlpPolicy", gym.make("CartPole-v1"), seed=1, n_steps=256, device="cpu")
model.learn(2048)  # warm-up, and time for a viewer to come
calls.update(renders=0, render_cpu=0.0)
wall, cpu = time.perf_counter(), time.process_time()
model.learn(steps)
found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "steps": steps, **calls}
print("TIMED", json.dumps(found))
