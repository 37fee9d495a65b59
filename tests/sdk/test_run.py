"""One run from Python: what is done with it while it runs, and its episodes simulated again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mosaic.errors import ConsentNeededError, ReplayError, UsageError
from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state
from tests.daemons import Daemon, daemon
from tests.replay.envs import DICE

__all__ = ["daemon"]


def test_a_run_is_paused_where_it_stands_and_goes_on(daemon: Daemon) -> None:
    run = Connection(daemon.root).run(["sleep", "60"])
    in_state(run, "running")
    run.pause()
    in_state(run, "paused")
    run.unpause()
    in_state(run, "running")
    with pytest.raises(UsageError, match="not paused"):
        run.unpause()
    run.stop()
    with pytest.raises(UsageError, match="only a running one"):
        run.pause()


def test_an_episode_is_replayed_by_index_or_id(daemon: Daemon) -> None:
    run = Connection(daemon.root).train("tabular/q_learning", "FrozenLake-v1", seed=1, steps=60)
    run.wait()
    recorded = run.episodes()[1]
    with run.replay(1) as episode:
        assert episode.verdict.exact
        assert (episode.row.episode_id, episode.steps) == (recorded.episode_id, recorded.steps)
        assert episode.frame(1).array().shape[2] == 3
    with run.replay(recorded.episode_id) as same:
        assert same.row.index == 1
    with pytest.raises(UsageError, match="episode"):
        run.replay(10_000)
    with pytest.raises(ReplayError, match="no interpreter /no/such/python"):
        run.replay(1, python="/no/such/python")


def test_a_module_of_the_runs_own_is_imported_only_when_it_is_allowed(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "dice.py").write_text(DICE)
    run = Connection(daemon.root).run([sys.executable, "dice.py"], cwd=tmp_path)
    run.wait()
    with pytest.raises(ConsentNeededError):
        run.replay(0)
    with run.replay(0, allowed=["dice.py"]) as episode:
        assert episode.verdict.exact
