"""The one list of the kinds of events: complete, and what the rest is made from."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec
import pytest

from mosaic.exporting import tables
from mosaic.protocol.events import EVENT_TYPES, Decision, Log
from mosaic.store.kinds import BY_STEP, KINDS, LISTED, SHARED_TABLE, Kind, as_markdown

ROOT = Path(__file__).parents[2]


def test_every_kind_of_the_protocol_is_described_once() -> None:
    assert {name: kind.event for name, kind in KINDS.items()} == EVENT_TYPES


def test_a_kind_is_either_listed_by_mosaic_events_or_says_who_reads_it() -> None:
    assert {name for name, kind in KINDS.items() if kind.read_with} == {
        "reset", "step", "episode", "metric", "checkpoint",
    }  # fmt: skip
    assert all(kind.table != SHARED_TABLE for kind in KINDS.values() if kind.read_with or kind.by_step)
    assert len({kind.table for kind in BY_STEP.values()}) == len(BY_STEP)


@pytest.mark.parametrize("kind", BY_STEP.values(), ids=lambda kind: kind.name)
def test_what_is_found_by_step_has_an_episode_a_step_and_may_leave_out_both(kind: Kind) -> None:
    fields = {field.name: field for field in msgspec.structs.fields(kind.event)}
    assert fields["episode_id"].type == str | None
    assert fields["step"].type == int | None
    assert not fields["episode_id"].required
    assert not fields["step"].required


def test_fields_are_columns_with_what_they_hold() -> None:
    columns = Kind(event=Decision).columns
    assert "seq" not in columns
    assert (columns["step"], columns["verdict"], columns["ms"], columns["t"]) == (int, str, float, float)
    assert (columns["proposed"], columns["data"]) == (object, object)
    assert KINDS["belief"].columns["del"] is object
    assert {KINDS["hello"].columns[name] for name in ("argv", "packages")} == {object}
    assert KINDS["artifacts"].columns["files"] is object
    assert (KINDS["hello"].columns["python"], KINDS["episode"].columns["env_index"]) == (str, int)
    assert KINDS["decision"].floats == ("ms", "t")
    assert Kind(event=Log).columns == {"text": str, "level": str, "t": float}


def test_every_listed_kind_is_a_table_of_an_export() -> None:
    assert {"decisions", "beliefs", "config", "log", "artifacts"} <= set(tables.TABLES)
    assert len(tables.TABLES) == 3 + len(LISTED)


def test_the_documentation_holds_the_table() -> None:
    text = (ROOT / "docs" / "events.md").read_text()
    assert as_markdown() in text


def test_no_other_module_lists_the_kinds() -> None:
    """One more kind must not mean one more line anywhere else."""
    names = set(BY_STEP) | {"artifacts", "bye"}
    found = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "mosaic").rglob("*.py")
        if any(
            isinstance(node, ast.Constant) and node.value in names
            for node in ast.walk(ast.parse(path.read_text()))
        )
    }
    assert found == {"mosaic/protocol/events.py"}
