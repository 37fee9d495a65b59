"""Pages of a store: every row once, whatever the page size, and where to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mosaic.daemon.sources import SOURCES, Episodes, Events, Metrics, Source, Steps
from mosaic.paths import RunFolder
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreReader]:
    """A store of 40 episodes with steps, metrics and logs between them."""
    folder = RunFolder(tmp_path_factory.mktemp("sources") / "run")
    folder.journal.mkdir(mode=0o700, parents=True)
    lines = ['{"type":"hello","protocol":1,"producer":"p1x0","seq":0}']
    for n in range(40):
        lines += [
            f'{{"type":"step","episode_id":"e{n}","step":{k},"reward":1.0,"t":1.0}}' for k in range(n % 4 + 1)
        ]
        lines.append(f'{{"type":"episode","episode_id":"e{n}","steps":{n % 4 + 1},"return":1.0,"t":2.0}}')
        lines.append(f'{{"type":"metric","name":"m{n % 2}","value":{n}.0,"t":1.0}}')
        lines.append(f'{{"type":"log","text":"{n}"}}')
    folder.stdout.write_text("\n".join(lines) + "\n")
    with RunIngest(folder, seal=False) as ingest:
        while ingest.turn().more:
            pass
    with StoreReader(folder) as reader:
        yield reader


def pages(source: Source, reader: StoreReader, limit: int, cuts: list[int]) -> list[Any]:
    """Every row, read page by page; some pages are cut short as a batch that grew too large would be."""
    rows: list[Any] = []
    since = 0
    for turn in range(10_000):
        page = source.read(reader, since, limit=limit)
        keep = cuts[turn % len(cuts)] if cuts else 0
        if 0 < keep < len(page.rows):
            rows += page.rows[:keep]
            since = source.cut_after(page.rows[keep - 1], since)
            continue
        rows += page.rows
        since = page.next_seq
        if not page.more:
            assert since == reader.summary().store_seq
            return rows
    raise AssertionError("the pages never end")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
@given(limit=st.integers(1, 60), cuts=st.lists(st.integers(0, 20), max_size=3))
def test_every_row_comes_once_whatever_the_pages(reader: StoreReader, limit: int, cuts: list[int]) -> None:
    counts: dict[Any, int] = {Steps: reader.summary().steps, Episodes: 40, Metrics: 40, Events: 41}
    for kind, count in counts.items():
        seqs = [row.seq for row in pages(kind(), reader, limit, cuts)]
        assert len(seqs) == len(set(seqs)) == count
        assert seqs == sorted(seqs)


def test_a_kind_narrows_a_source_down(reader: StoreReader) -> None:
    assert {row.name for row in pages(Metrics("m1"), reader, 7, [])} == {"m1"}
    assert {row.type for row in pages(Events("log"), reader, 7, [])} == {"log"}


def test_a_jump_of_the_cursor_begins_a_new_round_of_episodes(reader: StoreReader) -> None:
    source = Episodes()
    assert source.read(reader, 0, limit=5).more
    source.restart()
    assert [row.index for row in source.read(reader, 0, limit=3).rows] == [0, 1, 2]


def test_every_reading_stream_has_its_source() -> None:
    assert set(SOURCES) == {"StreamRunSteps", "StreamRunEpisodes", "StreamRunMetrics", "StreamRunEvents"}
    assert len({source.batch_type for source in SOURCES.values()}) == 4
