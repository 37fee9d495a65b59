"""The parts of a replay: where they stand, and that a step in the list is a step on the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt

from mosaic.ui.replay.parts import ReplayParts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


@pytest.fixture
def parts(qtbot: QtBot, context: Context) -> ReplayParts:
    made = ReplayParts(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_lists_go_beside_the_picture_where_there_is_room_and_below_it_where_there_is_not(
    parts: ReplayParts,
) -> None:
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    for wide, split, lists in ((1400, across, down), (700, down, across), (900, across, down)):
        parts.resize(wide, 800)
        assert (parts.split.orientation(), parts.lists.orientation()) == (split, lists)


def test_the_bar_of_an_export_is_there_only_when_it_is_asked_for(parts: ReplayParts) -> None:
    assert not parts.export_bar.isVisible()
    parts.export_button.setChecked(True)
    assert parts.export_bar.isVisible()
    parts.export_button.setChecked(False)
    assert not parts.export_bar.isVisible()


def test_the_stage_comes_back_from_the_full_screen_to_its_place(parts: ReplayParts) -> None:
    parts.toggle_full_screen()
    assert parts.full is not None
    assert parts.split.indexOf(parts.stage) == -1
    parts.toggle_full_screen()
    assert parts.full is None
    assert parts.split.indexOf(parts.stage) == 0
