"""Work off the window's thread."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from mosaic.errors import UsageError

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


def test_the_work_is_done_elsewhere_and_its_result_comes_here(qtbot: QtBot, context: Context) -> None:
    here = threading.current_thread()
    seen: list[object] = []
    context.ops.run(
        threading.current_thread, done=lambda thread: seen.extend([thread, threading.current_thread()])
    )
    qtbot.waitUntil(lambda: len(seen) == 2, timeout=30_000)
    assert seen[0] is not here
    assert seen[1] is here


def test_what_goes_wrong_is_a_sentence_for_who_asked_or_a_toast(qtbot: QtBot, context: Context) -> None:
    said: list[str] = []

    def refuse() -> None:
        raise UsageError("no such thing")

    context.ops.run(refuse, failed=said.append)
    context.ops.run(refuse)
    qtbot.waitUntil(lambda: bool(said) and bool(context.toasts.history), timeout=30_000)
    assert said == ["no such thing"]
    assert (context.toasts.history[0].text, context.toasts.history[0].level) == ("no such thing", "bad")


def test_a_defect_is_told_too_and_the_window_lives_on(qtbot: QtBot, context: Context) -> None:
    said: list[str] = []
    empty: dict[str, str] = {}
    context.ops.run(lambda: empty["missing"], failed=said.append)
    qtbot.waitUntil(lambda: bool(said), timeout=30_000)
    assert said == ["KeyError: 'missing'"]


def test_an_abandoned_operation_tells_nobody(qtbot: QtBot, context: Context) -> None:
    go, seen = threading.Event(), []
    operation = context.ops.run(go.wait, done=lambda _: seen.append("abandoned"))
    operation.abandon()
    go.set()
    context.ops.run(lambda: None, done=lambda _: seen.append("next"))
    qtbot.waitUntil(lambda: bool(seen), timeout=30_000)
    assert seen == ["next"]


def test_threads_at_work_leave_the_interpreter_to_the_window_within_a_millisecond(context: Context) -> None:
    assert sys.getswitchinterval() <= 0.001
