from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon.guard import Guard
from mosaic.daemon.ingest_link import News
from mosaic.daemon.places.base import Sight
from mosaic.daemon.places.local.place import LocalPlace
from mosaic.daemon.runbook import RunBook
from mosaic.errors import RunNotFoundError
from mosaic.paths import DataRoot
from mosaic.protocol.rows import StoreSummary
from mosaic.protocol.runs import ExitRecord, RunSpec, RunState
from mosaic.runs import folder as runs
from mosaic.runs.files import write_json
from mosaic.runs.locks import Lock
from mosaic.settings import Settings
from mosaic.store.registry import read_entries, read_runs
from tests.daemon.keeping import run_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder


@pytest.fixture
def root(home: Path) -> DataRoot:
    return DataRoot(home)


@pytest.fixture
def book(root: DataRoot) -> Iterator[RunBook]:
    book = book_of(root, now=100.0)
    yield book
    book.close()


def book_of(root: DataRoot, *, now: float, numbers_secs: float = 0.0) -> RunBook:
    place = LocalPlace(root, Settings())
    return RunBook(
        root,
        observe=lambda run: place.observe(run.folder),
        guard=Guard(),
        now=lambda: now,
        numbers_secs=numbers_secs,
    )


def make(root: DataRoot, number: int = 0) -> RunFolder:
    return runs.create(root, RunSpec(run_id=run_id(number), command=["x"], cwd="/"), created=float(number))


def test_a_folder_made_within_one_tick_of_the_clock_is_found(root: DataRoot, book: RunBook) -> None:
    make(root, 1)
    stamp = root.runs.stat().st_mtime_ns
    assert len(book.scan()) == 1
    make(root, 2)
    os.utime(root.runs, ns=(stamp, stamp))
    assert [run.folder.run_id for run in book.scan()] == [run_id(2)]


def test_a_state_enters_the_history_only_when_it_changes(root: DataRoot, book: RunBook) -> None:
    folder = make(root)
    with Lock(folder.shim_lock):
        (run,) = book.scan()
        for _ in range(3):
            book.refresh(run)
    write_json(folder.exit, ExitRecord(code=1, t=7.0))
    folder.stderr.write_text("boom\n")
    for _ in range(3):
        book.refresh(run)
    book.flush()
    history = runs.read_manifest(folder).history
    assert [(change.state, change.reason, change.t) for change in history] == [
        (RunState.QUEUED, "waiting for a free slot", 100.0),
        (RunState.FAILED, "exit code 1: boom", 7.0),
    ]
    assert run.closed


def test_a_second_book_finds_the_same_and_changes_no_manifest(root: DataRoot, book: RunBook) -> None:
    folder = make(root)
    write_json(folder.exit, ExitRecord(code=0, t=7.0))
    book.scan()
    book.heard(News(run_id=run_id(0), summary=StoreSummary(episodes=4, store_seq=9), settled=True))
    book.flush()
    before = folder.manifest.stat().st_mtime_ns
    again = book_of(root, now=200.0)
    (run,) = again.scan()
    assert (run.settled, run.row.episodes, run.row.store_seq) == (True, 4, 9)
    assert folder.manifest.stat().st_mtime_ns == before
    again.close()


def test_a_second_book_writes_nothing_into_a_registry_that_is_right(root: DataRoot, book: RunBook) -> None:
    write_json(make(root).exit, ExitRecord(code=0, t=7.0))
    book.scan()
    book.flush()
    again = book_of(root, now=200.0)
    again.scan()
    with closing(sqlite3.connect(root.registry)) as reader:
        before = reader.execute("PRAGMA data_version").fetchone()
        again.flush()
        assert reader.execute("PRAGMA data_version").fetchone() == before
    again.close()


def test_news_of_a_run_that_is_not_settled_does_not_settle_it(root: DataRoot, book: RunBook) -> None:
    make(root)
    (run,) = book.scan()
    book.heard(News(run_id=run_id(0), summary=StoreSummary(store_seq=9)))
    assert (run.settled, run.row.store_seq) == (False, 9)


def test_rows_that_changed_are_told_once_and_listed(root: DataRoot, book: RunBook) -> None:
    make(root)
    book.scan()
    assert [row.run_id for row in book.flush()] == [run_id(0)]
    assert book.flush() == []
    book.heard(News(run_id=run_id(0), summary=StoreSummary(steps=5)))
    book.heard(News(run_id=run_id(5), summary=StoreSummary(steps=5)))
    assert [row.steps for row in book.flush()] == [5]
    assert [row.steps for row in read_runs(root)] == [5]


def test_numbers_that_grow_are_told_at_once_and_listed_now_and_then_or_when_they_are_final(
    root: DataRoot,
) -> None:
    book = book_of(root, now=100.0, numbers_secs=3600.0)
    make(root)
    book.scan()
    book.flush()
    book.heard(News(run_id=run_id(0), summary=StoreSummary(steps=5)))
    assert [row.steps for row in book.flush()] == [5]
    assert [row.steps for row in read_runs(root)] == [0]
    book.heard(News(run_id=run_id(0), summary=StoreSummary(steps=6), settled=True))
    assert [row.steps for row in book.flush()] == [6]
    assert [row.steps for row in read_runs(root)] == [6]
    book.close()


