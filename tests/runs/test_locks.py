from __future__ import annotations

import os
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
    with pytest.raises(OSError, match="a link where a file should be"):
        Lock(tmp_path / "a.lock")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_nobody_can_say_who_holds_what_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.lock"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(tmp_path / "a.lock")
    with pytest.raises(OSError, match="where a file should be"):
        held(path)
    with pytest.raises(OSError, match="where a file should be"):
        Lock(path)


def test_a_lock_can_be_asked_about_by_who_may_only_read_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with Lock(path):
        path.chmod(0o400)
        asked = subprocess.run(
            [sys.executable, "-c", _ASK, str(path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (asked.stdout.strip(), asked.stderr) == ("True", "")


_ASK = """
import os, sys
from pathlib import Path
from mosaic.runs.locks import held
opened = os.open
def only_reads(path, flags, *args, **kwargs):
    assert flags & os.O_ACCMODE == os.O_RDONLY
    return opened(path, flags, *args, **kwargs)
os.open = only_reads
print(held(Path(sys.argv[1])))
"""
