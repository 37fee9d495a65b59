"""What can be done with the window itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.ui.shell import layout
from mosaic.ui.window import Window

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


@pytest.fixture
def window(qtbot: QtBot, context: Context) -> Window:
    made = Window(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_every_tab_has_an_action_and_a_number(window: Window, context: Context) -> None:
    for at, (name, part) in enumerate(window.tabs_in_order, start=1):
        action = context.actions.get(f"view.{name.lower()}")
        assert action.keys == (f"Ctrl+{at}",)
        action.call()
        assert any(
            tabs.currentWidget() is part for tabs in (window.centre, window.left_tabs, window.right_tabs)
        )
    assert len(window.tabs_in_order) == 9


def test_docks_go_and_come_back(window: Window, context: Context) -> None:
    for name, dock in (("left", window.left), ("right", window.right), ("log", window.bottom)):
        context.actions.get(f"view.{name}").call()
        assert not dock.isVisible()
        context.actions.get(f"view.{name}").call()
        assert dock.isVisible()


def test_a_theme_is_chosen_and_remembered(window: Window, context: Context) -> None:
    chosen: list[str] = []
    window.theme_chosen.connect(chosen.append)
    context.actions.get("view.theme_dark").call()
    assert chosen == ["dark"]
    window.close()
    assert layout.load(context.root).theme == "dark"
