from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon.places.local.syncer import Syncer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Calls:
    """Counts what reaches the disk, by name."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: list[str] = []
        self.fail = False
        for name in ("fdatasync", "fsync"):
            monkeypatch.setattr(os, name, self._call)

    def _call(self, fd: int) -> None:
        if self.fail:
            raise OSError(errno.EIO, "input/output error")
        self.synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))

    def take(self) -> list[str]:
        taken, self.synced = self.synced, []
        return taken


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "p1xaaaaaaaa-0000.jsonl").write_bytes(b"{}\n")
    (tmp_path / "journal" / "p1xaaaaaaaa-0000.jsonl.zst").write_bytes(b"")
    return tmp_path


@pytest.fixture
def syncer(run: Path) -> Iterator[Syncer]:
    fd = os.open(run, os.O_RDONLY)
    yield Syncer(fd)
    os.close(fd)


SEGMENT = "p1xaaaaaaaa-0000.jsonl"


def test_new_files_are_synced_with_their_folder_then_once_more_then_left_alone(
    run: Path, syncer: Syncer, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(monkeypatch)
    syncer.sync()
    assert calls.take() == [SEGMENT, "journal"]
    assert (run / "synced").exists()
    syncer.sync()
    assert calls.take() == [SEGMENT]
    stamp = (run / "synced").stat().st_mtime_ns
    syncer.sync()
    assert calls.take() == []
    assert (run / "synced").stat().st_mtime_ns == stamp


def test_what_changed_is_synced_again(run: Path, syncer: Syncer, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch)
    for _ in range(3):
        syncer.sync()
    calls.take()
    os.utime(run / "journal" / SEGMENT, ns=(1, 1))
    (run / "stdout.log").write_bytes(b"x")
    syncer.sync()
    assert sorted(calls.take()) == sorted([SEGMENT, "stdout.log", run.name])


def test_a_round_that_met_an_error_is_not_called_synced(
    run: Path, syncer: Syncer, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(monkeypatch)
    calls.fail = True
    syncer.sync()
    assert not (run / "synced").exists()
    calls.fail = False
    syncer.sync()
    assert calls.take() == [SEGMENT, "journal"]
    assert (run / "synced").exists()


def test_a_sealed_segment_or_a_missing_journal_is_no_error(run: Path, syncer: Syncer) -> None:
    syncer.sync()
    (run / "journal" / SEGMENT).unlink()
    syncer.sync()
    (run / "journal").rename(run / "gone")
    syncer.sync()


def test_what_is_newer_than_the_stamp_is_not_claimed_to_be_durable(run: Path, syncer: Syncer) -> None:
    syncer.sync()
    (run / "journal" / "p1xaaaaaaaa-0001.jsonl").write_bytes(b"{}\n")
    newer = (run / "journal" / "p1xaaaaaaaa-0001.jsonl").stat().st_mtime_ns
    assert (run / "synced").stat().st_mtime_ns < newer
