from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mosaic
import mosaic_worker
from mosaic_worker.common import ofd

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Two descriptions of one open file, closed when the test ends."""
    path = tmp_path / "file"
    fds = os.open(path, os.O_RDWR | os.O_CREAT, 0o600), os.open(path, os.O_RDWR)
    yield fds
    for fd in fds:
        os.close(fd)


def test_a_lock_is_seen_by_others_only_and_can_be_taken_once(two: tuple[int, int]) -> None:
    mine, other = two
    assert not ofd.held(other)
    ofd.take(mine)
    ofd.take(mine)
    assert ofd.held(other)
    assert not ofd.held(mine)
    with pytest.raises(BlockingIOError):
        ofd.take(other)


def test_asking_takes_nothing(two: tuple[int, int]) -> None:
    mine, other = two
    assert not ofd.held(other)
    ofd.take(mine)


def test_the_kernel_frees_the_lock_of_a_process_that_is_killed(two: tuple[int, int]) -> None:
    mine, other = two
    ofd.take(mine)
    holder = subprocess.Popen(["sleep", "60"], pass_fds=(mine,))
    os.dup2(other, mine)  # ours is gone; the child's copy of it holds on
    assert ofd.held(other)
    holder.kill()
    holder.wait()
    assert not ofd.held(other)


def test_the_numbers_stand_in_one_file() -> None:
    roots = [Path(mosaic.__file__).parent, Path(mosaic_worker.__file__).parent]
    naming = [path.name for root in roots for path in root.rglob("*.py") if "hh4xqqi" in path.read_text()]
    assert naming == ["ofd.py"]


def test_the_common_part_imports_nothing_of_the_worker() -> None:
    program = "import sys, mosaic_worker.common.ofd; print(*[n for n in sys.modules if 'mosaic' in n])"
    package = Path(mosaic_worker.__file__).parent.parent
    said = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": str(package)},
        capture_output=True,
        check=True,
    )
    assert said.stdout.split() == [b"mosaic_worker", b"mosaic_worker.common", b"mosaic_worker.common.ofd"]
