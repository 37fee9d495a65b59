"""A line that is cut: what is seen of it, and that all of it can be heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.widgets.elided import ElidedLabel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LONG = "<i>a name</i> much longer than the room there is for it in a narrow list of runs"


def test_a_long_text_is_cut_to_the_room_there_is_and_grows_with_it(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(120, 20)
    label.show()
    label.show_text(LONG)
    cut = label.text()
    assert cut.endswith("…")
    assert LONG.startswith(cut[:-1])
    assert label.fontMetrics().horizontalAdvance(cut) <= 120
    label.resize(3000, 20)
    assert label.text() == LONG
    label.resize(120, 20)
    assert label.text() == cut


def test_it_asks_for_no_room_and_a_screen_reader_gets_all_of_it(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.show_text(LONG)
    assert label.accessibleName() == LONG
    assert label.minimumSizeHint().width() == 30
