"""What a run recorded besides steps, from Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import mosaic
from mosaic.errors import UsageError
from mosaic.protocol.events import Belief, Decision
from tests.sdk.test_connection import runs

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["runs"]

SCRIPT = """
import gymnasium, mosaic_worker
run = mosaic_worker.start()
run.config(algo="random", lr=0.1)
run.config(lr=0.2)
env = gymnasium.make("FrozenLake-v1")
for seed in range(2):
    env.reset(seed=seed)
    for step in range(2):
        run.decision(operator="random", proposed=3, executed=0, verdict="replace", by="guard", reason="hole")
        env.step(0)
    run.belief(add=["at(0)"], delete=["at(1)"])
"""


def test_decisions_beliefs_and_the_config_of_a_run(runs: mosaic.Connection, tmp_path: Path) -> None:
    script = tmp_path / "deciding.py"
    script.write_text(SCRIPT)
    run = runs.run([sys.executable, str(script)])
    end = run.wait(timeout_secs=120)
    assert end is not None
    assert end.code == 0, run.logs(stderr=True)
    first, second = run.episodes()
    decisions = run.events(Decision, episode=second.index)
    assert [(one.episode_id, one.step, one.by) for one in decisions] == [
        (second.episode_id, 0, "guard"),
        (second.episode_id, 1, "guard"),
    ]
    assert run.events("decision", episode=first.episode_id, step=1)[0].proposed == 3
    assert [belief.del_ for belief in run.events(Belief)] == [["at(1)"], ["at(1)"]]
    assert len(run.events("decision")) == 4
    seqs = [event.seq for event in run.events()]
    assert seqs == sorted(seqs)
    assert [event.seq for event in run.follow_events("decision")] == [e.seq for e in run.events("decision")]
    assert (run.config.algo, run.config.args) == ("random", {"lr": 0.2})
    with pytest.raises(UsageError, match="mosaic steps RUN EPISODE"):
        run.events("step")
    assert run.verify() == []
