"""Pages of events: full or over, nothing left out between two of them, and strange kinds refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.store import eventlog
from mosaic.store.eventpage import EventPage, read_page, refuse_unknown
from mosaic.store.kinds import LISTED
from mosaic.store.reader import StoreReader
from tests.store.journals import PRODUCER, Segments, ingest_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import RunFolder

LOGS, DECISIONS = 200, 3
LARGE = 1 << 30


@pytest.fixture
def reader(folder: RunFolder) -> Iterator[StoreReader]:
    """A run of four episodes with a few decisions each, and many logs of 100 bytes and more."""
    worker = Segments(folder)
    for episode in range(4):
        for step in range(DECISIONS):
            name = f"{PRODUCER}.0.{episode}"
            worker.add({"type": "decision", "episode_id": name, "step": step, "proposed": episode})
    worker.add(*({"type": "log", "text": "x" * 100, "t": float(n)} for n in range(LOGS)))
    worker.add({"type": "telepathy", "strength": 3})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        yield reader


@pytest.mark.parametrize(("most_rows", "most_bytes"), [(1, LARGE), (64, LARGE), (65, LARGE), (LARGE, 500)])
def test_pages_join_without_a_seam_whatever_bounds_them(
    reader: StoreReader, most_rows: int, most_bytes: int
) -> None:
    pages = [read_page(reader, most_rows=most_rows, most_bytes=most_bytes)]
    while pages[-1].more:
        since = pages[-1].next_seq
        pages.append(read_page(reader, since_seq=since, most_rows=most_rows, most_bytes=most_bytes))
    assert [event for page in pages for event in page.events] == reader.events()
    assert all(0 < len(page.events) <= most_rows for page in pages)
    assert all(sum(len(event.data) for event in page.events) <= most_bytes for page in pages)
    assert len(pages) > 2, "the bounds were meant to be felt"


def test_a_page_that_holds_exactly_the_rest_has_no_next_one(reader: StoreReader) -> None:
    there = reader.events(["log"])
    assert read_page(reader, ["log"], most_rows=LOGS, most_bytes=LARGE) == (there, there[-1].seq, False)
    assert read_page(reader, ["log"], most_rows=LOGS - 1, most_bytes=LARGE).more


def test_an_event_larger_than_a_page_comes_alone(reader: StoreReader) -> None:
    page = read_page(reader, ["log"], most_rows=LARGE, most_bytes=1)
    assert (len(page.events), page.more) == (1, True)


def test_a_page_after_the_last_event_is_empty_and_stays_where_it_is(reader: StoreReader) -> None:
    end = reader.summary().store_seq
    assert read_page(reader, since_seq=end, most_rows=9, most_bytes=LARGE) == EventPage([], end, more=False)


def test_a_page_is_narrowed_down_by_kind_episode_and_step(reader: StoreReader) -> None:
    found = read_page(reader, ["decision"], episode=f"{PRODUCER}.0.2", most_rows=9, most_bytes=LARGE)
    events = [eventlog.typed(stored) for stored in found.events]
    assert [(event.proposed, event.step) for event in events] == [(2, 0), (2, 1), (2, 2)]  # type: ignore[union-attr]
    one = read_page(reader, episode=f"{PRODUCER}.0.2", step=1, most_rows=9, most_bytes=LARGE)
    assert one.events == found.events[1:2]


def test_a_kind_nobody_knows_is_refused_with_those_there_are(reader: StoreReader) -> None:
    with pytest.raises(UsageError, match="run R has recorded no 'desicion' event. Did you mean") as refused:
        refuse_unknown(reader, "R", ["log", "desicion"])
    for name in (*LISTED, "telepathy"):
        assert name in str(refused.value)


def test_what_this_version_knows_or_the_run_recorded_is_not_refused(reader: StoreReader) -> None:
    refuse_unknown(reader, "R", [])
    refuse_unknown(reader, "R", ["belief", "telepathy"])


def test_a_kind_as_long_as_a_book_leaves_room_for_those_there_are(reader: StoreReader) -> None:
    with pytest.raises(UsageError, match="There are: hello, config") as refused:
        refuse_unknown(reader, "R", ["decision" * 100_000])
    assert len(str(refused.value)) < 300
