"""Where the parts of a replay stand, before there is anything to replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt

from mosaic.ui.parts import make_replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.replay.tab import ReplayTab
    from mosaic.ui.shell.context import Context


@pytest.fixture
def parts(qtbot: QtBot, context: Context) -> Iterator[ReplayTab]:
    made = make_replay(context)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.shut()


def test_the_lists_go_beside_the_frame_where_there_is_room_and_below_it_where_there_is_not(
    parts: ReplayTab,
) -> None:
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    for wide, split, lists in ((1400, across, down), (700, down, across), (900, across, down)):
        parts.resize(wide, 800)
        assert (parts.split.orientation(), parts.lists.orientation()) == (split, lists)
    parts.resize(700, 800)
    episodes, steps = parts.lists.sizes()
    assert steps > 2 * episodes, "side by side, the narrow list of episodes leaves the room to the steps"


def test_the_bar_of_an_export_is_there_only_when_it_is_asked_for(parts: ReplayTab) -> None:
    assert not parts.export_bar.isVisible()
    parts.export_button.setChecked(True)
    assert parts.export_bar.isVisible()
    parts.export_button.setChecked(False)
    assert not parts.export_bar.isVisible()


def test_the_stage_comes_back_from_the_full_screen_to_where_it_was(parts: ReplayTab) -> None:
    parts.toggle_full_screen()
    assert parts.full is not None
    assert parts.split.indexOf(parts.stage) == -1
    parts.toggle_full_screen()
    assert parts.full is None
    assert parts.split.indexOf(parts.stage) == 0
