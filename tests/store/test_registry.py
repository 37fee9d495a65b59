from __future__ import annotations

import math
import stat
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import StoreError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ExitRecord, RunRow, RunState
from mosaic.store.registry import Entry, Registry, read_entries, read_runs

if TYPE_CHECKING:
    from pathlib import Path


def row(number: int, state: RunState = RunState.RUNNING, last_return: float | None = None) -> RunRow:
    return RunRow(
        run_id=f"{number:026d}", name="a", state=state, reason="r", created=1.5, command=["x", "y"],
        tags={"k": "v"}, exit=ExitRecord(code=3), last_return=last_return,
    )  # fmt: skip


def test_a_registry_gives_back_its_rows_to_readers_while_it_is_open(home: Path) -> None:
    root = DataRoot(home)
    registry = Registry(root)
    assert registry.renewed
    registry.put([Entry(row(2), False), Entry(row(1, RunState.FAILED), True)])
    assert read_runs(root) == [row(1, RunState.FAILED), row(2)]
    assert [entry.settled for entry in read_entries(root.registry)] == [True, False]
    registry.put([Entry(row(2, RunState.FINISHED), True)])
    registry.remove(row(1).run_id)
    assert read_runs(root) == [row(2, RunState.FINISHED)]
    registry.close()
    registry.close()
    assert read_runs(root) == [row(2, RunState.FINISHED)]
    again = Registry(root)
    assert not again.renewed
    assert list(again.entries()) == [row(2).run_id]
    again.close()


def test_a_return_that_is_not_a_number_survives(home: Path) -> None:
    registry = Registry(DataRoot(home))
    registry.put([Entry(row(1, last_return=math.nan), False), Entry(row(2, last_return=-math.inf), False)])
    registry.close()
    first, second = read_runs(DataRoot(home))
    assert math.isnan(first.last_return or 0.0)
    assert second.last_return == -math.inf


@pytest.mark.parametrize("content", [b"", b"this is no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_registry_lists_nothing_and_is_made_anew(home: Path, content: bytes) -> None:
    root = DataRoot(home)
    root.registry.write_bytes(content)
    assert read_runs(root) == []
    registry = Registry(root)
    registry.put([Entry(row(1), False)])
    registry.close()
    assert read_runs(root) == [row(1)]


def test_a_registry_of_another_format_is_made_anew(home: Path) -> None:
    root = DataRoot(home)
    registry = Registry(root)
    registry.put([Entry(row(1), False)])
    registry._connection.pragma("user_version", 99)
    registry.close()
    newer = Registry(root)
    assert newer.renewed
    assert newer.entries() == {}
    newer.close()


def test_no_registry_lists_nothing(home: Path) -> None:
    assert read_runs(DataRoot(home)) == []
    assert not DataRoot(home).registry.exists()


def test_its_files_are_private(home: Path) -> None:
    registry = Registry(DataRoot(home))
    registry.put([Entry(row(1), False)])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3
    registry.close()


def test_writing_to_a_closed_registry_is_an_error_of_ours(home: Path) -> None:
    registry = Registry(DataRoot(home))
    registry.close()
    with pytest.raises(StoreError, match="made anew"):
        registry.put([Entry(row(1), False)])
