"""What every part of a window shares, from the first to the last moment."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from mosaic.paths import DataRoot
from mosaic.ui.shell.context import make_context

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


def test_making_one_leaves_no_trace_in_the_data_root(qtbot: QtBot, home: Path) -> None:
    made = make_context(DataRoot(home))
    made.close()
    assert list(home.iterdir()) == []


def test_an_error_nobody_asked_about_becomes_a_toast_that_stays_long_enough_to_be_read(
    qtbot: QtBot, context: Context
) -> None:
    def work() -> None:
        raise OSError("the disk is full")

    context.ops.run(work)
    qtbot.waitUntil(lambda: bool(context.toasts.history), timeout=60_000)
    (toast,) = context.toasts.history
    assert (toast.text, toast.level, toast.secs) == ("the disk is full", "bad", 10.0)


def test_a_chosen_run_has_its_colour_everywhere(qtbot: QtBot, context: Context) -> None:
    context.selection.choose(["a", "b"])
    assert context.colours.of("a") != context.colours.of("b")


def test_once_closed_nothing_is_delivered_any_more(qapp: QApplication, home: Path) -> None:
    made = make_context(DataRoot(home))
    heard: list[None] = []
    begun = threading.Event()
    made.ops.run(begun.set, done=heard.append)
    assert begun.wait(60)
    made.close()
    assert made.ops.run(begun.set, done=heard.append).abandoned
    qapp.processEvents()
    assert heard == []
