"""A run of very many very short episodes, for opening one far from the first. For tests and for the bench."""

from __future__ import annotations

__all__ = ["LOOP", "MODULE"]

MODULE = """
import gymnasium as gym
import numpy as np

class Short(gym.Env):
    metadata = {"render_modes": ["rgb_array"]}
    observation_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float64)
    action_space = gym.spaces.Discrete(5)
    keeps = False

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.total = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None or not self.keeps:
            self.total = 0.0
        self.count = 0
        return np.array([self.total]), {}

    def step(self, action):
        self.count += 1
        self.total += action + self.np_random.random()
        return np.array([self.total]), 0.0, self.count == 2, False, {}

    def render(self):
        return np.full((4, 6, 3), int(self.total) % 256, np.uint8)

class Keeps(Short):
    keeps = True

gym.register(id="Short-v0", entry_point="short:Short")
gym.register(id="Keeps-v0", entry_point="short:Keeps")
"""
"""Episodes of two steps; one environment keeps its total over a reset that has no seed."""

LOOP = """
import gymnasium as gym
import short
for name, every in (("Short-v0", {episodes}), ("Keeps-v0", 4)):
    env = gym.make(name)
    for episode in range({episodes}):
        env.reset(seed=episode if episode % every == 0 else None)
        env.step(1)
        env.step(2)
    env.close()
"""
"""Of the first environment only the first reset is seeded; of the second every fourth."""
