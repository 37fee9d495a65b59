"""Whether trainings learn: SB3 PPO on CartPole with default parameters, Q-learning on FrozenLake.

Everything goes the way a user goes: `mosaic train` with several seeds, then `mosaic eval` of each final
checkpoint, in a data root of its own. Evaluations play deterministic actions in episodes not trained on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.envs import cache_root

EVAL_SEED = 1000


class Bench:
    """A clean data root and the command line on it."""

    def __init__(self, home: Path) -> None:
        envs = str(cache_root() / "runners")
        own = {"MOSAIC_HOME": str(home), "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        self.env = {"MOSAIC_ENVS_DIR": envs, **os.environ, **own}

    def call(self, *words: str) -> str:
        """Call `mosaic`; what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "mosaic", *words],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(
                f"mosaic {' '.join(words)} ended with {done.returncode}:\n{done.stderr[-3000:]}"
            )
        return done.stdout

    def rows(self, *words: str) -> list[Any]:
        """The JSON lines a command answers with."""
        return [json.loads(line) for line in self.call(*words, "--json").splitlines()]

    def trained(self, *words: str, seeds: str) -> list[str]:
        """Train with each seed; the runs' ids."""
        before = {row["run_id"] for row in self.rows("ls", "--all")}
        self.call("train", *words, "--seeds", seeds)
        return [row["run_id"] for row in self.rows("ls", "--all") if row["run_id"] not in before]

    def returns(self, run: str, *, episodes: int) -> list[float]:
        """What the final policy of a training earns in each episode."""
        self.call("eval", f"{run}:final", "--episodes", str(episodes), "--seed", str(EVAL_SEED))
        played = [row for row in self.rows("episodes", "last") if row["outcome"] != "cut"]
        return [float(row["return"]) for row in played]


def measure(*, steps: int = 59_392, seeds: str = "1-5", tables: str = "1-20") -> dict[str, float]:
    """The worst and the mean of the seeds' mean returns, and how many of the tables reach the goal.

    SB3 trains in whole rollouts of 2,048 steps: 29 of them are the most that stay within 60,000.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        bench = Bench(home)
        try:
            bench.call("runners", "install", "sb3")
            runs = bench.trained("sb3/ppo", "CartPole-v1", "--steps", str(steps), seeds=seeds)
            means = [sum(found) / len(found) for found in (bench.returns(run, episodes=10) for run in runs)]
            tabular = bench.trained(
                "tabular/q_learning", "FrozenLake-v1", "env.is_slippery=false", seeds=tables
            )
            solved = [bench.returns(run, episodes=1) == [1.0] for run in tabular]
        finally:
            bench.call("daemon", "stop")
    return {
        "ppo_worst_return": min(means),
        "ppo_mean_return": sum(means) / len(means),
        "ppo_seeds": float(len(means)),
        "tables_solved": float(sum(solved)),
        "tables": float(len(solved)),
    }
