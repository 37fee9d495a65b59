"""Staging: a folder while it is filled, and nothing of it afterwards, whoever was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.runs.staging import staging, sweep

if TYPE_CHECKING:
    from pathlib import Path

FILLING = """
import sys, time
from pathlib import Path
from mosaic.runs.staging import staging
with staging(Path(sys.argv[1])) as path:
    (path / "file").write_bytes(b"half")
    print(path, flush=True)
    time.sleep(600)
"""


def test_a_folder_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    with staging(tmp_path) as path:
        assert path.stat().st_mode & 0o777 == 0o700
        (path / "x").mkdir()
        assert sweep(tmp_path) == []  # ours, and in use
        assert path.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_running_one_stays_and_a_killed_one_goes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FILLING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert sweep(tmp_path) == []
        assert os.path.exists(name)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [str(path) for path in sweep(tmp_path)] == [name]
    assert list(tmp_path.iterdir()) == []


def test_an_empty_one_has_a_minute_to_be_locked(tmp_path: Path) -> None:
    path = tmp_path / ".unpack-new"
    path.mkdir()
    assert sweep(tmp_path) == []
    os.utime(path, (1.0, 1.0))
    assert sweep(tmp_path) == [path]


@pytest.mark.parametrize("kind", ["file", "link", "pipe"])
def test_what_is_no_folder_is_not_ours(tmp_path: Path, kind: str) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "x").touch()
    path = tmp_path / ".unpack-strange"
    if kind == "file":
        path.touch()
    elif kind == "link":
        path.symlink_to(kept)
    else:
        os.mkfifo(path)
    assert sweep(tmp_path) == []
    assert (kept / "x").exists()
