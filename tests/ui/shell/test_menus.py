"""The menus show the actions and leave the keys alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QMenuBar

from mosaic.ui.shell.menus import make_menus
from mosaic.ui.shell.model.actions import Action, Actions

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu
    from pytestqt.qtbot import QtBot


def test_sections_are_menus_and_what_cannot_be_done_is_grey_when_the_menu_opens(qtbot: QtBot) -> None:
    done: list[str] = []
    able = [False]
    actions = Actions()
    actions.add(
        Action(id="help.keys", title="Keys", call=lambda: done.append("keys"), keys=("?",)),
        Action(id="run.stop", title="Stop & go", call=lambda: done.append("stop"), when=lambda: able[0]),
        Action(id="run.twin", title="Twin", call=lambda: None, hidden=True),
        Action(id="other.thing", title="Thing", call=lambda: None),
    )
    bar = QMenuBar()
    qtbot.addWidget(bar)
    make_menus(bar, actions)
    menus = [cast("QMenu", entry.menu()) for entry in bar.actions()]
    assert [menu.title() for menu in menus] == ["&Run", "Other", "&Help"]
    (stop,) = menus[0].actions()
    assert stop.text() == "Stop && go"
    assert not stop.isEnabled()
    able[0] = True
    menus[0].aboutToShow.emit()
    assert stop.isEnabled()
    stop.trigger()
    (keys,) = menus[2].actions()
    assert keys.text() == "Keys\t?"
    assert keys.shortcut().isEmpty(), "keys are handled in one place only"
    keys.trigger()
    assert done == ["stop", "keys"]
