"""Two frames and two bars: in the colours of either theme, to the timeline's scale."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from mosaic.paths import RunFolder
from mosaic.ui.replay.beside_view import padded
from mosaic.ui.replay.tab import ReplayTab
from mosaic.ui.shell.context import Context
from tests.ui.looks import themed
from tests.ui.replay.test_beside import branch, original, side_by_side, tab
from tests.ui.replay.test_tab import replay

__all__ = ["branch", "original", "tab"]


def test_the_strip_marks_what_they_share_and_a_click_on_it_seeks(
    qtbot: QtBot, context: Context, tab: ReplayTab, original: RunFolder
) -> None:
    assert not tab.strip.isVisible()
    replay(qtbot, context, tab, original, 1)
    side_by_side(qtbot, tab)
    pair = tab.beside.pair
    assert pair is not None
    assert tab.strip.isVisible()
    image = tab.strip.grab().toImage()
    ratio = image.devicePixelRatio()

    def colour(position: float, line: int) -> str:
        return image.pixelColor(int(tab.timeline.x_of(position) * ratio), int((7 + 12 * line) * ratio)).name()

    alike, own = colour(1.5, 0), colour(pair.original.last - 0.5, 0)
    assert alike != own
    assert colour(1.5, 1) == alike
    assert colour(pair.branch.last - 0.5, 1) not in (alike, own)
    assert colour(pair.original.last - 0.5, 1) not in (alike, own)  # the branch has ended there
    where = QPoint(int(tab.timeline.x_of(4)), 5)
    QTest.mouseClick(tab.strip, Qt.MouseButton.LeftButton, pos=where)
    assert tab.transport.position == 4


def test_titles_have_the_colours_of_the_bars_in_either_theme(
    qtbot: QtBot, qapp: QApplication, context: Context, tab: ReplayTab, original: RunFolder
) -> None:
    with themed(qapp) as theme:
        replay(qtbot, context, tab, original, 1)
        side_by_side(qtbot, tab)
        titles = tab.beside_view.original.title, tab.beside_view.branch.title
        light = [title.styleSheet() for title in titles]
        assert light[0] != light[1]
        theme.choose("dark")
        qtbot.waitUntil(lambda: titles[0].styleSheet() != light[0], timeout=30_000)
        assert titles[1].styleSheet() not in (light[1], titles[0].styleSheet())


def test_rewards_on_a_longer_line_end_with_nothing() -> None:
    longer = padded(np.array([1.0, 2.0]), 4)
    assert longer[:2].tolist() == [1.0, 2.0]
    assert np.isnan(longer[2:]).tolist() == [True, True]
    assert len(padded(np.array([1.0, 2.0]), 1)) == 2
