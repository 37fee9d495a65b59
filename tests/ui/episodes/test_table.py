"""The table of episodes: cells from columns, rows by their order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from mosaic.ui.episodes.model import COLUMNS, Episodes
from mosaic.ui.episodes.table import EpisodeTable
from mosaic.ui.shell.model.numbers import clock

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

NOW = 1_790_000_000.0


def episodes() -> Episodes:
    """Episodes 4, 7 and 9; the last one still runs."""
    return Episodes(
        index=np.array([4, 7, 9]),
        return_=np.array([1.5, -2.0, 0.0]),
        steps=np.array([10, 12_345, 3]),
        outcome=np.array([1, 1, 2], np.int32),
        role=np.array([4, 0, 0], np.int32),
        mark=np.zeros(3, np.int32),
        seed=np.array([7.0, math.nan, math.nan]),
        env=np.array([3, 3, 3], np.int32),
        agent=np.array([0, 0, 0], np.int32),
        t_end=np.array([NOW, NOW + 60, math.nan]),
        texts=("", "terminated", "running", "Bad\x1b-v0", "eval"),
    )


def cells(table: EpisodeTable, row: int) -> dict[str, str]:
    return {name: table.index(row, column).data() for column, name in enumerate(COLUMNS)}


def test_a_cell_says_what_there_is_and_nothing_where_there_is_nothing(qtbot: QtBot) -> None:
    table = EpisodeTable()
    table.show(episodes(), np.array([2, 0]))
    running, first = cells(table, 0), cells(table, 1)
    assert (running["index"], running["outcome"], running["seed"], running["ended"]) == (
        "9",
        "running",
        "",
        "",
    )
    assert (first["index"], first["return"], first["role"], first["seed"]) == ("4", "1.5", "eval", "7")
    assert first["ended"] == clock(NOW)[-8:]
    assert "\x1b" not in first["env"]
    ended = table.index(1, COLUMNS.index("ended"))
    assert ended.data(Qt.ItemDataRole.ToolTipRole) == clock(NOW)
    assert len(clock(NOW)) > len(first["ended"])


def test_an_episode_is_found_by_its_index_wherever_it_stands(qtbot: QtBot) -> None:
    table = EpisodeTable()
    assert (table.episode_at(0), table.row_of(4)) == (None, None)
    table.show(episodes(), np.array([2, 0]))
    assert [table.episode_at(row) for row in (0, 1, 2, -1)] == [9, 4, None, None]
    assert (table.row_of(9), table.row_of(4)) == (0, 1)
    assert table.row_of(7) is None, "filtered out"
    assert table.row_of(8) is None, "there is none, though its place is taken"
    assert table.row_of(10) is None, "there is none yet"


def test_qt_is_told_of_every_row_that_comes_goes_or_changes(qtbot: QtBot) -> None:
    table = EpisodeTable()
    told: list[tuple[str, int, int]] = []
    table.rowsInserted.connect(lambda _, first, last: told.append(("came", first, last)))
    table.rowsRemoved.connect(lambda _, first, last: told.append(("went", first, last)))
    table.dataChanged.connect(lambda first, last: told.append(("changed", first.row(), last.row())))
    table.show(episodes(), np.array([0, 1]))
    table.show(episodes(), np.array([2, 1, 0]))
    table.show(episodes(), np.array([1]))
    table.show(None, np.empty(0, np.int64))
    assert told == [
        ("came", 0, 1), ("came", 2, 2), ("changed", 0, 1), ("went", 1, 2), ("changed", 0, 0), ("went", 0, 0),
    ]  # fmt: skip
