"""A panel about the run in focus: at work while it is on the screen, at rest otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.widgets.following_panel import FollowingPanel
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


class Counting(FollowingPanel):
    """Counts how often it is told something."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, every_ms=5, empty="Nothing.")
        self.chosen = self.turns = 0

    def _chosen(self) -> None:
        self.chosen += 1

    def _turn(self) -> None:
        self.turns += 1


def test_it_turns_while_somebody_looks_and_rests_otherwise(qtbot: QtBot, context: Context) -> None:
    panel = Counting(context)
    qtbot.addWidget(panel)
    assert not panel._timer.isActive()
    panel.show()
    qtbot.waitUntil(lambda: panel.turns >= 2, timeout=WAIT_MS)
    panel.hide()
    assert not panel._timer.isActive()


def test_it_hears_of_the_focus_and_of_its_own_coming_to_the_screen(qtbot: QtBot, context: Context) -> None:
    panel = Counting(context)
    qtbot.addWidget(panel)
    panel.show()
    assert panel.chosen == 1
    run = Stored(context.root)
    context.runs.update([run.commit()])
    context.selection.choose([run.run_id])
    assert panel.chosen == 2
    panel.hide()


def test_it_says_a_sentence_where_there_is_nothing_to_show(qtbot: QtBot, context: Context) -> None:
    panel = Counting(context)
    qtbot.addWidget(panel)
    assert panel._said("the page") == "Nothing."
    panel._say("Still nothing.")
    assert panel._said("the page") == "Still nothing."


def test_a_read_that_is_let_go_tells_nobody(qtbot: QtBot, context: Context) -> None:
    panel = Counting(context)
    qtbot.addWidget(panel)
    told: list[str] = []
    panel._reading = context.ops.run(lambda: "old", done=told.append)
    panel._abandon()
    assert panel._reading is None
    context.ops.run(lambda: "new", done=told.append)
    qtbot.waitUntil(lambda: "new" in told, timeout=WAIT_MS)
    assert told == ["new"]
