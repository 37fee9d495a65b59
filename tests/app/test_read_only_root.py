"""A data root on a read-only disk, or somebody else's, is read without a daemon; what must write says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from mosaic.paths import DataRoot
from mosaic.store import schema

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = Path(__file__).parents[1] / "golden" / "0.1" / "root.zip"
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    with zipfile.ZipFile(GOLDEN) as zipped:
        zipped.extractall(home)
    home = next(path.parent for path in home.rglob("runs") if path.is_dir())
    home.chmod(0o700)
    return home


def mosaic(home: Path, *words: str, read_only: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mosaic", *words]
    if read_only:
        command = ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, str(home), *command]
    env = {**os.environ, "MOSAIC_HOME": str(home)}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def a_run(home: Path) -> str:
    """A run with episodes and metrics."""
    for path in sorted((home / "runs").iterdir()):
        db = schema.open_reader(DataRoot(home).run(path.name).store)
        found = db.execute("SELECT (SELECT count(*) FROM episodes) * (SELECT count(*) FROM metrics)").get
        db.close()
        for left in ("-wal", "-shm"):  # by our own look: on a read-only disk nobody leaves them
            Path(f"{DataRoot(home).run(path.name).store}{left}").unlink(missing_ok=True)
        if found:
            return path.name
    raise AssertionError


READS: dict[str, Callable[[str], list[str]]] = {
    "ls": lambda run: ["ls", "--json"],
    "show": lambda run: ["show", run],
    "episodes": lambda run: ["episodes", run],
    "steps": lambda run: ["steps", run, "0"],
    "metrics": lambda run: ["metrics", run],
    "events": lambda run: ["events", run],
    "verify": lambda run: ["verify", run],
    "logs": lambda run: ["logs", run],
}


@pytest.mark.parametrize("command", READS)
def test_what_only_reads_says_the_same_of_a_read_only_data_root(home: Path, command: str) -> None:
    words = READS[command](a_run(home))
    there = mosaic(home, *words)
    assert (there.returncode, there.stderr) == (0, "")
    assert there.stdout or command == "logs"
    assert not (home / "daemon").exists()
    assert there.stdout == mosaic(home, *words, read_only=False).stdout


def test_a_store_with_a_log_that_was_never_put_away_is_read_whole(home: Path, tmp_path: Path) -> None:
    run = a_run(home)
    store = DataRoot(home).run(run).store
    live = tmp_path / "live.sqlite"
    shutil.copy(store, live)
    db = schema.open_writer(live)
    db.execute("UPDATE episodes SET steps = 4321 WHERE idx = 0")
    shutil.copy(live, store)
    shutil.copy(f"{live}-wal", f"{store}-wal")
    db.close()
    assert "4321" in mosaic(home, "episodes", run, "--json").stdout


@pytest.mark.parametrize("words", [["run", "--", "true"], ["rebuild", "RUN"], ["rm", "--yes", "RUN"]])
def test_what_must_write_says_so_in_one_sentence(home: Path, words: list[str]) -> None:
    run = a_run(home)
    said = mosaic(home, *(run if word == "RUN" else word for word in words))
    assert said.returncode == 1
    assert f"{home} can only be read" in said.stderr
    assert "MOSAIC_HOME" in said.stderr
    assert "Traceback" not in said.stderr


def test_a_run_without_a_store_cannot_be_read_there_and_the_way_out_is_said(home: Path) -> None:
    run = a_run(home)
    DataRoot(home).run(run).store.unlink()
    said = mosaic(home, "episodes", run)
    assert said.returncode == 1
    assert "Copy it to a folder of yours" in said.stderr


def test_events_that_are_in_no_store_are_not_passed_over_in_silence(home: Path) -> None:
    run = a_run(home)
    with DataRoot(home).run(run).stdout.open("ab") as out:
        out.write(b'{"type": "metric", "name": "late", "value": 1}\n')
    db = apsw.Connection(str(DataRoot(home).run(run).store))
    db.execute("UPDATE sources SET done = 0")
    db.close()
    said = mosaic(home, "episodes", run)
    assert said.returncode == 0
    assert "1 events that no store has are not shown" in said.stderr
