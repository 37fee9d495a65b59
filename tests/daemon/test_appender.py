"""The daemon's own segments: locked while written, never written twice, torn tails taken back."""

from __future__ import annotations

import os
import resource
import signal
import stat
from pathlib import Path

import pytest
import zstandard

from mosaic.daemon.appender import SegmentAppender, find_last_seq
from mosaic.runs.locks import held


def lines(first: int, count: int) -> bytes:
    return b"".join(b'{"type":"log","text":"x","seq":%d}\n' % seq for seq in range(first, first + count))


def test_lines_are_in_the_file_and_the_segment_is_held_until_closed(tmp_path: Path) -> None:
    appender = SegmentAppender(tmp_path / "journal", "gab", segment_bytes=1 << 20)
    assert appender.append(lines(0, 3)) == 3
    path = tmp_path / "journal" / "gab-0000.jsonl"
    assert path.read_bytes() == lines(0, 3)
    assert held(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    appender.close()
    appender.close()
    assert not held(path)
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_full_segment_is_followed_by_the_next(tmp_path: Path) -> None:
    appender = SegmentAppender(tmp_path, "gab", segment_bytes=50)
    appender.append(lines(0, 2))
    appender.append(lines(2, 1))
    appender.close()
    assert (tmp_path / "gab-0000.jsonl").read_bytes() == lines(0, 2)
    assert (tmp_path / "gab-0001.jsonl").read_bytes() == lines(2, 1)


def test_a_successor_writes_to_a_new_segment_even_when_the_old_ones_are_sealed(tmp_path: Path) -> None:
    (tmp_path / "gab-0000.jsonl.zst").write_bytes(zstandard.compress(lines(0, 4)))
    assert find_last_seq(tmp_path, "gab") == 3
    appender = SegmentAppender(tmp_path, "gab", segment_bytes=1 << 20)
    appender.append(lines(4, 1))
    appender.close()
    assert (tmp_path / "gab-0001.jsonl").exists()
    assert find_last_seq(tmp_path, "gab") == 4


def test_the_last_number_is_found_behind_lines_without_one_and_a_torn_tail(tmp_path: Path) -> None:
    assert find_last_seq(tmp_path, "gab") is None
    (tmp_path / "gab-0000.jsonl").write_bytes(lines(0, 2))
    (tmp_path / "gab-0001.jsonl").write_bytes(b'no event\n\n{"seq":"x"}\n{"type":"log","te')
    (tmp_path / "gabc-0000.jsonl").write_bytes(lines(0, 50))
    assert find_last_seq(tmp_path, "gab") == 4


def test_on_a_full_disk_whole_lines_stay_and_the_torn_one_is_taken_back(tmp_path: Path) -> None:
    line = lines(0, 1)
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:  # a file-size limit stands for the full disk, in a process that may break
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 * len(line) + 5, 2 * len(line) + 5))
        appender = SegmentAppender(tmp_path, "gab", segment_bytes=1 << 20)
        written = appender.append(lines(0, 4))
        try:
            appender.append(lines(2, 1))
            failed = b"no"
        except OSError:
            failed = b"yes"
        os.write(write_end, b"%d %b" % (written, failed))
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as words:
        said = words.read()
    os.waitpid(child, 0)
    assert said == b"2 yes"
    assert (tmp_path / "gab-0000.jsonl").read_bytes() == lines(0, 2)


def test_a_journal_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.mkdir(mode=0o755)
    journal.chmod(0o755)
    with pytest.raises(Exception, match="open to other accounts"):
        SegmentAppender(journal, "gab", segment_bytes=10).append(lines(0, 1))
