"""What recording costs a real training: SB3 PPO on CartPole with and without `mosaic run`.

Three ways, from the surest to the most complete: clocks around our own code (`own`), recorded and plain
blocks that take turns in one process (`blocks`, see bench/blocks.py), and whole trainings.

Both trainings of a pair run at the same moment, each bound to a core of its own, and change cores from pair
to pair: a slow moment of the machine hits both, a slow core each in turn. The figures are medians.
`cpu` is the training process's own processor time; `wall` also sees what ingest takes from its core.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import blocks
from tests.envs import python_of

SCRIPT = Path(__file__).parent / "scripts" / "ppo_cartpole.py"


def _timed(process: subprocess.Popen[str]) -> dict[str, float]:
    printed, complained = process.communicate()
    for line in printed.splitlines():
        if line.startswith("TIMED "):
            return dict(json.loads(line[6:]))
    raise RuntimeError(f"{process.args!r} printed no figure:\n{printed[-2000:]}\n{complained[-2000:]}")


def measure(*, steps: int = 6144, pairs: int = 12) -> dict[str, float]:
    """Percent by which recording slows, in three ways, how far it spreads, and the plain step's cost."""
    own = blocks.direct()
    inside = blocks.measure("recording")
    python = str(python_of("sb3"))
    prefix = [sys.executable, "-m", "mosaic", "run", "--"]
    cores = sorted(os.sched_getaffinity(0))
    ratios: dict[str, list[float]] = {"wall": [], "cpu": []}
    costs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MOSAIC_HOME": folder}
        try:
            for pair in range(pairs):
                started = []
                for side, command in enumerate(([], prefix)):
                    core = cores[(pair + side) % len(cores)]
                    words = [*command, python, str(SCRIPT), str(steps), str(core)]
                    pipe = subprocess.PIPE
                    started.append(
                        subprocess.Popen(words, env=environment, stdout=pipe, stderr=pipe, text=True)
                    )
                plain, recorded = (_timed(process) for process in started)
                for kind, values in ratios.items():
                    values.append(100 * (recorded[kind] / plain[kind] - 1.0))
                costs.append(plain["wall"] / steps * 1e6)
        finally:
            subprocess.run([sys.executable, "-m", "mosaic", "daemon", "stop"], env=environment, check=False)
    low, _, high = statistics.quantiles(ratios["cpu"], n=4)
    return {
        **{f"own_{name}": value for name, value in own.items()},
        **{f"blocks_{name}": value for name, value in inside.items()},
        "slowed_wall_percent": statistics.median(ratios["wall"]),
        "slowed_cpu_percent": statistics.median(ratios["cpu"]),
        "cpu_spread_percent": (high - low) / 2,
        "plain_step_micros": statistics.median(costs),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
