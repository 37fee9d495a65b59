"""The episodes panel: lists, follows, sorts, filters, and asks for a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from mosaic.ui.episodes.model import COLUMNS
from mosaic.ui.parts import make_episodes
from mosaic.ui.shell.theme import tone
from tests.ui.looks import themed
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QColor
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from mosaic.ui.episodes.panel import EpisodesPanel
    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> Iterator[EpisodesPanel]:
    made = make_episodes(context)
    qtbot.addWidget(made)
    made.resize(400, 500)
    made.show()
    yield made
    made.hide()


def column(panel: EpisodesPanel, name: str) -> list[str]:
    model = panel.model
    return [str(model.index(row, COLUMNS.index(name)).data()) for row in range(model.rowCount())]


def choose(context: Context, run: Stored, *, ended: bool = True) -> None:
    context.runs.update([run.commit(ended=ended)])
    context.selection.choose([run.run_id])


def listed(qtbot: QtBot, panel: EpisodesPanel, indexes: list[str]) -> None:
    qtbot.waitUntil(lambda: column(panel, "index") == indexes, timeout=WAIT_MS)


def test_without_a_run_and_without_episodes_it_explains_itself(
    qtbot: QtBot, context: Context, panel: EpisodesPanel
) -> None:
    assert "Choose a run" in panel.said
    run = Stored(context.root)
    choose(context, run)
    qtbot.waitUntil(lambda: panel.said.startswith("No episode yet"), timeout=WAIT_MS)


def test_episodes_are_listed_newest_first_and_a_live_run_goes_on(
    qtbot: QtBot, context: Context, panel: EpisodesPanel
) -> None:
    run = Stored(context.root)
    run.episodes([1.5, 2.0])
    choose(context, run, ended=False)
    listed(qtbot, panel, ["1", "0"])
    assert column(panel, "return") == ["2", "1.5"]
    panel.table.selectRow(1)
    run.begin()
    context.runs.update([run.commit()])
    listed(qtbot, panel, ["2", "1", "0"])
    assert column(panel, "outcome")[0] == "running"
    assert panel.model.episode_at(panel.table.currentIndex().row()) == 0, "the chosen episode stays chosen"


def test_sorting_and_filtering(qtbot: QtBot, context: Context, panel: EpisodesPanel) -> None:
    run = Stored(context.root)
    run.episodes([3.0, 1.0, 2.0])
    choose(context, run)
    listed(qtbot, panel, ["2", "1", "0"])
    panel.table.horizontalHeader().sectionClicked.emit(COLUMNS.index("return"))
    listed(qtbot, panel, ["0", "2", "1"])
    panel.search.setText("return<2.5")
    listed(qtbot, panel, ["2", "1"])
    assert panel.said.startswith("2 of 3 episodes")
    panel.search.setText("return<x")
    assert "Try: return>100" in panel.said
    panel.search.setText("")
    listed(qtbot, panel, ["0", "2", "1"])


def test_best_worst_and_last_are_a_click_away_and_enter_replays(
    qtbot: QtBot, context: Context, panel: EpisodesPanel
) -> None:
    run = Stored(context.root)
    run.episodes([3.0, 9.0, -2.0, 4.0])
    choose(context, run)
    listed(qtbot, panel, ["3", "2", "1", "0"])
    asked: list[tuple[str, int | None]] = []
    context.asks.replay.connect(lambda run_id, index: asked.append((run_id, index)))
    for button in (panel.best, panel.worst, panel.last):
        button.click()
        panel.replay.click()
    assert asked == [(run.run_id, 1), (run.run_id, 2), (run.run_id, 3)]
    panel.best.click()
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    place = panel.table.visualRect(panel.model.index(3, 0)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked[3:] == [(run.run_id, 1), (run.run_id, 0)]


def test_another_run_in_focus_is_another_list(qtbot: QtBot, context: Context, panel: EpisodesPanel) -> None:
    first, second = Stored(context.root), Stored(context.root)
    first.episodes([1.0, 2.0])
    second.episodes([3.0])
    choose(context, first)
    listed(qtbot, panel, ["1", "0"])
    choose(context, second)
    listed(qtbot, panel, ["0"])
    assert column(panel, "return") == ["3"]
    context.selection.choose([])
    assert "Choose a run" in panel.said


def test_a_refused_filter_is_red_and_nothing_else_in_every_theme(
    qtbot: QtBot, qapp: QApplication, context: Context, panel: EpisodesPanel
) -> None:
    run = Stored(context.root)
    run.episodes([1.0])
    choose(context, run)
    listed(qtbot, panel, ["0"])

    def told() -> QColor:
        (label,) = [one for one in panel.findChildren(QLabel) if panel.said and one.text() == panel.said]
        return label.palette().windowText().color()

    with themed(qapp) as theme:
        plain = told()
        panel.search.setText("return<x")
        assert told() == tone("bad") != plain
        theme.choose("dark")
        qtbot.waitUntil(lambda: told() == tone("bad"), timeout=WAIT_MS)
        panel.search.setText("")
        text = qapp.palette().windowText().color()
        qtbot.waitUntil(lambda: told() == text, timeout=WAIT_MS)
        theme.choose("light")
        qtbot.waitUntil(lambda: told() == plain, timeout=WAIT_MS)
