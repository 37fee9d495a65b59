"""Verify: agreement is silence, and every kind of difference is found and located."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store import chunks, recount, values
from mosaic.store.reader import StoreReader
from mosaic.store.recount import lines_of
from mosaic.store.schema import open_writer
from mosaic.store.seal import seal
from mosaic.store.sources import STDOUT, list_sources
from mosaic.store.verify import verify
from tests.store.journals import PRODUCER, Segments, end_run, ingest_all, make_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import RunFolder


@pytest.fixture
def stored(folder: RunFolder) -> RunFolder:
    worker = Segments(folder)
    for k in range(6):
        worker.episode(k, 10)
    worker.episode(6, 4, close=False)
    worker.add({"type": "metric", "name": "m", "value": 0.5})
    worker.add({"type": "checkpoint", "path": "p", "sha256": "aa", "step": 3, "t": 0.1, "later": 1})
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
        ("UPDATE episodes SET return_ = 9.5 WHERE idx = 3", "return of episode 3 ("),
        ("UPDATE episodes SET steps = 9 WHERE idx = 3", "steps of episode 3 ("),
        ("UPDATE episodes SET flags = 3 | 2 << 2 WHERE idx = 3", "outcome of episode 3 ("),
        ("UPDATE episodes SET flags = 3 WHERE idx = 3", "outcome of episode 3 ("),
        ("UPDATE episodes SET flags = flags | (2 << 4) WHERE idx = 3", "role of episode 3 ("),
        ("UPDATE episodes SET return_ = 9.5 WHERE idx = 5", "last return"),
        ("UPDATE episodes SET return_ = 9.5 WHERE idx = 5", "mean return"),
        ("UPDATE episodes SET t_start = 100.00000000000001 WHERE idx = 3", "t_start of episode 3 ("),
        ("UPDATE episodes SET t_end = t_end + 1 WHERE idx = 3", "t_end of episode 3 ("),
        ("UPDATE episodes SET env_index = 2 WHERE idx = 3", "env_index of episode 3 ("),
        ("UPDATE episodes SET rest = x'9107' WHERE idx = 3", "seed of episode 3 ("),
        ("UPDATE episodes SET rest = x'92c0a161' WHERE idx = 3", "agent_id of episode 3 ("),
        ("UPDATE episodes SET rest = x'93c0c0a167' WHERE idx = 3", "group of episode 3 ("),
        ("UPDATE envs SET env_id = 'Acrobot-v1'", "env_id of episode 3 ("),
        ("UPDATE envs SET data = CAST(replace(data, '{}', '{\"g\":1}') AS BLOB)", "reset of episode 3 ("),
        ("UPDATE episodes SET return_ = -return_ WHERE idx = 6", "return of episode 6 ("),
        ("UPDATE episodes SET steps = 3 WHERE idx = 6", "steps of episode 6 ("),
        ("UPDATE checkpoints SET path = 'q'", "checkpoints listed"),
        ("UPDATE checkpoints SET sha256 = 'ab'", "checkpoints listed"),
        ("UPDATE checkpoints SET step = 4", "checkpoints listed"),
        ("UPDATE checkpoints SET meta = x'7b2261223a317d'", "checkpoints listed"),
        ("DELETE FROM episodes WHERE idx = 2", f"episode '{PRODUCER}.0.2'"),
        ("UPDATE episodes SET number = 77 WHERE idx = 2", f"episode 2 ({PRODUCER}.0.77)"),
        ("UPDATE episodes SET pack = NULL WHERE idx = 1", f"step 0 of episode '{PRODUCER}.0.1'"),
    ],
)
def test_a_changed_row_is_found(stored: RunFolder, statement: str, said: str) -> None:
    assert any(said in line for line in tampered(stored, statement))


def test_episodes_that_have_changed_places_are_found(stored: RunFolder) -> None:
    lines = stored.order.read_bytes().splitlines(keepends=True)
    stored.order.write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    said = [str(difference) for difference in verify(stored)]
    assert [line.partition(" (")[0] for line in said] == ["index of episode 0", "index of episode 1"]


LINES: list[dict[str, Any]] = [
    {"type": "reset", "env_key": "k", "env": {"id": "A-v1"}, "t": 1.5},
    {"type": "reset", "env_key": "k", "env_index": 3, "agent_id": "red", "group": "g", "seed": 1 << 70},
    {"type": "reset", "env_key": "k", "env": {"id": "B-v1"}, "t": "NaN", "seed": 5},
    {"type": "reset", "env_key": "k", "role": "train"},
    {"type": "reset", "env_key": "k", "role": "eval"},
    {"type": "reset", "env_key": "k", "role": "tournament"},
    {"type": "reset", "env_key": "k", "role": ["eval"]},
    {"type": "step", "step": 0, "reward": 0.1, "t": 2.0},
    {"type": "step", "step": 1, "reward": "-Infinity", "t": 2.5, "terminated": True},
    {"type": "step", "step": 2, "reward": 0.2, "t": 3.5, "truncated": True},
    {"type": "step", "step": 3, "reward": 0.3, "t": 4.5, "terminated": True, "truncated": True},
    {"type": "episode", "steps": 2, "return": 0.3, "t": 9.0},
    {"type": "episode", "steps": 7, "return": -0.0, "outcome": "cut", "t_start": 0.5, "t_end": "NaN"},
    {"type": "episode", "steps": 1, "outcome": "resigned", "env_index": 8, "agent_id": "blue", "seed": 0},
    {"type": "episode", "steps": 1, "outcome": "", "t_end": -0.0},
]


@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from("abc")), max_size=16), st.integers(1, 4))
def test_what_ingest_works_out_is_worked_out_again(said: list[tuple[dict[str, Any], str]], size: int) -> None:
    """Cut episodes, none or several resets, ends without steps, steps after ends; stored piece by piece."""
    with tempfile.TemporaryDirectory() as parent:
        folder = make_run(Path(parent))
        worker = Segments(folder)
        for at, (line, episode_id) in enumerate(said):
            worker.add({**line, "episode_id": episode_id})
            if at % size == size - 1:
                worker.write()
                ingest_all(folder)
        worker.write()
        ingest_all(folder)
        assert verify(folder) == []


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


def test_the_components_of_a_reward_are_read_back_and_their_loss_is_found(folder: RunFolder) -> None:
    worker = Segments(folder)
    paid = [[1.0, -2.5], None, [0.5, "NaN"]]
    for number, rewards in enumerate(paid):
        more = {} if rewards is None else {"rewards": rewards}
        worker.add({"type": "step", "episode_id": "e", "step": number, "reward": -1.5, "t": 1.0, **more})
    worker.write()
    end_run(folder)
    ingest_all(folder, settle=True)
    assert verify(folder) == []
    with StoreReader(folder) as reader:
        assert [step.rewards for step in reader.steps(0)] == paid
        assert reader.summary().unknown == 0
    db = open_writer(folder.store)
    chunk = chunks.decode(db.execute("SELECT data FROM chunks").get)
    lost = dataclasses.replace(chunk.steps, rewards=values.Same(b"null", 3))
    db.execute("UPDATE chunks SET data = ?", (chunks.encode(chunk.episodes, chunk.counts, lost, [b""]),))
    db.close()
    (difference,) = verify(folder)
    assert difference.what.startswith("step 0 of episode 'e'")


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
    assert any(line.startswith("steps: the journal says 67, the store says 64") for line in found)


@pytest.mark.parametrize("when", ["before it is looked at", "before it is opened"])
def test_a_segment_that_is_sealed_while_the_journal_is_read_is_read_all_the_same(
    stored: RunFolder, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    def sealed_after(listing: Callable[..., Any]) -> Callable[..., Any]:
        def listed(*given: Any) -> Any:
            found = listing(*given)
            found = found if isinstance(found, dict) else list(found)
            for source in list_sources(stored):
                if not source.sealed and source.name != STDOUT:
                    seal(source, length=source.path.stat().st_size)
            return found

        return listed

    if when == "before it is opened":
        monkeypatch.setattr(recount, "_files", sealed_after(recount._files))
    else:
        monkeypatch.setattr(Path, "glob", sealed_after(Path.glob))
    assert verify(stored) == []
    assert [path.name for path in stored.journal.iterdir() if path.suffix == ".jsonl"] == []


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
