"""Sessions side by side: real ones, asked as one, and what they came to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.app import playing as sessions
from mosaic.ui.shell.context import Context
from mosaic.ui.window import Window
from tests.daemons import Daemon, daemon
from tests.ui.rows import row, run_id

__all__ = ["daemon"]

WAIT_MS = 60_000


def test_two_real_sessions_are_paused_stepped_and_reset_as_one(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    run_ids = [
        sessions.play(context.root, "CartPole-v1", {"*": who}, seeds=range(1, 900), pace="tick", fps=20.0)
        for who in ("random", "noop")
    ]
    context.runs.update(daemon.client.runs())
    context.selection.choose(run_ids)
    part = window.side_by_side
    several = part.several
    assert not part.cells, "hidden, it is connected to nothing"

    def ticks() -> list[int]:
        return [one.now.tick for one in several.connected if one.now is not None]

    window.show_part(part)
    qtbot.waitUntil(
        lambda: len(ticks()) == 2 and all(cell.view.image for cell in part.cells.values()),
        timeout=WAIT_MS,
    )
    part.setFocus()
    QTest.keyClick(part, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: several.paused, timeout=WAIT_MS)
    assert part.pause.text() == "Play all"

    def seeds() -> list[int]:
        return [one.now.seed for one in several.connected if one.now is not None]

    part.seed.setText("770")
    part.reset.click()
    qtbot.waitUntil(lambda: seeds() == [770, 770], timeout=WAIT_MS)
    for _ in range(3):
        part.step.click()
    qtbot.waitUntil(lambda: min(ticks()) >= 3, timeout=WAIT_MS)
    assert ticks() == [3, 3], "paused, it goes as far as it is told to"
    assert several.paused

    def listed() -> bool:
        context.runs.update(daemon.client.runs())
        return part.table.rows.rowCount() == 2

    qtbot.waitUntil(listed, timeout=WAIT_MS)
    operators = {str(part.table.rows.index(at, 2).data()) for at in range(2)}
    assert operators == {"random", "noop"}
    for one in several.connected:
        one.quit()
    for one_id in run_ids:
        daemon.wait(one_id)
    context.runs.update(daemon.client.runs())
    qtbot.waitUntil(lambda: not several.connected, timeout=WAIT_MS)
    assert "ended" in next(iter(part.cells.values())).hud.text()
    window.show_part(window.live)
    assert not part.cells
    window.close()


def test_without_sessions_it_says_what_to_do(qtbot: QtBot, context: Context) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    window.show()
    context.runs.update([row(1)])
    context.selection.choose([run_id(1)])
    window.show_part(window.side_by_side)
    assert window.side_by_side.stack.currentWidget() is window.side_by_side.message
    assert not window.side_by_side.pause.isEnabled()
    assert window.side_by_side.table.currentWidget() is window.side_by_side.table.message
    window.close()
