"""What sessions came to, in the window: read when somebody looks, and again when the list says it moved."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from mosaic.ui.play.model.results import Results
from mosaic.ui.play.results_view import ResultsView
from mosaic.ui.shell.context import Context
from tests.by_hand import session, settle
from tests.ui.rows import row

RANDOM = {"kind": "random", "name": "random"}


def played(context: Context, *, seeds: int) -> str:
    """A session of a real run in the window's data root; its id."""
    plan = {
        "env_id": "CartPole-v1",
        "seats": {"*": RANDOM},
        "seeds": [[1, seeds]],
        "pace": "turn",
        "fps": 500.0,
    }
    with session(Path(context.root.path), **plan) as me:
        me.process.wait(60)
    settle(me.folder)
    return me.folder.run_id


def test_a_row_for_every_seat_and_a_sentence_until_there_is_one(qtbot: QtBot, context: Context) -> None:
    run_id = played(context, seeds=3)
    results = Results()
    view = ResultsView(context, results, gap_ms=1)
    qtbot.addWidget(view)
    assert "Choose one or more sessions" in view.message.label.text()
    context.runs.update([row(1, run_id=run_id, store_seq=1)])
    results.turn_to({run_id: "first"})
    assert view.rows.rowCount() == 0, "nobody looks: nothing is read"
    view.show()
    view.ask()
    qtbot.waitUntil(lambda: view.rows.rowCount() == 1, timeout=30_000)
    cells = [str(view.rows.index(0, at).data()) for at in range(4)]
    assert cells == ["first", "agent", "random", "3"]
    assert view.currentWidget() is view.table
    results.turn_to({})
    assert view.currentWidget() is view.message
    view.hide()
