"""One run from Python: what is done with it while it runs, and its episodes simulated again."""

from __future__ import annotations

import pytest

from mosaic.errors import ReplayError, UsageError
from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state
from tests.daemons import Daemon, daemon

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
