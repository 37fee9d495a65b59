"""Reading events from several tables: one order, pages without seams, and an episode at its own price."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.errors import UsageError
from mosaic.protocol.codec import Unknown
from mosaic.protocol.events import Belief, Decision, Log
from mosaic.store import schema
from mosaic.store.eventlog import Stored, Which, select, typed
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.store.journals import PRODUCER, Segments, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

DECISIONS = 5  # of one episode


def filled(folder: RunFolder, episodes: int) -> None:
    worker = Segments(folder)
    for k in range(episodes):
        name = f"{PRODUCER}.0.{k}"
        for step in range(DECISIONS):
            worker.add({"type": "decision", "episode_id": name, "step": step, "proposed": k, "t": 1.0 + k})
        worker.add({"type": "belief", "episode_id": name, "step": 0, "add": ["at(1)"], "del": ["at(0)"]})
        worker.add({"type": "log", "text": f"episode {k}"})
        worker.episode(k, 2)
    worker.add({"type": "decision", "operator": "nobody", "ms": "NaN"}, {"type": "telepathy", "strength": 3})
    worker.write()
    ingest_all(folder)


def said(found: list[Stored]) -> list[dict[str, Any]]:
    return [json.loads(event.data) for event in found]


def test_all_kinds_come_in_the_order_they_were_stored(folder: RunFolder) -> None:
    filled(folder, 3)
    with StoreReader(folder) as reader:
        found = reader.events()
        assert [event.seq for event in found] == sorted({event.seq for event in found})
        kinds = [event.kind for event in found]
        assert kinds[:8] == ["hello", *["decision"] * DECISIONS, "belief", "log"]
        assert kinds[-2:] == ["decision", "telepathy"]
        assert [event.kind for event in reader.events(["log", "belief"])] == ["belief", "log"] * 3
        assert reader.kinds() == ["hello", "log", "telepathy"]


@pytest.mark.parametrize("page", [1, 2, 7])
def test_pages_leave_out_nothing_and_double_nothing(folder: RunFolder, page: int) -> None:
    filled(folder, 3)
    with StoreReader(folder) as reader:
        for kinds in (None, ["decision"], ["decision", "log"]):
            whole, since, found = reader.events(kinds), 0, list[Stored]()
            while part := reader.events(kinds, since_seq=since, limit=page):
                found += part
                since = part[-1].seq
            assert found == whole
            assert reader.events(kinds, limit=page, newest=True) == whole[-page:]


def test_one_episode_by_index_and_by_id_and_one_step_of_it(folder: RunFolder) -> None:
    filled(folder, 4)
    with StoreReader(folder) as reader:
        index = reader.episode(f"{PRODUCER}.0.2").index
        found = reader.events("decision", episode=index)
        assert [(one["proposed"], one["step"]) for one in said(found)] == [(2, s) for s in range(DECISIONS)]
        assert reader.events("decision", episode=f"{PRODUCER}.0.2") == found
        both = reader.events(episode=index, step=0)
        assert [event.kind for event in both] == ["decision", "belief"]
        assert reader.events("decision", episode=index, limit=2, newest=True) == found[-2:]
        assert [one["proposed"] for one in said(reader.events("decision", step=4))] == [0, 1, 2, 3]
        assert reader.events("decision", episode=index, step=77) == []


def test_an_episode_of_which_only_decisions_are_known_is_found_by_its_id(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.add({"type": "decision", "episode_id": "only decided", "step": 3, "verdict": "veto"})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert reader.summary().episodes == 0
        assert len(reader.events("decision", episode="only decided")) == 1
        with pytest.raises(UsageError, match="no episode 'another'"):
            reader.events(episode="another")


def steps_of_sqlite(folder: RunFolder, which: Which) -> tuple[int, int]:
    """How many rows a question finds, and how many instructions SQLite runs for it."""
    db = schema.open_reader(folder.store)
    prefix = db.execute("SELECT id FROM names WHERE text = ?", (f"{PRODUCER}.0.",)).get
    count = 0

    def counted() -> bool:
        nonlocal count
        count += 1
        return False

    db.set_progress_handler(counted, 1)
    found = select(db, which._replace(episode=(prefix, f"{PRODUCER}.0.", 7)), lambda _: f"{PRODUCER}.0.")
    db.set_progress_handler(None)
    db.close()
    return len(found), count


@pytest.mark.parametrize("which", [Which(["decision"]), Which(step=2), Which(limit=3, newest=True)])
def test_the_price_of_one_episode_does_not_grow_with_the_run(tmp_path: Any, which: Which) -> None:
    from tests.store.journals import make_run

    prices = []
    for episodes in (10, 400):
        folder = make_run(tmp_path, f"run-{episodes}")
        filled(folder, episodes)
        prices.append(steps_of_sqlite(folder, which))
    (few, cheap), (many, dear) = prices
    assert 0 < few == many
    assert dear <= cheap * 1.1


def test_a_kind_that_is_read_in_another_way_says_how(folder: RunFolder) -> None:
    filled(folder, 1)
    with StoreReader(folder) as reader:
        with pytest.raises(UsageError, match="mosaic metrics RUN"):
            reader.events("metric")
        with pytest.raises(UsageError, match="belong to no episode. Those that do: decision, belief"):
            reader.events("log", episode=0)


def test_events_are_handed_out_as_their_structs(folder: RunFolder) -> None:
    filled(folder, 1)
    with StoreReader(folder) as reader:
        events = [typed(one) for one in reader.events()]
        numbers = [one.seq for one in reader.events()]
    decisions = [event for event in events if isinstance(event, Decision)]
    assert decisions[1].step == 1
    assert isinstance(decisions[-1].ms, float)
    assert math.isnan(decisions[-1].ms)
    (belief,) = [event for event in events if isinstance(event, Belief)]
    assert (belief.add, belief.del_) == (["at(1)"], ["at(0)"])
    assert any(isinstance(event, Log) for event in events)
    assert isinstance(events[-1], Unknown)
    assert [event.seq for event in events[:-1] if not isinstance(event, Unknown)] == numbers[:-1]


def test_a_line_of_before_whose_fields_meant_something_else_is_read_whole(folder: RunFolder) -> None:
    """Such lines were legal when `verdict` and `add` were free fields."""
    worker = Segments(folder)
    worker.add({"type": "decision", "episode_id": "e", "step": 0, "verdict": 5, "by": "guard", "ms": "fast"})
    worker.add({"type": "belief", "episode_id": "e", "add": {"at": 3}, "t": 2.0})
    worker.write()
    ingest_all(folder)
    assert verify(folder) == []
    with StoreReader(folder) as reader:
        assert (reader.summary().quarantined, reader.summary().unknown) == (0, 2)
        decision, belief = reader.events(["decision", "belief"])
    (first,), (second,) = said([decision]), said([belief])
    assert (first["verdict"], first["ms"], first["by"], second["add"]) == (5, "fast", "guard", {"at": 3})
    known, other = typed(decision), typed(belief)
    assert isinstance(known, Decision)
    assert (known.verdict, known.ms, known.by, known.step) == (None, None, "guard", 0)
    assert isinstance(other, Belief)
    assert (other.add, other.t) == ([], 2.0)


@pytest.mark.parametrize("step", [1 << 63, -(1 << 70), 10**30])
def test_a_step_of_any_size_can_be_asked_for(folder: RunFolder, step: int) -> None:
    worker = Segments(folder)
    worker.add({"type": "decision", "episode_id": "e", "step": step}, {"type": "decision", "step": 3})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [one["step"] for one in said(reader.events("decision", step=step))] == [step]
        assert [one["step"] for one in said(reader.events("decision", episode="e", step=step))] == [step]
        assert reader.events(step=step + 1) == []
        assert len(reader.events("decision", limit=1 << 70)) == 2


@pytest.mark.parametrize("key", ["e99", "nope", 99, 1 << 70, -1, "7"])
def test_an_episode_of_which_nothing_is_known_is_refused_however_it_is_named(
    folder: RunFolder, key: int | str
) -> None:
    worker = Segments(folder)
    worker.add({"type": "step", "episode_id": "e1", "step": 0}, {"type": "log", "text": "x"})
    worker.add({"type": "decision", "episode_id": "e2", "step": 0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        with pytest.raises(UsageError, match=f"no episode {key!r}. This run has episodes 0 to 0"):
            reader.events(episode=key)
        assert reader.events("decision", episode="e1") == [], "it is there and nothing was decided"
        assert len(reader.events(episode="e2")) == 1
        assert reader.events(episode="e2", step=5) == []


def test_an_id_of_digits_alone_is_reached_by_its_number_where_no_index_is_meant(folder: RunFolder) -> None:
    worker = Segments(folder)
    huge = 10**30
    for name in ("1", "40", str(huge)):
        worker.add({"type": "step", "episode_id": name, "step": 0})
        worker.add({"type": "decision", "episode_id": name, "step": 0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [reader.episode(key).episode_id for key in (1, 40, huge, "1")] == ["40", "40", str(huge), "1"]
        assert [said(reader.events(episode=key))[0]["episode_id"] for key in (1, 40)] == ["40", "40"]


def test_one_by_one_they_are_those_that_were_there_when_it_began_and_counting_agrees(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(folder, 2)
    monkeypatch.setattr("mosaic.store.reader._PAGE", 3)
    with StoreReader(folder) as reader:
        whole = reader.events()
        one_by_one = reader.each_event()
        found = [next(one_by_one)]
        worker = Segments(folder, producer="p9x00000000")
        worker.add({"type": "log", "text": "later"}, {"type": "decision"})
        worker.write()
        ingest_all(folder)
        assert found + list(one_by_one) == whole
        for kinds in (None, "decision", ["log", "belief"], "telepathy"):
            assert list(reader.each_event(kinds)) == reader.events(kinds)
            assert reader.count_events(kinds) == len(reader.events(kinds))
        assert reader.count_events("decision", episode=0) == DECISIONS
        assert reader.count_events(step=0) == len(reader.events(step=0)) == 4
        assert list(reader.each_event("decision", episode=0)) == reader.events("decision", episode=0)


def test_rows_that_earlier_versions_left_are_counted_by_what_they_say(folder: RunFolder) -> None:
    filled(folder, 1)
    db = schema.open_writer(folder.store)
    line = b'{"type":"decision","episode_id":"%b.0.0","step":0}' % PRODUCER.encode()
    db.execute("INSERT INTO events VALUES (99, 'decision', ?)", (line,))
    db.close()
    with StoreReader(folder) as reader:
        assert reader.count_events("decision", episode=0) == DECISIONS + 1
        assert reader.count_events("decision", episode=0, step=1) == 1
        assert reader.events("decision", episode=0, step=0)[-1].seq == 99
