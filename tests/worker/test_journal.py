"""The journal writer against threads, signals, forks, kills and full disks."""

from __future__ import annotations

import errno
import gc
import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from mosaic.runs.locks import held
from mosaic_worker import journal as journal_module
from mosaic_worker.journal import Channel, Journal
from tests.worker.reading import environment, lines_of, read_journal

if TYPE_CHECKING:
    from pathlib import Path


def hello(producer: str) -> bytes:
    return b'{"type":"hello","protocol":1,"producer":"%b"' % producer.encode()


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(str(tmp_path / "journal"), segment_bytes=64 * 1024, hello=hello)


def test_a_journal_that_was_never_written_leaves_nothing(journal: Journal, tmp_path: Path) -> None:
    journal.close()
    assert not (tmp_path / "journal").exists()


def test_lines_are_numbered_and_readable_before_the_journal_is_closed(
    journal: Journal, tmp_path: Path
) -> None:
    seqs = [journal.append(b'{"type":"log","text":"%d"' % n) for n in range(10)]
    assert seqs == list(range(1, 11))
    (events,) = read_journal(tmp_path).values()
    assert [event["text"] for event in events[1:]] == [str(n) for n in range(10)]
    journal.close()


def test_a_closed_segment_has_its_true_length_and_no_lock(journal: Journal, tmp_path: Path) -> None:
    journal.append(b'{"type":"log","text":"a"')
    (segment,) = (tmp_path / "journal").iterdir()
    assert held(segment)
    assert segment.stat().st_size > 1000
    journal.close()
    assert not held(segment)
    assert segment.read_bytes().endswith(b"}\n")
    assert oct(segment.stat().st_mode & 0o777) == "0o600"


def test_a_full_segment_is_followed_by_the_next_one(journal: Journal, tmp_path: Path) -> None:
    channel = Channel(journal)
    for n in range(5000):
        assert channel.append(b'{"type":"log","text":"%060d"' % n) == n + 1
    journal.close()
    assert len(list((tmp_path / "journal").iterdir())) > 5
    (events,) = read_journal(tmp_path).values()
    assert [int(event["text"]) for event in events[1:]] == list(range(5000))


def test_a_line_longer_than_a_segment_gets_a_segment_of_its_size(journal: Journal, tmp_path: Path) -> None:
    journal.append(b'{"type":"log","text":"before"')
    journal.append(b'{"type":"log","text":"%b"' % (b"x" * 1_000_000))
    journal.append(b'{"type":"log","text":"after"')
    journal.close()
    (events,) = read_journal(tmp_path).values()
    assert [len(event["text"]) for event in events[1:]] == [6, 1_000_000, 5]


def test_an_append_after_close_opens_another_segment(journal: Journal, tmp_path: Path) -> None:
    journal.append(b'{"type":"log","text":"a"')
    journal.close()
    assert journal.append(b'{"type":"log","text":"b"') == 2
    journal.close()
    (events,) = read_journal(tmp_path).values()
    assert [event["type"] for event in events] == ["hello", "log", "log"]


@pytest.mark.parametrize("atomic", [True, False])
def test_threads_never_lose_repeat_or_reorder_a_number(
    journal: Journal, tmp_path: Path, atomic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "_ATOMIC", atomic)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def write(name: int) -> None:
        channel = Channel(journal)
        for n in range(2000):
            body = b'{"type":"log","text":"%d %d"' % (name, n)
            channel.append(body) if n % 2 else journal.append(body)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    journal.close()
    (events,) = read_journal(tmp_path).values()
    for name in range(4):
        mine = [e["text"] for e in events[1:] if e["text"].startswith(f"{name} ")]
        assert mine == [f"{name} {n}" for n in range(2000)]


def test_finalizers_that_write_during_a_write_do_no_harm(journal: Journal, tmp_path: Path) -> None:
    class Noisy:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            journal.append(b'{"type":"log","text":"finalizer"')

    before = gc.get_threshold()
    channel = Channel(journal)
    gc.set_threshold(1)
    for _ in range(3000):
        Noisy()
        channel.append(b'{"type":"log","text":"line"')
    gc.set_threshold(*before)
    gc.collect()
    journal.close()
    (events,) = read_journal(tmp_path).values()
    assert sum(event.get("text") == "line" for event in events) == 3000
    assert sum(event.get("text") == "finalizer" for event in events) == 3000


def test_a_signal_handler_may_write_in_the_middle_of_a_write(journal: Journal, tmp_path: Path) -> None:
    fired = 0

    def handler(*_: object) -> None:
        nonlocal fired
        fired += 1
        journal.append(b'{"type":"log","text":"handler"')

    before = signal.signal(signal.SIGVTALRM, handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.001, 0.001)
    try:
        channel = Channel(journal)
        written = 0
        while fired < 60:
            channel.append(b'{"type":"log","text":"%060d"' % written)
            written += 1
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    journal.close()
    (events,) = read_journal(tmp_path).values()
    texts = [event["text"] for event in events[1:]]
    assert texts.count("handler") == fired
    assert [int(text) for text in texts if text != "handler"] == list(range(written))


