"""The mode switch shows the modes that work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.models.modes import Mode, Modes
from mosaic.ui.widgets.mode_switch import ModeSwitch

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_it_has_a_button_for_each_mode_and_grows_when_one_is_added(qtbot: QtBot) -> None:
    modes = Modes()
    switch = ModeSwitch(modes)
    qtbot.addWidget(switch)
    assert list(switch.buttons) == ["agent"]
    assert switch.buttons["agent"].isChecked()
    modes.add(Mode("human", "Human", "You play"))
    switch.buttons["human"].click()
    assert modes.current.id == "human"
    modes.choose("agent")
    assert switch.buttons["agent"].isChecked()
    assert not switch.buttons["human"].isChecked()
