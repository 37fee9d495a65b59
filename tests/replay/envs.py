"""Small environments that misbehave on purpose, as the modules and scripts a user would have."""

from __future__ import annotations

__all__ = ["CRASHES", "CRASHES_LOOP", "DICE", "KEEPS", "KEEPS_LOOP", "LUCKY", "LUCKY_LOOP", "SPACES"]

_HEAD = """
import copy, os, sys
import gymnasium as gym
import numpy as np
"""

LUCKY = (
    _HEAD
    + """
class Lucky(gym.Env):
    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return np.zeros(2), {}

    def step(self, action):
        self.count += 1
        second = float(int.from_bytes(os.urandom(6), "big")) if self.count > 3 else 1.0
        return np.array([self.count, second]), float(action), self.count == 6, False, {}

gym.register(id="Lucky-v0", entry_point="lucky:Lucky")
"""
)
LUCKY_LOOP = """
import gymnasium as gym
import lucky
env = gym.make("Lucky-v0")
for _ in range(2):
    env.reset(seed=1)
    while not env.step(1)[2]:
        pass
"""

KEEPS = (
    _HEAD
    + """
class Keeps(gym.Env):
    metadata = {"render_modes": ["rgb_array"]}
    observation_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float64)
    action_space = gym.spaces.Discrete(5)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.total = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.total = float(seed)
        self.count = 0
        return np.array([self.total]), {}

    def step(self, action):
        self.count += 1
        self.total += action + self.np_random.random()
        return np.array([self.total]), 0.0, self.count == 5, False, {}

    def render(self):
        return np.full((4, 6, 3), int(self.total) % 256, np.uint8)

gym.register(id="Keeps-v0", entry_point="keeps:Keeps")
"""
)
KEEPS_LOOP = """
import gymnasium as gym
import keeps
env = gym.make("Keeps-v0")
env.action_space.seed(0)
for episode in range(5):
    env.reset(seed={0: 7, 2: 9}.get(episode))
    while not env.step(env.action_space.sample())[2]:
        pass
"""

CRASHES = (
    _HEAD
    + """
class Crashes(gym.Env):
    observation_space = gym.spaces.Discrete(10)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return 0, {{}}

    def step(self, action):
        self.count += 1
        if self.count == 2 and "MOSAIC_RUN_DIR" not in os.environ:
            print("about to fall over", file=sys.stderr, flush=True)
            {deed}
        return self.count, 0.0, self.count == 3, False, {{}}

gym.register(id="Crashes-v0", entry_point="crashes:Crashes")
"""
)
CRASHES_LOOP = """
import gymnasium as gym
import crashes
env = gym.make("Crashes-v0")
env.reset(seed=1)
while not env.step(1)[2]:
    pass
"""

DICE = (
    _HEAD
    + """
class Dice(gym.Env):
    observation_space = gym.spaces.Discrete(6)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return int(self.np_random.integers(6)), {}

    def step(self, action):
        self.count += 1
        return int(self.np_random.integers(6)), 0.0, self.count == 4, False, {}

if __name__ == "__main__":
    env = Dice()
    for _ in range(3):
        env.reset()
        while not env.step(0)[2]:
            pass
"""
)

SPACES = (
    _HEAD
    + """
def total(value):
    if isinstance(value, dict):
        return sum(map(total, value.values()))
    if isinstance(value, tuple):
        return sum(map(total, value))
    if isinstance(value, str):
        return sum(map(ord, value)) / 7
    return float(np.sum(np.asarray(value, np.float64) / 7))

class Spaces(gym.Env):
    def __init__(self, kind):
        s = gym.spaces
        self.observation_space = {
            "dict": s.Dict({"a": s.Box(-1, 1, (3,), np.float32), "b": s.Discrete(4)}),
            "tuple": s.Tuple((s.Box(-1, 1, (2, 2), np.float64), s.MultiBinary(5))),
            "text": s.Text(8, min_length=1),
            "multi": s.MultiDiscrete([3, 4]),
            "big": s.Box(0, 255, (40, 40, 3), np.uint8),
        }[kind]
        self.action_space = {"big": s.Box(-1, 1, (300,), np.float64)}.get(kind)
        if self.action_space is None:
            self.action_space = copy.deepcopy(self.observation_space)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.observation_space.seed(int(self.np_random.integers(1000)))
        self.count, self.heard = 0, 0.0
        return self.observation_space.sample(), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self.count += 1
        self.heard += total(action)
        return self.observation_space.sample(), self.heard, self.count == 5, False, {}

gym.register(id="Spaces-v0", entry_point="spaces:Spaces")
"""
)
