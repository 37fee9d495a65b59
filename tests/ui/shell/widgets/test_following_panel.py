"""A panel about the run in focus: at work while it is on the screen, at rest otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mosaic.ui.shell.widgets.following_panel import FollowingPanel
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


class Counting(FollowingPanel):
    """Counts how often it hears something."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, gap_ms=1, empty="Nothing.")
        self.chosen = 0
        self.read: list[str] = []

    def _chosen(self) -> None:
        self.chosen += 1
        self.following.ask()

    def _work(self, due: tuple[str, ...]) -> Callable[[], str]:
        return lambda: due[0]

    def _take(self, found: str) -> bool:
        self.read.append(found)
        return False


def test_the_run_in_focus_is_read_while_somebody_looks(qtbot: QtBot, context: Context) -> None:
    panel = Counting(context)
    qtbot.addWidget(panel)
    run = Stored(context.root)
    row = run.commit()
    context.runs.update([row])
    context.selection.choose([run.run_id])
    assert not panel.following.reading
    panel.show()
    qtbot.waitUntil(lambda: panel.read == [run.run_id], timeout=WAIT_MS)
    context.runs.update([msgspec.structs.replace(row, store_seq=row.store_seq + 1)])
    qtbot.waitUntil(lambda: panel.read == [run.run_id, run.run_id], timeout=WAIT_MS)
    panel.hide()
    assert not panel.following.looking


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
