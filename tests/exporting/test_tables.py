"""A run as tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from mosaic.exporting import tables
from mosaic.store.reader import StoreReader
from mosaic.store.schema import open_writer
from tests.exporting.conftest import ARRAY
from tests.store.journals import Segments, ingest_all, make_run

if TYPE_CHECKING:
    from pathlib import Path


def test_every_row_has_the_columns_of_its_table(reader: StoreReader) -> None:
    for table, columns in tables.COLUMNS.items():
        assert all(list(row) == list(columns) for row in tables.rows(reader, table))


FIRST_COLUMNS = {
    "episodes": {
        "episode_id": str, "index": int, "env_index": int, "agent_id": str, "steps": int, "return": float,
        "seed": int, "outcome": str, "t_start": float, "t_end": float, "group": str, "env_id": str,
        "role": str,
    },
    "steps": {
        "episode_id": str, "index": int, "step": int, "action": object, "reward": float, "terminated": bool,
        "truncated": bool, "obs": object, "t": float, "agent_id": str, "turn": int, "rewards": object,
    },
    "metrics": {"name": str, "canonical": str, "value": float, "step": int, "t": float, "source": str},
}  # fmt: skip
"""As files have had them so far. Columns of today come after them: scripts count on the order."""


@pytest.mark.parametrize("table", FIRST_COLUMNS)
def test_columns_stay_where_they_were_and_hold_what_they_held(table: str) -> None:
    first = list(FIRST_COLUMNS[table].items())
    assert list(tables.COLUMNS[table].items())[: len(first)] == first
    assert "seq" not in tables.COLUMNS[table]


def test_steps_come_episode_by_episode(reader: StoreReader) -> None:
    steps = list(tables.rows(reader, "steps"))
    assert [(row["episode_id"], row["index"], row["step"]) for row in steps] == [
        ("a", 0, 0),
        ("a", 0, 1),
        ("b", 1, 0),
    ]
    assert steps[0]["obs"] == ARRAY
    assert math.isnan(steps[2]["reward"])


@pytest.mark.parametrize("page", [1, 2])
def test_pages_leave_out_nothing_and_double_nothing(
    reader: StoreReader, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {table: [str(row) for row in tables.rows(reader, table)] for table in tables.TABLES}
    monkeypatch.setattr(tables, "_PAGE", page)
    assert {table: [str(row) for row in tables.rows(reader, table)] for table in tables.TABLES} == whole
    assert {table: len(rows) for table, rows in whole.items() if rows} == {
        "episodes": 2, "steps": 3, "metrics": 4, "hello": 1, "log": 3,
    }  # fmt: skip


def test_events_are_rows_with_real_floats_and_their_names_in_json(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.add({"type": "decision", "episode_id": "e", "step": 1, "proposed": [1], "ms": "Infinity"})
    worker.add({"type": "belief", "add": ["a"], "del": ["b"], "t": 3.0})
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert tables.by_default(reader) == ["episodes", "steps", "metrics", "decisions", "beliefs"]
        (decision,) = tables.rows(reader, "decisions")
        (belief,) = tables.rows(reader, "beliefs")
    assert (decision["step"], decision["proposed"], decision["ms"]) == (1, [1], math.inf)
    assert (belief["add"], belief["del"], belief["t"]) == (["a"], ["b"], 3.0)


def test_a_run_without_decisions_is_three_tables_unless_asked(reader: StoreReader) -> None:
    assert tables.by_default(reader) == ["episodes", "steps", "metrics"]
    assert [row["text"] for row in tables.rows(reader, "log")] == ["0", "1", "2"]


def test_inline_arrays_are_written_out_and_checksums_stay() -> None:
    checksum = {"crc32": 1, "nd": "<f4", "shape": [9]}
    assert tables.plain_arrays({"a": [ARRAY, checksum]}) == {"a": [[0.5, "NaN"], checksum]}


@pytest.mark.parametrize(
    "odd",
    [
        {"nd": "<f4", "shape": [3], "b64": ARRAY["b64"]},
        {"nd": "|O", "shape": [1], "b64": "AAAAAAAAAAA="},
        {"nd": "nonsense", "shape": [1], "b64": ""},
        {"nd": "<f4", "shape": "x", "b64": "!"},
    ],
)
def test_what_only_looks_like_an_array_is_handed_on_as_it_came(odd: dict[str, object]) -> None:
    assert tables.plain_arrays(odd) == odd


def test_a_row_of_before_that_does_not_fit_its_kind_is_left_out_and_the_others_are_there(
    tmp_path: Path,
) -> None:
    folder = make_run(tmp_path)
    worker = Segments(folder)
    worker.add(
        {"type": "decision", "step": 1, "verdict": 5}, {"type": "decision", "step": 2, "verdict": "veto"}
    )
    worker.write()
    ingest_all(folder)
    db = open_writer(folder.store)
    db.execute("INSERT INTO events VALUES (99, 'decision', ?)", (b'{"type":"decision","step":"seven"}',))
    db.close()
    with StoreReader(folder) as reader:
        found = [(row["step"], row["verdict"]) for row in tables.rows(reader, "decisions")]
    assert found == [(1, None), (2, "veto")]


def test_an_episode_comes_with_what_its_reset_led_to(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    resets: list[dict[str, object]] = [{"episode_id": "a", "obs": ARRAY}, {"episode_id": "b"}]
    worker = Segments(folder)
    worker.add(*({"type": "reset", "t": 1.0, **one} for one in resets))
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [row["reset_observation"] for row in tables.rows(reader, "episodes")] == [ARRAY, None]
