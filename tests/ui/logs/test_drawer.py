"""The log drawer: follows the run in focus, holds still when scrolled up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextCursor

from mosaic.ui.parts import make_logs
from mosaic.ui.shell.theme import tone
from tests.ui.looks import themed
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from mosaic.ui.logs.drawer import LogDrawer
    from mosaic.ui.shell.context import Context


@pytest.fixture
def drawer(qtbot: QtBot, context: Context) -> LogDrawer:
    for number in (1, 2):
        context.root.run(run_id(number)).path.mkdir(parents=True)
    context.runs.update([row(1), row(2)])
    made = make_logs(context)
    qtbot.addWidget(made)
    made.resize(600, 160)
    made.show()
    return made


def write(context: Context, number: int, text: str, *, stderr: bool = False) -> None:
    folder = context.root.run(run_id(number))
    with (folder.stderr if stderr else folder.stdout).open("a") as file:
        file.write(text)


def shows(qtbot: QtBot, drawer: LogDrawer, text: str) -> None:
    qtbot.waitUntil(lambda: drawer.text.toPlainText() == text, timeout=30_000)


def test_it_shows_both_streams_of_the_run_in_focus_as_they_grow(
    qtbot: QtBot, drawer: LogDrawer, context: Context
) -> None:
    assert "Choose a run" in drawer.whose.text()
    context.selection.choose([run_id(1)])
    assert "nothing written yet" in drawer.whose.text()
    write(context, 1, "one\n<b>two</b>\n")
    shows(qtbot, drawer, "one\n<b>two</b>")
    write(context, 1, "bad\n", stderr=True)
    shows(qtbot, drawer, "one\n<b>two</b>\nbad")
    write(context, 1, "half")
    qtbot.waitUntil(lambda: drawer.partial.text() == "half", timeout=30_000)
    write(context, 1, " whole\n")
    shows(qtbot, drawer, "one\n<b>two</b>\nbad\nhalf whole")
    assert drawer.whose.text() == "run-1: 4 lines"
    context.selection.choose([run_id(2)])
    assert drawer.text.toPlainText() == ""


def test_lines_can_be_filtered_by_text_and_stream(qtbot: QtBot, drawer: LogDrawer, context: Context) -> None:
    write(context, 1, "alpha\nbeta\n")
    write(context, 1, "Alpha too\n", stderr=True)
    context.selection.choose([run_id(1)])
    shows(qtbot, drawer, "alpha\nbeta\nAlpha too")
    drawer.filter.setText("ALPHA")
    assert drawer.text.toPlainText() == "alpha\nAlpha too"
    drawer.streams.setCurrentIndex(2)
    assert drawer.text.toPlainText() == "Alpha too"
    drawer.filter.clear()
    drawer.streams.setCurrentIndex(0)
    assert drawer.text.toPlainText() == "alpha\nbeta\nAlpha too"


def test_scrolled_up_it_holds_still_and_catches_up_when_asked(
    qtbot: QtBot, drawer: LogDrawer, context: Context
) -> None:
    write(context, 1, "".join(f"{number}\n" for number in range(200)))
    context.selection.choose([run_id(1)])
    qtbot.waitUntil(lambda: drawer.text.blockCount() == 200, timeout=30_000)
    bar = drawer.text.verticalScrollBar()
    assert bar.value() == bar.maximum()
    bar.setSliderDown(True)
    bar.setValue(3)
    bar.setSliderDown(False)
    assert not drawer.following
    write(context, 1, "new\n")
    qtbot.waitUntil(lambda: drawer.follow.text() == "1 new", timeout=30_000)
    assert (bar.value(), drawer.text.blockCount()) == (3, 200)
    drawer.follow.click()
    assert drawer.text.toPlainText().endswith("199\nnew")
    assert bar.value() == bar.maximum()


def test_asked_to_follow_with_nothing_new_it_goes_to_the_end(
    qtbot: QtBot, drawer: LogDrawer, context: Context
) -> None:
    write(context, 1, "".join(f"{number}\n" for number in range(200)))
    context.selection.choose([run_id(1)])
    qtbot.waitUntil(lambda: drawer.text.blockCount() == 200, timeout=30_000)
    drawer.follow.click()
    bar = drawer.text.verticalScrollBar()
    bar.setValue(3)
    drawer.follow.click()
    assert bar.value() == bar.maximum() > 3


def test_it_holds_no_more_lines_than_it_says(qtbot: QtBot, drawer: LogDrawer, context: Context) -> None:
    write(context, 1, "x\n" * 7000)
    context.selection.choose([run_id(1)])
    qtbot.waitUntil(lambda: "2,000 older lines" in drawer.whose.text(), timeout=30_000)
    assert drawer.text.blockCount() == 5000


def colour_of_line(drawer: LogDrawer, number: int) -> str:
    cursor = QTextCursor(drawer.text.document().findBlockByNumber(number))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    return str(cursor.charFormat().foreground().color().name())


def test_another_theme_colours_the_lines_that_are_there_and_moves_nothing(
    qtbot: QtBot, qapp: QApplication, drawer: LogDrawer, context: Context
) -> None:
    with themed(qapp) as theme:
        write(context, 1, "".join(f"{number}\n" for number in range(200)), stderr=True)
        context.selection.choose([run_id(1)])
        qtbot.waitUntil(lambda: drawer.text.blockCount() == 200, timeout=30_000)
        light = tone("warn").name()
        assert colour_of_line(drawer, 7) == light
        drawer.follow.click()
        drawer.text.verticalScrollBar().setValue(3)
        write(context, 1, "new\n")
        qtbot.waitUntil(lambda: drawer.follow.text() == "1 new", timeout=30_000)
        theme.choose("dark")
        assert tone("warn").name() != light
        qtbot.waitUntil(lambda: colour_of_line(drawer, 7) == tone("warn").name(), timeout=30_000)
        assert (drawer.text.verticalScrollBar().value(), drawer.text.blockCount()) == (3, 200)
        assert drawer.follow.text() == "1 new"