def test_a_handler_that_interrupts_a_change_of_segment_is_written_right_after(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal"), hello=hello)
    journal.append(b'{"type":"log","text":"first"')
    numbers = []

    def interrupted(producer: str) -> bytes:
        numbers.append(journal.append(b'{"type":"log","text":"from inside"'))
        return hello(producer)

    journal._hello = interrupted
    journal.after_fork_in_child()
    journal.append(b'{"type":"log","text":"second"')
    journal.close()
    assert numbers == [-1]
    events = read_journal(tmp_path)[journal.producer]
    assert [event.get("text") for event in events] == [None, "from inside", "second"]


def test_no_space_left_makes_smaller_segments_then_waits_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes: list[int] = []
    waits: list[float] = []

    def full(fd: int, offset: int, size: int) -> None:
        sizes.append(size)
        if len(waits) < 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        os.truncate(fd, size)

    monkeypatch.setattr(os, "posix_fallocate", full)
    journal = Journal(str(tmp_path / "journal"), hello=hello, sleep=waits.append)
    assert journal.append(b'{"type":"log","text":"kept"') == 1
    journal.close()
    assert sizes == [256 * 1024, 128 * 1024, 64 * 1024] * 3 + [256 * 1024]
    assert waits == [0.2] * 3
    said = capsys.readouterr().err
    assert said.count("no space left") == 1
    assert said.count("space for the journal again after 1 s") == 1
    assert len(list((tmp_path / "journal").iterdir())) == 1


def test_an_error_that_is_not_lack_of_room_is_raised_and_makes_no_segments(
    journal: Journal, tmp_path: Path
) -> None:
    journal.append(b'{"type":"log","text":"a"')
    assert journal._segment is not None
    journal._segment.write = broken = lambda _: int("not a number")
    with pytest.raises(ValueError, match="invalid literal"):
        journal.append(b'{"type":"log","text":"b"')
    assert journal._segment.write is broken
    assert len(list((tmp_path / "journal").iterdir())) == 1
    journal.close()


def test_a_segment_that_cannot_be_made_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    journal = Journal(str(tmp_path / "journal"), hello=hello)
    with pytest.raises(OSError, match="broken"):
        journal.append(b'{"type":"log","text":"a"')
    assert list((tmp_path / "journal").iterdir()) == []
    monkeypatch.undo()
    assert journal.append(b'{"type":"log","text":"b"') == 1
    journal.close()
    assert [len(events) for events in read_journal(tmp_path).values()] == [2]


def test_a_forked_child_is_another_producer_and_holds_no_lock_of_its_parent(
    journal: Journal, tmp_path: Path
) -> None:
    journal.append(b'{"type":"log","text":"parent"')
    (segment,) = (tmp_path / "journal").iterdir()
    ready, go = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        journal.after_fork_in_child()
        journal.append(b'{"type":"log","text":"child"')
        os.write(ready[1], b"x")
        os.read(go[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    assert held(segment)
    journal.append(b'{"type":"log","text":"parent again"')
    journal.close()
    assert not held(segment)  # though the child lives on
    os.write(go[1], b"x")
    os.waitpid(pid, 0)
    for fd in (*ready, *go):
        os.close(fd)
    texts = [[event.get("text") for event in events[1:]] for events in read_journal(tmp_path).values()]
    assert sorted(texts) == [["child"], ["parent", "parent again"]]


def test_what_was_made_before_a_fork_can_tell_that_it_is_in_the_child(journal: Journal) -> None:
    channel = Channel(journal)
    channel.append(b'{"type":"log","text":"parent"')
    assert channel.epoch == journal.epoch
    journal.after_fork_in_child()
    assert channel.epoch != journal.epoch
    assert Channel(journal).epoch == journal.epoch
    journal.close()


KILLED = """
import os, sys
from mosaic_worker.journal import Channel, Journal
journal = Journal(os.environ["MOSAIC_RUN_DIR"] + "/journal", segment_bytes=1 << 16,
                  hello=lambda p: b'{"type":"hello","producer":"%b"' % p.encode())
channel = Channel(journal)
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
n = 0
while True:
    os.write(out, b"%d\\n" % channel.append(b'{"type":"log","text":"%0*d"' % (n % 700, n)))
    n += 1
"""


@pytest.mark.parametrize("attempt", range(4))
def test_every_acknowledged_line_survives_kill_9(tmp_path: Path, attempt: int) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    acknowledged = tmp_path / "acknowledged"
    child = subprocess.Popen(
        [sys.executable, str(script), str(acknowledged)],
        env={**environment(tmp_path), "MOSAIC_RUN_DIR": str(tmp_path)},
    )
    while not acknowledged.exists() or acknowledged.stat().st_size < 3000 * (attempt + 1):
        assert child.poll() is None
    child.kill()
    child.wait()
    last = int(lines_of(acknowledged.read_bytes())[-1])
    (events,) = read_journal(tmp_path).values()
    assert len(events) > last
    assert not any(held(segment) for segment in (tmp_path / "journal").iterdir())
