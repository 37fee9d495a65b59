"""One run from Python: what is done with it while it runs, its episodes simulated again, its other events."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import mosaic
from mosaic.errors import ConsentNeededError, ReplayError, UsageError
from mosaic.protocol.branches import origin_of
from mosaic.protocol.events import Belief, Decision
from mosaic.sdk.connection import Connection
from tests.cli.asking import in_state
from tests.daemons import Daemon, daemon
from tests.replay.envs import DICE
from tests.sdk.test_connection import runs

__all__ = ["daemon", "runs"]

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


ROLES = Path(__file__).parents[1] / "workers" / "plays_roles.py"


def test_episodes_and_returns_are_read_by_role(runs: mosaic.Connection) -> None:
    run = runs.run([sys.executable, "-I", str(ROLES)])
    run.wait()
    assert [episode.index for episode in run.episodes(role="eval")] == [1, 4]
    assert [episode.role for episode in run.episodes()][:4] == ["train", "eval", "train", None]
    assert [row.value for row in run.metrics("return")] == [10.0, 20.0, 30.0]
    assert [row.value for row in run.metrics("return", role="eval")] == [90.0, 94.0]
    assert run.summary().mean_return_100 == 20.0
    assert [text.partition(":")[0] for text in run.warnings] == ["not everything was recorded"]
    with pytest.raises(UsageError, match="train, eval, unknown"):
        run.episodes(role="test")


def test_somebody_goes_on_from_a_step(daemon: Daemon, tmp_path: Path) -> None:
    run = Connection(daemon.root).train("tabular/q_learning", "FrozenLake-v1", seed=1, steps=60)
    run.wait()
    mind = tmp_path / "mind.py"
    mind.write_text("def act(view):\n    return 1\n")
    first = [step.action for step in run.steps(2)]
    saved = run.branch(2, 1, f"python:{mind}", max_steps=3, name="saved")
    saved.wait()
    row = saved.row()
    assert (row.parent, row.name, row.tags["branch.step"]) == (run.id, "saved", "1")
    origin = origin_of(saved.config.args)
    assert origin is not None
    twin = origin.twin(saved.episodes())
    assert twin is not None
    taken = [step.action for step in saved.steps(twin)]
    assert taken[:1] == first[:1]
    assert set(taken[1:]) == {1}
    decided = {decision.operator for decision in saved.events(Decision, episode=twin)}
    assert decided == {f"python:{mind}"}
    with pytest.raises(UsageError, match="use --operator instead of --seat player_1"):
        run.branch(2, 1, seats={"player_1": "noop"})
    with pytest.raises(UsageError, match="has a parameter 'wings'"):
        run.branch(2, 1, "noop", operator_parameters={"wings": 2})
