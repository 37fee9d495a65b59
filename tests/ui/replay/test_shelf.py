"""Books of finished episodes, read one after the other."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from mosaic.ui.replay.model import Book
from mosaic.ui.replay.shelf import Shelf
from mosaic.ui.shell.context import Context
from tests.replay.recorded import LOOP, record

WAIT = 60_000


def test_a_run_has_its_episodes_and_none_without_a_store(qtbot: QtBot, context: Context, home: Path) -> None:
    make = '"CartPole-v1"'
    run = record(home, LOOP.format(imports="", make=make, seed=1, episodes=3, steps=200))
    came: list[tuple[str, Book]] = []
    shelf = Shelf(context, came=lambda run_id, book: came.append((run_id, book)))
    for run_id in ("01JNONE000000000000000000A", "01JNONE000000000000000000B", run.run_id):
        shelf.read(run_id)  # while one is read, only the newest wish is kept
    qtbot.waitUntil(lambda: not shelf.busy, timeout=WAIT)
    assert [(run_id, len(book)) for run_id, book in came] == [
        ("01JNONE000000000000000000A", 0),
        (run.run_id, 3),
    ]
