"""Reading for the log: while somebody looks, and of the run in focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.logs.feed import LogFeed
from mosaic.ui.logs.model import Log
from tests.ui.rows import run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


def write(context: Context, number: int, text: str) -> None:
    folder = context.root.run(run_id(number))
    folder.path.mkdir(parents=True, exist_ok=True)
    with folder.stdout.open("a") as file:
        file.write(text)


def texts(log: Log) -> list[str]:
    return [line.text for line in log.lines]


def test_it_reads_while_somebody_looks_and_each_line_once(qtbot: QtBot, context: Context) -> None:
    log = Log()
    feed = LogFeed(context, log, every_ms=10)
    write(context, 1, "one\n")
    context.selection.choose([run_id(1)])
    assert not feed.reading, "nobody looks"
    feed.start("left")
    feed.start("right")
    qtbot.waitUntil(lambda: texts(log) == ["one"], timeout=WAIT_MS)
    feed.stop("left")
    write(context, 1, "two\n")
    qtbot.waitUntil(lambda: texts(log) == ["one", "two"], timeout=WAIT_MS)
    feed.stop("right")
    qtbot.waitUntil(lambda: not feed.reading, timeout=WAIT_MS)
    assert not feed.looking


def test_another_run_in_focus_is_read_from_its_beginning(qtbot: QtBot, context: Context) -> None:
    write(context, 1, "first\n")
    write(context, 2, "a longer line of the second\n")
    context.selection.choose([run_id(1)])
    log = Log()
    feed = LogFeed(context, log, every_ms=10)
    feed.start()
    qtbot.waitUntil(lambda: texts(log) == ["first"], timeout=WAIT_MS)
    context.selection.choose([run_id(2)])
    assert texts(log) == []
    qtbot.waitUntil(lambda: texts(log) == ["a longer line of the second"], timeout=WAIT_MS)
    context.selection.choose([])
    assert (log.run_id, texts(log)) == (None, [])
    feed.stop()
