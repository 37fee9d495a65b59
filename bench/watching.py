"""What being watched costs a real training: SB3 PPO on CartPole, recorded, with and without a viewer.

The price of our own work, beyond the `render` calls themselves, is measured inside one process: by clocks
around it (`own`), and by watched blocks among blocks that render as often by themselves (`blocks`, see
bench/blocks.py). Whole trainings with a real viewer at 60 frames a second say what watching costs in all, and
count the `render` calls of those that nobody watches.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import blocks
from tests.envs import python_of

SCRIPT = Path(__file__).parent / "scripts" / "ppo_watched.py"
_MOSAIC = [sys.executable, "-m", "mosaic"]


def _train(steps: int, environment: dict[str, str], *, watched: bool) -> dict[str, float]:
    command = [*_MOSAIC, "run", "--", str(python_of("sb3")), str(SCRIPT), str(steps)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as training:
        viewer = None
        try:
            if watched:
                time.sleep(1.0)
                viewer = subprocess.Popen(
                    [*_MOSAIC, "watch", "last", "--fps", "60"], env=environment, stderr=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )  # fmt: skip
            said, _ = training.communicate()
        finally:
            if viewer is not None:
                viewer.wait()
    for line in said.splitlines():
        if line.startswith("TIMED "):
            return dict(json.loads(line[6:]))
    raise RuntimeError(f"the training printed no figure: {said[-2000:]}")


def measure(*, steps: int = 8192, pairs: int = 2) -> dict[str, float]:
    """Percent of processor time a step costs more while watched; render calls of either kind."""
    own = blocks.direct()
    inside = blocks.measure("watching")
    more: list[float] = []
    renders = {True: 0.0, False: 0.0}
    rates: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MOSAIC_HOME": folder}
        try:
            for pair in range(pairs):
                order = (False, True) if pair % 2 == 0 else (True, False)
                found = {watched: _train(steps, environment, watched=watched) for watched in order}
                for watched, figures in found.items():
                    renders[watched] += figures["renders"]
                alone, seen = found[False], found[True]
                more.append(seen["cpu"] / alone["cpu"] - 1.0)
                rates.append(seen["renders"] / seen["wall"])
        finally:
            subprocess.run([*_MOSAIC, "daemon", "stop"], env=environment, check=False)
    return {
        **{f"own_{name}": value for name, value in own.items()},
        **{f"blocks_{name}": value for name, value in inside.items()},
        "watched_more_percent": 100 * statistics.median(more),
        "watched_frames_per_sec": statistics.median(rates),
        "renders_watched": renders[True],
        "renders_unwatched": renders[False],
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
