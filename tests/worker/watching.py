"""Recorded scripts that play until told to stop, and somebody who watches them."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mosaic.fastlane.lane import Lease
from mosaic.fastlane.reader import Frame
from mosaic.fastlane.viewer import Viewer
from mosaic.paths import RunFolder
from tests.worker.reading import environment

PREAMBLE = """
import json, sys
import numpy as np
import gymnasium as gym

class Painted(gym.Env):
    metadata = {"render_modes": ["rgb_array", "ansi"]}
    observation_space = gym.spaces.Discrete(100000)
    action_space = gym.spaces.Discrete(2)
    calls = 0
    def __init__(self, render_mode=None):
        self.render_mode = render_mode
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.n = 0
        return 0, {}
    def step(self, action):
        self.n += 1
        return self.n, 0.5, self.n >= 50, False, {}
    def render(self):
        if self.render_mode is None:
            return "nothing"
        Painted.calls += 1
        return np.full((6, 8, 3), self.n, np.uint8)

gym.register("Painted-v0", entry_point=Painted)

def until_told(env):
    env.reset(seed=3)
    print("ready", flush=True)
    import threading
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
    while not over.is_set():
        done = env.step(1)
        if done[2] is True:
            env.reset()
"""


class Playing:
    """A recorded script that plays until told to stop."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.run = RunFolder(folder / "run")

    def end(self) -> Any:
        """Tell it to stop; the JSON it says last."""
        out, err = self.process.communicate("stop\n", timeout=60)
        assert self.process.returncode == 0, err
        self.stderr = err
        return json.loads(out.strip().splitlines()[-1])


@contextmanager
def playing(folder: Path, script: str, **extra: str) -> Iterator[Playing]:
    file = folder / "script.py"
    file.write_text(PREAMBLE + textwrap.dedent(script))
    process = subprocess.Popen(
        [sys.executable, str(file)],
        env=environment(folder, **extra),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "ready\n":
                break
        else:
            pytest.fail(process.communicate()[1])
        yield Playing(process, folder)
    finally:
        process.kill()
        process.communicate()


def watch(
    run: RunFolder,
    enough: Callable[[Viewer, dict[Any, Frame]], bool],
    *,
    env: int | None = None,
    fps: float = 200,
) -> dict[Any, Frame]:
    """Watch until that is so; the newest frame of each environment."""
    newest: dict[Any, Frame] = {}
    with Viewer(run, lease=Lease(fps=fps), env=env) as viewer:
        while not enough(viewer, newest):
            viewer.tick()
            newest.update(viewer.frames())
            time.sleep(0.002)
    return newest
