"""The price of recording, and of being watched, inside one training: blocks of either kind take turns.

Two processes never run alike: the same training started twice differs by more than we want to see. Here one
SB3 PPO on CartPole changes between plain and tried blocks every 256 steps, and each group of three blocks has
two plain ones, so that the same method also says what it finds where there is nothing (`null`). Processor
time only. A figure is a median over the groups; its interval holds 95 of 100 bootstrap medians.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.envs import python_of

__all__ = ["compare", "direct", "measure"]

_SCRIPTS = Path(__file__).parent / "scripts"
_FPS = 60
_RESAMPLES = 2000


def _interval(values: list[float]) -> tuple[float, float]:
    dice = random.Random(1)
    medians = sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return medians[_RESAMPLES // 40], medians[-_RESAMPLES // 40 - 1]


def compare(groups: list[dict[str, float]]) -> dict[str, float]:
    """Percent that a tried step costs more than the plain ones of its group, and the same for nothing."""
    tried = [100 * (2 * group["tried"] / (group["first"] + group["second"]) - 1) for group in groups]
    null = [100 * (group["first"] / group["second"] - 1) for group in groups]
    low, high = _interval(tried)
    null_low, null_high = _interval(null)
    plain = [(group["first"] + group["second"]) / 2 for group in groups]
    more = [group["tried"] - one for group, one in zip(groups, plain, strict=True)]
    return {
        "percent": statistics.median(tried),
        "low_percent": low,
        "high_percent": high,
        "null_percent": statistics.median(null),
        "null_low_percent": null_low,
        "null_high_percent": null_high,
        "step_micros": statistics.median(plain),
        "more_micros": statistics.median(more),
        "renders_tried": statistics.mean(group["tried_renders"] for group in groups),
        "renders_plain": statistics.mean(group["first_renders"] for group in groups),
    }


def measure(kind: str, *, groups: int = 100) -> dict[str, float]:
    """Run the training in blocks; `kind` is `recording` or `watching`."""
    return compare(_run("ppo_blocks.py", kind, str(groups)))


def direct(*, steps: int = 4096) -> dict[str, float]:
    """The time inside our own code, taken by clocks on both sides of it; shares of a step in percent.

    Blind to what we do to the caches of others, and so the lower bound to `measure`, with far less noise.
    """
    found: dict[str, float] = _run("ppo_direct.py", str(steps))
    frames_per_step = _FPS * found["step_micros"] / 1e6
    watched = found["watched_step_micros"] + frames_per_step * found["frame_micros"]
    found["recording_percent"] = 100 * found["recording_micros"] / found["step_micros"]
    found["watched_percent"] = 100 * watched / found["step_micros"]
    return found


def _run(script: str, *arguments: str) -> Any:
    command = [sys.executable, "-m", "mosaic"]
    words = [*command, "run", "--", str(python_of("sb3")), str(_SCRIPTS / script), *arguments]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MOSAIC_HOME": folder, "SDL_VIDEODRIVER": "dummy"}
        try:
            done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        finally:
            subprocess.run([*command, "daemon", "stop"], env=environment, check=False, capture_output=True)
    for line in done.stdout.splitlines():
        if line.startswith("TIMED "):
            return json.loads(line[6:])
    raise RuntimeError(f"{words} printed no figure:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


if __name__ == "__main__":
    kind, amount = sys.argv[1], int(sys.argv[2])
    print(json.dumps(direct(steps=amount) if kind == "direct" else measure(kind, groups=amount), indent=2))
