"""Verify: agreement is silence, and every kind of difference is found and located."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import numpy as np
import pytest

from mosaic.store import chunks, values
from mosaic.store.recount import lines_of
from mosaic.store.schema import open_writer
from mosaic.store.verify import verify
from tests.store.journals import PRODUCER, Segments, end_run, ingest_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import RunFolder


@pytest.fixture
def stored(folder: RunFolder) -> RunFolder:
    worker = Segments(folder)
    for k in range(6):
        worker.episode(k, 10)
    worker.add({"type": "metric", "name": "m", "value": 0.5}, {"type": "checkpoint", "path": "p"})
    worker.add({"type": "log", "text": "x"}, {"type": "later"})
    worker.add({"type": "decision", "episode_id": f"{PRODUCER}.0.1", "step": 3, "verdict": "veto", "t": 2.0})
    worker.add({"type": "decision", "proposed": 1e22, "level": None, "ms": 0.0, "t": 0})
    worker.add({"type": "belief", "episode_id": "b", "step": 0, "add": ["at(3)"], "intentions": []})
    worker.raw(b"odd\n")
    worker.write()
    end_run(folder)
    ingest_all(folder, settle=True)
    assert verify(folder) == []
    return folder


def tampered(folder: RunFolder, *statements: str) -> list[str]:
    db = open_writer(folder.store)
    for statement in statements:
        db.execute(statement)
    db.close()
    return [str(difference) for difference in verify(folder)]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE metrics SET value = 0.25", "metric 'm'"),
        ("DELETE FROM metrics", "metric 'm'"),
        ("DELETE FROM checkpoints", "checkpoints listed"),
        ("DELETE FROM events WHERE kind = 'log'", "log events"),
        ("UPDATE events SET data = CAST(replace(data, 'x', 'y') AS BLOB) WHERE kind = 'log'", "log events"),
        (
            "UPDATE events SET data = CAST(replace(data, '}', ',\"a\":1}') AS BLOB) WHERE kind = 'later'",
            "later events",
        ),
        ("DELETE FROM decisions WHERE seq = (SELECT max(seq) FROM decisions)", "decision events"),
        ("UPDATE decisions SET step = 4 WHERE step = 3", "decision events"),
        ("UPDATE decisions SET number = 2 WHERE number = 1", "decision events"),
        ("UPDATE decisions SET t = 2.0000000000000004 WHERE t = 2.0", "decision events"),
        ("UPDATE decisions SET data = CAST(replace(data, 'veto', 'allow') AS BLOB)", "decision events"),
        ("UPDATE decisions SET data = CAST(replace(data, '0.0', 'null') AS BLOB)", "decision events"),
        ("UPDATE decisions SET data = x'ff'", "decision events"),
        ("DELETE FROM beliefs", "belief events"),
        ("DROP TABLE beliefs", "belief events"),
        ("UPDATE episodes SET return_ = 9.5 WHERE idx = 3", "roll-up of episode 3"),
        ("UPDATE episodes SET steps = 9 WHERE idx = 3", "roll-up of episode 3"),
        ("DELETE FROM episodes WHERE idx = 2", f"episode '{PRODUCER}.0.2'"),
        ("UPDATE episodes SET number = 77 WHERE idx = 2", f"episode 2 ({PRODUCER}.0.77)"),
        ("UPDATE episodes SET pack = NULL WHERE idx = 1", f"step 0 of episode '{PRODUCER}.0.1'"),
    ],
)
def test_a_changed_row_is_found(stored: RunFolder, statement: str, said: str) -> None:
    assert any(said in line for line in tampered(stored, statement))


def _other_reward(steps: chunks.Steps) -> None:
    steps.reward[13] = 1.0000000000000002


def _other_time(steps: chunks.Steps) -> None:
    steps.t[13] = -0.0


def _other_flag(steps: chunks.Steps) -> None:
    steps.flags[13] = chunks.TRUNCATED


def _other_action(steps: chunks.Steps) -> None:
    assert isinstance(steps.action, values.Ints)
    steps.action.data[13] = 5


def _other_obs(steps: chunks.Steps) -> None:
    assert isinstance(steps.obs, values.Arrays)
    steps.obs.data[13, 0] ^= 1


@pytest.mark.parametrize("change", [_other_reward, _other_time, _other_flag, _other_action, _other_obs])
def test_one_changed_value_of_one_step_is_found_and_located(
    stored: RunFolder, change: Callable[[chunks.Steps], None]
) -> None:
    db = open_writer(stored.store)
    blob = db.execute("SELECT data FROM chunks").get
    chunk = chunks.decode(blob)
    steps = chunks.take(chunk.steps, np.arange(len(chunk.steps)))
    change(steps)
    db.execute(
        "UPDATE chunks SET data = ?", (chunks.encode(chunk.episodes, chunk.counts, steps, chunk.resets),)
    )
    db.close()
    (difference,) = verify(stored)
    assert difference.what.startswith(f"step 3 of episode '{PRODUCER}.0.1' ({PRODUCER}-0000.jsonl at byte ")
    assert difference.journal != difference.store


def test_lines_never_ingested_are_found_once_the_run_has_ended(stored: RunFolder) -> None:
    worker = Segments(stored, producer="p9x00000000")
    worker.write()
    assert [str(each) for each in verify(stored)] == [
        "lines of p9x00000000-0000.jsonl behind the store's cursor: the journal says 1, the store says 0"
    ]


def test_a_cursor_that_skipped_lines_is_found(stored: RunFolder) -> None:
    worker = Segments(stored, producer="p9x00000000")
    worker.episode(0, 3)
    worker.write()
    found = tampered(
        stored, "INSERT INTO sources (name, cursor, done) VALUES ('p9x00000000-0000.jsonl', 100000, 1)"
    )
    assert any(line.startswith("steps: the journal says 63, the store says 60") for line in found)


def test_verify_does_not_write(stored: RunFolder) -> None:
    before = stored.store.read_bytes()
    verify(stored)
    assert stored.store.read_bytes() == before
    with pytest.raises(apsw.ReadOnlyError):
        apsw.Connection(str(stored.store), flags=apsw.SQLITE_OPEN_READONLY).execute("DELETE FROM events")


def test_an_event_that_was_put_aside_as_odd_is_found(stored: RunFolder) -> None:
    places = {
        line: (source, offset)
        for source, offset, line in lines_of(stored, {f"{PRODUCER}-0000.jsonl": (1 << 40, True)}, {})
    }
    source, offset = next(place for line, place in places.items() if line and b'"metric"' in line)
    said = tampered(stored, f"UPDATE quarantine SET offset = {offset}")
    assert f"line of {source} at byte {offset}: the journal says an event, the store says quarantined" in said
