"""What recording costs a real training: SB3 PPO on CartPole with and without `mosaic run`, interleaved.

Pairs are run back to back in alternating order, so a slow minute of the machine hits both sides; the figure
is the median of the pairs' ratios. `cpu` is the training process's own processor time, which is less noisy.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.envs import python_of

SCRIPT = Path(__file__).parent / "scripts" / "ppo_cartpole.py"


def _timed(command: list[str], environment: dict[str, str]) -> dict[str, float]:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        if line.startswith("TIMED "):
            return dict(json.loads(line[6:]))
    raise RuntimeError(f"{command} printed no figure:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def measure(*, steps: int = 8192, pairs: int = 7) -> dict[str, float]:
    """Ratios recorded / plain, minus one, in percent; and the plain step's cost."""
    python = str(python_of("sb3"))
    plain = [python, str(SCRIPT), str(steps)]
    recorded = [sys.executable, "-m", "mosaic", "run", "--", *plain]
    ratios: dict[str, list[float]] = {"wall": [], "cpu": []}
    costs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MOSAIC_HOME": folder}
        try:
            for pair in range(pairs):
                order = (plain, recorded) if pair % 2 == 0 else (recorded, plain)
                found = {id(command): _timed(command, environment) for command in order}
                for kind, values in ratios.items():
                    values.append(found[id(recorded)][kind] / found[id(plain)][kind] - 1.0)
                costs.append(found[id(plain)]["wall"] / steps * 1e6)
        finally:
            subprocess.run([sys.executable, "-m", "mosaic", "daemon", "stop"], env=environment, check=False)
    return {
        "slowed_wall_percent": 100 * statistics.median(ratios["wall"]),
        "slowed_cpu_percent": 100 * statistics.median(ratios["cpu"]),
        "plain_step_micros": statistics.median(costs),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
