from __future__ import annotations

import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.runs.locks import Lock, held

if TYPE_CHECKING:
    from pathlib import Path


def test_a_lock_is_held_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    assert not held(path)
    assert not path.exists()
    with Lock(path):
        assert held(path)
        with pytest.raises(BlockingIOError):
            Lock(path)
        assert held(path)
    assert not held(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_closing_twice_is_fine(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "a.lock")
    lock.close()
    lock.close()


def test_asking_does_not_let_go_of_our_own_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with Lock(path):
        for _ in range(3):
            assert held(path)


def test_a_child_that_inherits_the_descriptor_holds_the_lock_and_its_death_frees_it(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with Lock(path) as lock:
        child = subprocess.Popen(
            [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"],
            stdin=subprocess.PIPE,
            pass_fds=(lock.fd,),
        )
    assert held(path)
    child.kill()
    child.communicate()
    assert not held(path)


def test_a_link_in_the_locks_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.lock").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic link"):
        Lock(tmp_path / "a.lock")
    assert not (tmp_path / "target").exists()
