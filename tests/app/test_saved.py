"""Checkpoints of a run that ended without a daemon to store them: asked for, they are all there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mosaic.app import reading, saved
from mosaic.artifacts import checkpoints
from mosaic.artifacts.checkpoints import Known
from mosaic.errors import RunNotFoundError
from mosaic.paths import DataRoot
from mosaic.store.lag import lag
from tests.daemons import running_daemon, until

pytestmark = pytest.mark.timeout(300)
TRAIN = str(Path(__file__).parents[1] / "scripts" / "table_train.py")
Ask = Callable[[DataRoot, str, Path], list[Known]]


@pytest.fixture
def stopped(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[DataRoot, str]]:
    """A run that was stopped and saved `table.npy` only after its daemon was killed."""
    monkeypatch.setenv("MOSAIC_STOP_INT_SECS", "60")  # saving waits for us
    with running_daemon(DataRoot(home)) as daemon:
        root, go = daemon.root, tmp_path / "go"
        command = [sys.executable, TRAIN, "100000000", str(tmp_path / "table.npy"), str(go)]
        run_id = daemon.submit(command).run_id
        until(lambda: daemon.client.run(run_id).steps > 0)
        daemon.client.stop(run_id)
        daemon.kill()
        go.touch()
        until(lambda: reading.has_ended(root, run_id))
        assert lag(root.run(run_id)).bytes > 0
        assert checkpoints.of_run(root, run_id) == []
        yield root, run_id


@pytest.mark.parametrize(
    "ask",
    [
        lambda root, run_id, file: saved.of_run(root, run_id),
        lambda root, run_id, file: saved.everywhere(root),
        lambda root, run_id, file: [saved.find(root, "last:stop")],
        lambda root, run_id, file: [saved.find(root, str(file))],
    ],
    ids=["run", "everywhere", "name", "path"],
)
def test_a_checkpoint_saved_after_the_daemon_died_is_found(
    stopped: tuple[DataRoot, str], tmp_path: Path, ask: Ask
) -> None:
    root, run_id = stopped
    (known,) = ask(root, run_id, tmp_path / "table.npy")
    assert (known.run_id, known.reason, known.path) == (run_id, "stop", tmp_path / "table.npy")
    assert checkpoints.verified(known).intact


def test_the_command_line_lists_it(stopped: tuple[DataRoot, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mosaic", "checkpoints", "last", "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (row,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (row["run_id"], row["reason"], row["intact"]) == (stopped[1], "stop", True)


def test_there_is_nothing_to_find_in_an_empty_data_root(home: Path) -> None:
    root = DataRoot(home)
    assert saved.everywhere(root) == []
    with pytest.raises(RunNotFoundError):
        saved.find(root, "last")
