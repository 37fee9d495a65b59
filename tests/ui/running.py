"""Real runs for the desktop's tests: an environment that says how often it was drawn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from mosaic.protocol.runs import RunRow
from mosaic.ui.shell.context import Context
from tests.daemons import Daemon

__all__ = ["Counting", "focus", "start_counting"]

_SCRIPT = """
import os, sys, time
import gymnasium as gym
import numpy as np

counts = [0, 0]
where = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)


class Counting(gym.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gym.spaces.Box(0, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.at += 1
        counts[0] += 1
        os.pwrite(where, b"%12d%12d" % tuple(counts), 0)
        return np.full(2, 0.5, np.float32), 1.0, self.at == 20, False, {}

    def render(self):
        counts[1] += 1
        drawn = np.zeros((8, 12, 3), np.uint8)
        drawn[:, :] = counts[1] % 256, self.at, 7
        return drawn


gym.register(id="Counting-v0", entry_point=Counting)
env = gym.make("Counting-v0")
for _ in range(int(sys.argv[2])):
    env.reset()
    while not env.step(env.action_space.sample())[2]:
        time.sleep(0.002)
"""


@dataclass(frozen=True)
class Counting:
    """A run and the file in which its environment counts."""

    row: RunRow
    counts: Path

    @property
    def steps(self) -> int:
        """How many steps it has done."""
        return self._read()[0]

    @property
    def renders(self) -> int:
        """How often it was drawn."""
        return self._read()[1]

    def _read(self) -> tuple[int, int]:
        text = self.counts.read_bytes() if self.counts.exists() else b""
        return (int(text[:12]), int(text[12:24])) if len(text) >= 24 else (0, 0)


def start_counting(daemon: Daemon, folder: Path, *, episodes: int = 1_000_000) -> Counting:
    """Start it."""
    script, counts = folder / "counting.py", folder / "counts"
    script.write_text(dedent(_SCRIPT))
    row = daemon.submit([sys.executable, str(script), str(counts), str(episodes)])
    return Counting(row, counts)


def focus(context: Context, daemon: Daemon, run_id: str) -> None:
    """What the list of runs and a click on it do."""
    context.runs.update(daemon.client.runs())
    context.selection.choose([run_id])
