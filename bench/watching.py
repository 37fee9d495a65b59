"""What being watched costs a real training: SB3 PPO on CartPole, recorded, with and without a viewer.

Pairs are run back to back in alternating order. `beyond` is what is left when the processor time of the
`render` calls themselves is taken off: the price of our own work. The viewer asks for 60 frames a second.
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


def measure(*, steps: int = 8192, pairs: int = 5) -> dict[str, float]:
    """Percent of processor time a step costs more while watched; render calls of either kind."""
    more: list[float] = []
    beyond: list[float] = []
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
                beyond.append((seen["cpu"] - seen["render_cpu"]) / alone["cpu"] - 1.0)
                rates.append(seen["renders"] / seen["wall"])
        finally:
            subprocess.run([*_MOSAIC, "daemon", "stop"], env=environment, check=False)
    return {
        "watched_more_percent": 100 * statistics.median(more),
        "watched_beyond_render_percent": 100 * statistics.median(beyond),
        "watched_frames_per_sec": statistics.median(rates),
        "renders_watched": renders[True],
        "renders_unwatched": renders[False],
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
