"""Qt's door to the run table: what a line says, and that indexes stay with their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt

from mosaic.ui.runs.model.deletions import Deletions
from mosaic.ui.runs.model.table import RunTable
from mosaic.ui.runs.qt_model import RunModel
from mosaic.ui.shell.model.runs import RunList
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def runs() -> RunList:
    return RunList()


@pytest.fixture
def table(runs: RunList) -> RunTable:
    return RunTable(runs, Deletions())


@pytest.fixture
def model(qtbot: QtBot, table: RunTable, runs: RunList) -> RunModel:
    return RunModel(table, runs)


def test_a_run_is_shown_by_its_title_and_edited_by_its_name(model: RunModel, runs: RunList) -> None:
    runs.update([row(1, name=""), row(2, name="mine")])
    named, nameless = model.index_of(run_id(2)), model.index_of(run_id(1))
    assert (named.data(), named.data(Qt.ItemDataRole.EditRole)) == ("mine", "mine")
    assert nameless.data(Qt.ItemDataRole.EditRole) == ""
    assert nameless.data()
    assert "running" in named.data(Qt.ItemDataRole.AccessibleTextRole)
    assert named.data(Qt.ItemDataRole.DecorationRole) is None


def test_a_header_is_no_run_and_cannot_be_chosen(model: RunModel, table: RunTable, runs: RunList) -> None:
    runs.update([row(1, tags={"kind": "x"}), row(2, tags={"kind": "x"})])
    table.set_group("tag:kind")
    header = model.index(0, 0)
    assert model.row_of(header) is None
    assert not header.flags() & Qt.ItemFlag.ItemIsSelectable
    assert model.index(1, 0).flags() & Qt.ItemFlag.ItemIsSelectable
    assert header.data(Qt.ItemDataRole.AccessibleTextRole).endswith("2 runs, open")
    assert model.rowCount() == 3


def test_an_index_stays_with_its_run_and_ends_when_the_run_is_hidden(
    model: RunModel, table: RunTable, runs: RunList
) -> None:
    runs.update([row(1, name="alpha"), row(2, name="beta")])
    kept = QPersistentModelIndex(model.index_of(run_id(1)))
    assert kept.row() == 1
    runs.update([row(3, name="gamma")])
    assert (kept.row(), model.row_of(kept)) == (2, runs.get(run_id(1)))
    table.set_filter("beta")
    assert not kept.isValid()
    assert not model.index_of(run_id(1)).isValid()
    assert model.index_of(run_id(2)).row() == 0
