"""Bars beside a frame: one for each action, as long as its score, the executed one marked."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from mosaic.ui.replay.insight import Insight
from mosaic.ui.replay.xray import Xray
from mosaic.ui.shell.theme import tone


@pytest.fixture
def xray(qtbot: QtBot) -> Xray:
    made = Xray()
    qtbot.addWidget(made)
    made.resize(190, 300)
    made.show()
    return made


def painted(xray: Xray) -> QImage:
    return xray.grab().toImage()


def width_of_marked(image: QImage) -> int:
    """The widest row of pixels that are nearer to the accent than to anything grey."""
    accent = tone("accent")
    widest = 0
    for y in range(image.height()):
        row = [image.pixelColor(x, y) for x in range(image.width())]
        blue = [one for one in row if abs(one.hue() - accent.hue()) < 15 and one.saturation() > 90]
        widest = max(widest, len(blue))
    return widest


def test_the_executed_action_is_marked_by_a_bar_as_long_as_its_score(xray: Xray) -> None:
    xray.show_insight(Insight("probs", (0.25, 0.75), 1, None, "ppo"))
    long = width_of_marked(painted(xray))
    xray.show_insight(Insight("probs", (0.75, 0.25), 1, None, "ppo"))
    short = width_of_marked(painted(xray))
    assert 2.5 < long / short < 3.5
    assert "1: 0.25" in xray.accessibleDescription()


@pytest.mark.parametrize(
    "insight",
    [
        None,
        Insight("", (), None, 0.5, ""),
        Insight("q", (-3.0, -1.0), 0, -1.0, "x"),
        Insight("q", (0.0,), None, None, ""),
        Insight("q", tuple(float(n) for n in range(4000)), 7, None, ""),
    ],
    ids=["nothing", "a value alone", "below zero", "zero", "many"],
)
def test_whatever_is_known_can_be_painted(xray: Xray, insight: Insight | None) -> None:
    xray.show_insight(insight)
    assert xray.insight == insight
    image = painted(xray)
    ground = image.pixelColor(1, 1)
    assert any(image.pixelColor(x, y) != ground for x in range(190) for y in range(40))
