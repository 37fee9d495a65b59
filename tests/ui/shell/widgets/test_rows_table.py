"""Tables of plain text: made when seen, copied by row, growing on top."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.ui.shell.widgets.rows_table import Rows, RowsTable


def made(qtbot: QtBot) -> RowsTable:
    table = RowsTable(Rows(("A", "B"), right=frozenset({0})), name="test", widths=(5, 5))
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    return table


def test_cells_are_made_only_for_rows_that_are_seen(qtbot: QtBot) -> None:
    table = made(qtbot)
    asked: set[int] = set()

    def cells(place: int) -> tuple[str, str]:
        asked.add(place)
        return str(place), "x"

    table.rows.fill(1_000_000, cells)
    table.grab()
    assert 0 in asked
    assert len(asked) < 200


def test_the_current_row_stays_with_its_text_when_rows_come_on_top(qtbot: QtBot) -> None:
    table = made(qtbot)
    table.rows.fill(3, lambda n: (f"row {3 - n}", ""))
    table.setCurrentIndex(table.rows.index(1, 0))
    table.rows.fill(5, lambda n: (f"row {5 - n}", ""))
    assert table.currentIndex().data() == "row 2"
    table.rows.replace(2, lambda n: (f"other {n}", ""))
    assert not table.currentIndex().isValid()
    table.rows.fill(1, lambda _: ())
    assert table.rows.index(0, 1).data() == ""


def test_a_column_is_as_wide_as_it_was_said(qtbot: QtBot) -> None:
    table = RowsTable(Rows(["a", "b", "c"]), name="widths", widths=(30, 5, 5))
    qtbot.addWidget(table)
    a_letter = table.fontMetrics().averageCharWidth()
    assert table.columnWidth(0) - table.columnWidth(1) == 25 * a_letter


def test_copy_takes_the_current_row(qtbot: QtBot) -> None:
    table = made(qtbot)
    table.rows.fill(2, lambda n: (f"a{n}", f"b{n}"))
    table.setCurrentIndex(table.rows.index(1, 0))
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "a1\tb1"
    QGuiApplication.clipboard().clear()


def test_letters_are_left_to_the_window(qtbot: QtBot) -> None:
    table = made(qtbot)
    table.rows.fill(2, lambda n: (f"k{n}", ""))
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_K, Qt.KeyboardModifier.NoModifier, "k")
    table.keyPressEvent(event)
    assert not event.isAccepted()


def test_numbers_stand_on_the_right_and_so_do_their_names(qtbot: QtBot) -> None:
    table = made(qtbot)
    rows = table.rows
    rows.fill(1, lambda _: ("1", "b"))
    role = Qt.ItemDataRole.TextAlignmentRole
    right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    assert rows.index(0, 0).data(role) == right == rows.headerData(0, Qt.Orientation.Horizontal, role)
    assert rows.index(0, 1).data(role) is None
