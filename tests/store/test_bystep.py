"""Decisions and beliefs as rows: nothing lost, tables made when needed, stores made before brought along."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.paths import RunFolder
from mosaic.protocol import floats
from mosaic.protocol.codec import Unknown, decode_line
from mosaic.store import bystep
from mosaic.store.eventlog import typed
from mosaic.store.glance import glance
from mosaic.store.ingest import RunIngest
from mosaic.store.reader import StoreReader
from mosaic.store.rebuild import rebuild
from mosaic.store.verify import verify
from tests.store.journals import Segments, ingest_all
from tests.store.test_chunks import any_float
from tests.store.test_values import json_values

if TYPE_CHECKING:
    from collections.abc import Iterator

LAYOUT_1 = Path(__file__).parent / "layout1"
"""A run whose store was made before there were tables by step: 13 decisions and 3 beliefs are in `events`."""


@pytest.fixture
def earlier(tmp_path: Path) -> RunFolder:
    shutil.copytree(LAYOUT_1, tmp_path / "run")
    return RunFolder(tmp_path / "run")


class Names:
    """Texts by number, as a store has them."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)


@given(
    st.none()
    | st.text(st.characters(codec="utf-8"))
    | st.from_regex(r"[a-z.]{0,3}[0-9]{1,3}", fullmatch=True),
    st.none() | st.integers(),
    any_float,
    json_values,
)
def test_every_event_comes_back_whole(episode_id: str | None, step: int | None, t: float, data: Any) -> None:
    told = {"type": "decision", "t": floats.to_json(t), "episode_id": episode_id, "step": step}
    line = json.dumps({**told, "data": data, "verdict": "veto", "later": data, "seq": 9}).encode()
    decoded = decode_line(line)
    assert not isinstance(decoded.event, Unknown)
    names = Names()
    row = bystep.to_row(decoded.event, 5, decoded.extra, names.number)
    db = apsw.Connection(":memory:")
    bystep.make_table(db, "decisions")
    db.execute(bystep.INSERT.format(table="decisions"), row)
    (kept,) = db.execute(f"SELECT {bystep.COLUMNS} FROM decisions").fetchall()
    db.close()
    back = json.loads(bystep.from_row("decision", kept, names.texts.__getitem__))
    expected = {name: value for name, value in json.loads(line).items() if name != "seq"}
    assert floats.bits_of(floats.from_json(back.pop("t", 0.0))) == floats.bits_of(t)
    del expected["t"]
    assert {"data": None, "episode_id": None, "step": None, **back} == expected


def test_a_store_without_decisions_has_no_table_for_them(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.episode(0, 3)
    worker.write()
    ingest_all(folder)
    assert tables_of(folder) == set()
    worker.add({"type": "decision", "episode_id": "e", "step": 0})
    worker.write()
    ingest_all(folder)
    assert tables_of(folder) == {"decisions"}
    with StoreReader(folder) as reader:
        assert len(reader.events("decision")) == 1
        assert reader.events("belief") == []


def tables_of(folder: RunFolder) -> set[str]:
    db = apsw.Connection(str(folder.store), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return bystep.tables(db)
    finally:
        db.close()


def stored(folder: RunFolder) -> list[dict[str, Any]]:
    """All events as a reader gets them, without their producer's numbers."""

    def fields() -> Iterator[dict[str, Any]]:
        with StoreReader(folder) as reader:
            for seq, kind, data in reader.events():
                yield {**json.loads(data), "seq": seq, "kind": kind}

    return list(fields())


def test_a_store_made_before_is_read_as_it_is(earlier: RunFolder) -> None:
    summary = glance(earlier)
    assert summary is not None
    assert (summary.episodes, summary.steps, summary.store_seq) == (3, 12, 34)
    before = earlier.store.read_bytes()
    with StoreReader(earlier) as reader:
        assert len(reader.events("decision")) == 13
        assert [json.loads(data)["step"] for _, _, data in reader.events("decision", episode=1)] == [
            0,
            1,
            2,
            3,
        ]
        assert [
            json.loads(data)["data"]["scores"] for _, _, data in reader.events(episode=2, step=3)[:1]
        ] == [[0.5, 3]]
        assert reader.config().args == {"lr": 0.001}
        assert len(reader.steps(0)) == 4
    assert verify(earlier) == []
    assert earlier.store.read_bytes() == before


def test_a_writer_moves_what_an_earlier_version_kept_among_the_others(earlier: RunFolder) -> None:
    before = stored(earlier)
    with RunIngest(earlier, seal=False) as ingest:
        ingest.turn()
        assert ingest.summary().warnings == [], "it was brought along, not made anew"
    assert tables_of(earlier) == {"decisions", "beliefs"}
    assert stored(earlier) == before
    with StoreReader(earlier) as reader:
        assert reader.kinds() == ["config", "hello", "log"]
        assert len(reader.events("decision", episode=1)) == 4
    assert verify(earlier) == []
    rebuild(earlier)
    assert stored(earlier) == before
    assert verify(earlier) == []


def test_what_cannot_be_moved_stays_where_it_is(earlier: RunFolder) -> None:
    db = apsw.Connection(str(earlier.store))
    db.execute("INSERT INTO events VALUES (99, 'decision', ?)", (b'{"type":"decision","step":"seven"}',))
    bystep.move_shared(db)
    assert db.execute("SELECT seq FROM events WHERE kind = 'decision'").fetchall() == [(99,)]
    assert db.execute("SELECT count(*) FROM decisions").get == 13
    db.close()
    with StoreReader(earlier) as reader:
        assert [event.seq for event in reader.events("decision")][-1] == 99
        assert len(reader.events("decision")) == 14
        assert reader.events()[-1].seq == 99
        assert [event.seq for event in reader.events(step=0)][-1] != 99
        left = typed(reader.events("decision")[-1])
    assert left == Unknown("decision", b'{"type":"decision","step":"seven"}')
