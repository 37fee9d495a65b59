"""The latest episodes that count, read from rows: for old stores, and when the roll-up lost its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mosaic.store.glance import glance
from mosaic.store.reader import StoreReader
from mosaic.store.recent import read_recent, read_state
from mosaic.store.schema import open_reader, open_writer
from mosaic.store.verify import verify
from tests.store.journals import Segments, end_run, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def ended(number: int, *, role: str | None = None, steps: int = 1, outcome: str = "terminated") -> list[Any]:
    name = f"e{number}"
    reset = {"type": "reset", "episode_id": name, "t": 1.0 + number}
    told = {
        "type": "episode",
        "episode_id": name,
        "steps": steps,
        "return": float(number),
        "outcome": outcome,
    }
    return [reset | ({"role": role} if role else {}), {**told, "t": 2.0 + number}]


@pytest.mark.parametrize("count", [0, 3, 700])
def test_rows_and_roll_up_say_the_same(folder: RunFolder, count: int) -> None:
    worker = Segments(folder)
    for k in range(count):
        worker.add(
            *ended(k, role=(None, "train", "eval")[k % 3], steps=k % 5, outcome=("cut", "truncated")[k % 2])
        )
    worker.write()
    ingest_all(folder)
    db = open_reader(folder.store)
    state = read_state(db)
    assert read_recent(db, state) == state.recent_returns
    db.close()
    assert verify(folder) == []


def test_an_episode_that_began_first_and_ended_last_is_the_last_among_the_newest(folder: RunFolder) -> None:
    worker = Segments(folder)
    begun, over = ended(1000)
    worker.add(begun)
    for k in range(700):
        worker.add(*ended(k))
    worker.add(over)
    worker.write()
    summary = ingest_all(folder)
    assert (summary.last_return, summary.mean_return_100) == (1000.0, (sum(range(601, 700)) + 1000) / 100)
    db = open_reader(folder.store)
    state = read_state(db)
    assert read_recent(db, state) == state.recent_returns
    db.close()


def as_before(folder: RunFolder) -> None:
    """Make a store's roll-up what version 0.1 wrote: returns of everything that ended, and no roles."""
    db = open_writer(folder.store)
    state = msgspec.msgpack.decode(db.execute("SELECT data FROM state").get)
    for name in ("recent_returns", "train_episodes", "eval_episodes"):
        del state[name]
    state["recent"] = [0.0] * 100
    db.execute("UPDATE state SET data = ?", (msgspec.msgpack.encode(state),))
    db.close()


def test_a_store_of_version_0_1_tells_returns_by_the_rule_and_goes_on_from_there(folder: RunFolder) -> None:
    worker = Segments(folder)
    for k in range(300):
        worker.add(*ended(k))
    worker.add(*ended(300, outcome="cut"), *ended(301, steps=0))
    worker.write()
    ingest_all(folder)
    as_before(folder)
    before = folder.store.read_bytes()
    summary = glance(folder)
    assert summary is not None
    assert (summary.last_return, summary.mean_return_100) == (299.0, sum(range(200, 300)) / 100)
    with StoreReader(folder) as reader:
        assert reader.summary() == summary
    assert folder.store.read_bytes() == before
    worker.add(*ended(302))
    worker.write()
    end_run(folder)
    assert ingest_all(folder, settle=True).mean_return_100 == (sum(range(201, 300)) + 302) / 100
    assert verify(folder) == []


def test_an_episode_that_turns_out_to_be_cut_makes_room_for_the_one_before_the_hundred(
    folder: RunFolder,
) -> None:
    worker = Segments(folder)
    for k in range(101):
        worker.add(*ended(k))
    worker.write()
    ingest_all(folder)
    worker.add({"type": "episode", "episode_id": "e50", "steps": 1, "outcome": "cut"})
    worker.write()
    assert ingest_all(folder).mean_return_100 == (sum(range(101)) - 50) / 100
    assert verify(folder) == []
