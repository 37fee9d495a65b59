"""The SDK on a real daemon, and its documentation run as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mosaic
from mosaic.errors import DataRootError, RunNotFoundError, UsageError
from mosaic.paths import DataRoot
from mosaic.rpc.launch import connect as connect_daemon
from mosaic.rpc.launch import daemon_running, wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[2] / "docs" / "sdk.md"

TRAIN = """
import json
for e in range(3):
    print(json.dumps({"type": "reset", "episode_id": f"e{e}", "t": 1.0}))
    for s in range(2):
        print(json.dumps({"type": "step", "episode_id": f"e{e}", "step": s, "reward": 1.0, "t": 1.0}))
    print(json.dumps({"type": "episode", "episode_id": f"e{e}", "steps": 2, "return": 2.0, "t_end": 2.0}))
"""


@pytest.fixture
def runs(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[mosaic.Connection]:
    """A connection to a data root of this test's own, in a folder with a `train.py`."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "train.py").write_text(TRAIN)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    yield mosaic.connect()
    root = DataRoot(home)
    if daemon_running(root):
        for run in mosaic.connect().runs():
            run.stop()
        with connect_daemon(root, start=False) as client:
            client.shutdown()
        wait_until_gone(root)


def test_the_public_surface_is_a_list() -> None:
    assert mosaic.__all__ == ["Connection", "Run", "__version__", "connect"]
    assert all(getattr(mosaic, name) for name in mosaic.__all__)


def test_importing_mosaic_loads_nothing_heavy() -> None:
    code = "import sys, mosaic; assert not {'grpc', 'numpy', 'apsw', 'msgspec', 'click'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_run_from_start_to_end(runs: mosaic.Connection) -> None:
    run = runs.run([sys.executable, "-I", "train.py"], name="first", tags={"a": "b"})
    end = run.wait(timeout_secs=60)
    assert end is not None
    assert (end.code, run.state, run.name) == (0, "finished", "first")
    assert [episode.return_ for episode in run.episodes()] == [2.0, 2.0, 2.0]
    assert [step.reward for step in run.steps(1)] == [1.0, 1.0]
    assert [row.value for row in run.metrics("length")] == [2.0, 2.0, 2.0]
    assert run.metrics() == []
    assert run.checkpoints() == []
    assert run.verify() == []
    assert run.logs().startswith('{"type": "reset"')
    assert run.logs(stderr=True) == ""
    assert run.summary().steps == 6
    assert runs.get("first").id == run.id == runs.get("last").id
    assert [each.id for each in runs.runs()] == [run.id]


def test_following_gives_history_then_live_until_the_end(runs: mosaic.Connection) -> None:
    run = runs.run([sys.executable, "-I", "train.py"])
    followed = list(run.follow_episodes())
    assert [row.index for row in followed if row.t_end is not None] == [0, 1, 2]
    assert [(episode, step.step) for episode, step in run.follow_steps()] == [
        ("e0", 0), ("e0", 1), ("e1", 0), ("e1", 1), ("e2", 0), ("e2", 1),
    ]  # fmt: skip


def test_waiting_has_an_end(runs: mosaic.Connection) -> None:
    run = runs.run(["sleep", "60"])
    with pytest.raises(TimeoutError, match=run.id):
        run.wait(timeout_secs=0.1)
    end = run.stop()
    assert end is not None
    assert end.stop_asked
    assert run.state == "stopped"


def test_what_cannot_be_started_is_said_before_anything_starts(runs: mosaic.Connection, home: Path) -> None:
    with pytest.raises(UsageError, match="no command"):
        runs.run(["pyhton", "train.py"])
    with pytest.raises(RunNotFoundError, match="no runs yet"):
        runs.get("last")
    assert not daemon_running(DataRoot(home))


def test_a_data_root_open_to_others_is_refused(home: Path) -> None:
    home.chmod(0o755)
    with pytest.raises(DataRootError, match="chmod 700"):
        mosaic.connect()


def test_the_documentation_runs_as_it_stands(
    runs: mosaic.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert len(blocks) >= 6
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(DOCS), "exec"), scope)
    out = capsys.readouterr().out
    assert "finished exit code 0 0" in out
    assert "Did you mean 'first'?" in out
    assert Path("results/episodes.csv").exists()
    del runs


def test_files_a_script_makes_have_the_mode_they_would_have_without_us(runs: mosaic.Connection) -> None:
    before = os.umask(0o027)
    try:
        run = runs.run(["sh", "-c", "touch made; env"])
        run.wait()
    finally:
        os.umask(before)
    assert Path("made").stat().st_mode & 0o777 == 0o640
    assert "UMASK" not in run.logs()


@pytest.mark.timeout(300)
def test_operators_play_and_a_match_is_judged(runs: mosaic.Connection) -> None:
    run = runs.play(
        "FrozenLake-v1",
        "random",
        seats={},
        seeds=[3, 5],
        env_arguments={"is_slippery": False},
        max_steps=20,
        name="alone",
    )
    run.wait(timeout_secs=60)
    assert [episode.seed for episode in run.episodes()] == [3, 5]
    with pytest.raises(UsageError, match="not a match"):
        run.match()
    duel = runs.play("CartPole-v1", seats={"a": "noop", "b": "noop"}, copies=True, seeds=[1, 2])
    duel.wait(timeout_secs=60)
    (pair,) = duel.match().pairs
    assert (pair.first, pair.second, pair.paired.ties) == ("a", "b", 2)
    with pytest.raises(UsageError, match="no operator in these seats"):
        runs.play("CartPole-v1", "noop", operator_parameters={"sample": True})


@pytest.mark.timeout(300)
def test_a_league_is_played_and_judged(runs: mosaic.Connection) -> None:
    cup = runs.league("pettingzoo.classic.tictactoe_v3", ["random", "noop"], seeds=[4, 5], name="cup")
    cup.wait(timeout_secs=60)
    league = runs.get("cup").league()
    assert [met.seed for met in league.games] == [4, 4, 5, 5]
    assert league.players == ("random", "noop")
    assert sum(league.meetings[0][2:5]) == 4
    with pytest.raises(UsageError, match="mosaic versus"):
        runs.league("CartPole-v1", ["random", "noop"])
    alone = runs.play("CartPole-v1", "noop")
    with pytest.raises(UsageError, match="not a league"):
        alone.league()
    alone.wait(timeout_secs=60)