def test_a_folder_without_a_manifest_is_no_run_until_it_has_one(root: DataRoot, book: RunBook) -> None:
    runs.prepare(root, run_id(0))
    assert book.scan() == []
    make(root)
    assert len(book.scan()) == 1
    assert book.scan() == []


def test_a_registry_destroyed_under_it_is_made_anew_from_what_it_knows(root: DataRoot, book: RunBook) -> None:
    make(root, 0)
    make(root, 1)
    book.scan()
    book.flush()
    book._registry.close()
    root.registry.write_bytes(b"not a database")
    book.heard(News(run_id=run_id(0), summary=StoreSummary(steps=5)))
    book.flush()
    book.flush()
    assert [entry.row.run_id for entry in read_entries(root.registry)] == [run_id(0), run_id(1)]


def test_on_a_full_disk_the_history_waits_for_room(
    root: DataRoot, book: RunBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(root)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(runs, "write_manifest", full)
        book.scan()
        book.flush()
    assert runs.read_manifest(folder).history == []
    book.flush()
    assert [change.state for change in runs.read_manifest(folder).history] == [RunState.LOST]


def test_a_first_look_counts_whatever_it_shows(root: DataRoot, book: RunBook) -> None:
    make(root)
    book._observe = lambda _: Sight()  # as a run is taken to be before anybody looked
    (run,) = book.scan()
    assert run.closed
    assert [change.state for change in run.manifest.history] == [RunState.LOST]


def test_an_unknown_run_is_named(book: RunBook) -> None:
    with pytest.raises(RunNotFoundError, match="NOPE"):
        book["NOPE"]


def test_a_run_that_was_dropped_and_came_back_is_heard_again(
    root: DataRoot, book: RunBook, caplog: pytest.LogCaptureFixture
) -> None:
    def unseen(_: object) -> Sight:
        raise OSError("gone dark")

    book._observe = unseen
    for heard in (1, 2):
        make(root)
        (run,) = book.scan()
        book.refresh(run)
        assert run.unseen == "OSError: gone dark"
        assert len(caplog.records) == heard
        shutil.rmtree(run.folder.path)
        assert book.scan() == []
        assert book.every() == []


def test_a_manifest_that_is_mended_is_read_again(root: DataRoot, book: RunBook) -> None:
    folder = make(root, 1)
    whole = folder.manifest.read_bytes()
    folder.manifest.write_text("{")
    (run,) = book.scan()
    assert (run.state, run.row.command) == (RunState.UNREADABLE, [])
    assert str(folder.manifest) in run.row.reason
    book.flush()
    assert folder.manifest.read_text() == "{"
    folder.manifest.write_bytes(whole)
    book.refresh(run)
    assert (run.state, run.row.command) == (RunState.LOST, ["x"])


@pytest.mark.parametrize("ended", [True, False])
def test_a_manifest_that_goes_bad_later_makes_its_run_unreadable_and_is_not_overwritten(
    root: DataRoot, book: RunBook, *, ended: bool
) -> None:
    folder = make(root, 1)
    with Lock(folder.shim_lock):
        (run,) = book.scan()
        book.flush()
        book.refresh(run)
        if ended:
            write_json(folder.exit, ExitRecord(code=0, t=2.0))
            book.refresh(run)
            book.flush()
        whole = folder.manifest.read_bytes()
        folder.manifest.write_text("{")
        assert book.outdated(run)
        book.refresh(run)
        assert (run.state, run.row.command) == (RunState.UNREADABLE, ["x"])
        assert str(folder.manifest) in run.row.reason
        book.flush()
        assert folder.manifest.read_text() == "{"
        folder.manifest.write_bytes(whole)
        book.refresh(run)
        assert run.state is (RunState.FINISHED if ended else RunState.QUEUED)
        assert run.row.command == ["x"]
        assert not book.outdated(run)


def test_our_own_manifest_is_read_once_and_then_known(root: DataRoot, book: RunBook) -> None:
    make(root, 1)
    (run,) = book.scan()
    book.flush()
    assert book.outdated(run)  # written by us: nobody else may have done so since
    book.refresh(run)
    assert not book.outdated(run)


@pytest.mark.parametrize("name", ["exit.json", "shim.lock", "journal"])
def test_an_unreadable_run_is_a_row_with_the_reason_and_nothing_is_written_into_it(
    root: DataRoot, book: RunBook, name: str
) -> None:
    bad, good = make(root, 1), make(root, 2)
    path = bad.path / name
    shutil.rmtree(path, ignore_errors=True)
    os.mkfifo(path)
    before = sorted(one.name for one in bad.path.iterdir()), bad.manifest.read_bytes()
    assert len(book.scan()) == 2
    rows = {row.run_id: row for row in book.flush()}
    assert rows[bad.run_id].state is RunState.UNREADABLE
    assert f"{name} cannot be read: a named pipe where" in rows[bad.run_id].reason
    assert rows[good.run_id].state is RunState.LOST
    assert (sorted(one.name for one in bad.path.iterdir()), bad.manifest.read_bytes()) == before
    path.unlink()
    book.refresh(book[bad.run_id])
    assert book[bad.run_id].state is RunState.LOST
