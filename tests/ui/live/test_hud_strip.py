"""Named values that can be read, selected, and heard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from mosaic.ui.live.hud_strip import HudStrip


def test_values_stand_under_their_names_and_go_again(qtbot: QtBot) -> None:
    strip = HudStrip((("Step", "of the episode"), ("Return", "so far")), columns=2)
    qtbot.addWidget(strip)
    strip.show_values([("Step", "7"), ("Unknown", "x")])
    assert (strip.value("Step"), strip.value("Return")) == ("7", "-")
    named = [label for label in strip.findChildren(QLabel) if label.accessibleName() == "Step"]
    assert [label.text() for label in named] == ["7"]
    assert named[0].textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    assert named[0].toolTip() == "of the episode"
    strip.clear()
    assert strip.value("Step") == "-"
