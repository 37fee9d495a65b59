"""The look: both themes, readable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from mosaic.protocol.runs import RunState
from mosaic.ui.shell.theme import Choice, Theme, is_dark, tone, tone_of_state
from tests.ui.shell.model.test_colours import contrast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


@pytest.fixture
def theme(qtbot: QtBot) -> Iterator[Theme]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.palette(), app.styleSheet(), app.style().objectName()
    made = Theme(app)
    yield made
    made.deleteLater()
    app.setStyle(before[2])
    app.setPalette(before[0])
    app.setStyleSheet(before[1])


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_every_text_can_be_read_on_its_ground(theme: Theme, choice: Choice) -> None:
    told: list[bool] = []
    theme.changed.connect(told.append)
    theme.choose(choice)
    assert told == [choice == "dark"]
    assert is_dark() is (choice == "dark")
    palette, role = QApplication.palette(), QPalette.ColorRole
    for text, ground in (
        (role.WindowText, role.Window),
        (role.Text, role.Base),
        (role.Text, role.AlternateBase),
        (role.ButtonText, role.Button),
        (role.PlaceholderText, role.Base),
        (role.PlaceholderText, role.Window),
        (role.ToolTipText, role.ToolTipBase),
    ):
        ratio = contrast(palette.color(text).name(), palette.color(ground).name())
        assert ratio >= 4.5, (text, ground, ratio)
    base = palette.color(role.Base).name()
    for state in RunState:
        assert contrast(tone(tone_of_state(state)).name(), base) >= 4.5


def test_it_follows_the_system_unless_forced(theme: Theme) -> None:
    assert theme.choice == "system"
    theme.choose("dark")
    assert theme.dark
    theme.choose("light")
    assert not theme.dark
