"""`mosaic eval CHECKPOINT -- COMMAND`: what a script saved, a command plays, as a run like any other."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mosaic import connect
from mosaic.app import run_index
from mosaic.paths import DataRoot
from mosaic.runs.folder import read_manifest
from tests.cli.conftest import Said, home_after
from tests.daemons import until

pytestmark = pytest.mark.timeout(600)
Call = Callable[..., Said]
SCRIPTS = Path(__file__).parents[1] / "scripts"
PLAY = (sys.executable, str(SCRIPTS / "table_play.py"), "{checkpoint}", "{episodes}", "{seed}")


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with one finished training by a script, named `table`."""
    path = tmp_path_factory.mktemp("scripted")
    script = (sys.executable, str(SCRIPTS / "table_train.py"), "300", str(path / "table.npy"))
    words = ("train", "script", "--name", "table", "--", *script)
    with home_after(path, *words, MOSAIC_STOP_INT_SECS="60"):
        yield path


@pytest.fixture
def trained(trained_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """Its data root, in force for this test."""
    monkeypatch.setenv("MOSAIC_HOME", str(trained_home))
    return DataRoot(trained_home)


def test_a_command_plays_what_a_script_saved_as_a_run_that_replays(trained: DataRoot, mosaic: Call) -> None:
    said = mosaic("eval", "table", "--episodes", "3", "--seed", "7", "--name", "played", "--", *PLAY)
    assert said.code == 0, said.err
    assert said.out == "mean return 1.00\n"
    trained_id, row = run_index.find(trained, "table").run_id, run_index.find(trained, "played")
    spec = read_manifest(trained.run(row.run_id)).spec
    saved = str(trained.path / "table.npy")
    assert (spec.runner, spec.parent, spec.command[2:]) == ("script", trained_id, [saved, "3", "7"])
    assert spec.job is not None
    assert (spec.job.kind, spec.job.checkpoint, spec.job.arguments) == ("eval", saved, list(PLAY))
    shown = json.loads(mosaic("show", "played", "--json").out)
    assert (shown["kind"], shown["state"], shown["episodes"]) == ("eval", "finished", 3)
    seeds = [json.loads(line)["seed"] for line in mosaic("episodes", "played", "--json").out.splitlines()]
    assert seeds == [7, 8, 9]
    assert saved in mosaic("show", "played").out
    replayed = mosaic("replay", "played", "--all", "--verify")
    assert replayed.code == 0, replayed.err
    assert "replayed exactly" in replayed.err


def test_what_a_stopped_script_saved_plays_too(trained: DataRoot, mosaic: Call, tmp_path: Path) -> None:
    file = tmp_path / "stopped.npy"
    words = ("--detach", "--", sys.executable, str(SCRIPTS / "table_train.py"), "100000000", str(file))
    run_id = mosaic("train", "script", *words).out.strip()
    until(lambda: run_index.find(trained, run_id).steps > 0)
    assert mosaic("stop", run_id, "--wait", "60").code == 0
    said = mosaic("eval", f"{run_id}:stop", "--episodes", "1", "--", *PLAY)
    assert said.code == 0, said.err
    assert said.out.startswith("mean return")


def test_the_sdk_plays_it_too(trained: DataRoot) -> None:
    run = connect().evaluate("table:final", episodes=2, command=PLAY, name="from-python")
    exit_record = run.wait(timeout_secs=60)
    assert exit_record is not None
    assert exit_record.code == 0
    assert [episode.return_ for episode in run.episodes()] == [1.0, 1.0]


def test_without_a_command_the_refusal_says_how(trained: DataRoot, mosaic: Call) -> None:
    before = len(run_index.rows(trained))
    said = mosaic("eval", "table")
    assert said.code == 2
    saved = trained.path / "table.npy"
    assert f"mosaic eval {saved} -- python play.py --weights {{checkpoint}}" in said.err
    assert "mosaic eval" in mosaic("eval", "table", "--").err
    assert len(run_index.rows(trained)) == before


def test_what_the_command_decides_itself_cannot_be_asked_for_as_well(trained: DataRoot, mosaic: Call) -> None:
    for words in (["--env", "Taxi-v4"], ["env.is_slippery=true"], ["--runner", "tabular/sarsa"]):
        said = mosaic("eval", "table", *words, "--", *PLAY)
        assert said.code == 2
        assert "leave out" in said.err


def test_what_it_would_do_is_shown_without_starting_it(trained: DataRoot, mosaic: Call) -> None:
    before = len(run_index.rows(trained))
    said = mosaic("eval", str(trained.path / "table.npy"), "--dry-run", "--", *PLAY)
    assert said.code == 0, said.err
    assert f"table_play.py {trained.path / 'table.npy'} 10 0" in said.out
    assert len(run_index.rows(trained)) == before


def test_a_strangers_file_is_not_handed_to_a_command_before_it_is_trusted(
    trained: DataRoot, mosaic: Call, tmp_path: Path
) -> None:
    file = tmp_path / "strangers.npy"
    shutil.copyfile(trained.path / "table.npy", file)
    before = len(run_index.rows(trained))
    said = mosaic("eval", str(file), "--", *PLAY)
    assert said.code == 2
    assert f"mosaic trust {file}" in said.err
    assert len(run_index.rows(trained)) == before
    trusted = mosaic("eval", str(file), "--trust", "--episodes", "1", "--name", "strangers", "--", *PLAY)
    assert (trusted.code, trusted.out) == (0, "mean return 1.00\n"), trusted.err
    assert run_index.find(trained, "strangers").parent is None


def test_a_changed_file_is_not_played(trained: DataRoot, mosaic: Call, tmp_path: Path) -> None:
    file = tmp_path / "changed.npy"
    words = ("--", sys.executable, str(SCRIPTS / "table_train.py"), "1", str(file))
    assert mosaic("train", "script", "--name", "changed", *words).code == 0
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    said = mosaic("eval", "changed", "--", *PLAY)
    assert said.code == 2
    assert "not the recorded ones" in said.err
