"""One file of a journal, from its making to its true length; every step may be taken again."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from mosaic.runs.locks import held
from mosaic_worker.segment import Segment

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_private_locked_and_mapped_then_cut_and_free(tmp_path: Path) -> None:
    path = tmp_path / "p1x0-0000.jsonl"
    segment = Segment(str(path))
    assert not path.exists()
    segment.prepare(8192)
    assert (held(path), path.stat().st_size, path.stat().st_mode & 0o777) == (True, 8192, 0o600)
    segment.write(b"line\n")
    assert segment.room() == 8187
    segment.finish()
    assert (held(path), path.read_bytes()) == (False, b"line\n")


def test_preparing_and_finishing_twice_is_like_once(tmp_path: Path) -> None:
    path = tmp_path / "p1x0-0000.jsonl"
    segment = Segment(str(path))
    segment.prepare(4096)
    segment.prepare(8192)
    segment.write(b"a\n")
    segment.seal()
    segment.seal()
    with pytest.raises(ValueError, match="out of range"):
        segment.write(b"b\n")
    segment.finish()
    segment.finish()
    assert path.read_bytes() == b"a\n"


def test_a_line_that_came_while_it_was_sealed_is_kept(tmp_path: Path) -> None:
    segment = Segment(str(tmp_path / "p1x0-0000.jsonl"))
    segment.prepare(4096)
    segment.write(b"a\n")
    segment._end = segment.map.tell()  # where a thread that seals it was interrupted
    segment.write(b"b\n")
    segment.finish()
    assert (tmp_path / "p1x0-0000.jsonl").read_bytes() == b"a\nb\n"


def test_without_room_it_is_empty_and_ours_until_it_is_discarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int, _: int, size: int) -> None:
        os.truncate(fd, size // 2)
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "posix_fallocate", full)
    path = tmp_path / "p1x0-0000.jsonl"
    segment = Segment(str(path))
    with pytest.raises(OSError, match="full"):
        segment.prepare(4096)
    assert (held(path), path.stat().st_size) == (True, 0)
    segment.discard()
    segment.discard()
    assert not path.exists()
