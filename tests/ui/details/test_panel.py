"""The details panel: follows the focus, can be copied, takes nobody's text for markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QScrollArea

from mosaic.protocol.cards import Job
from mosaic.protocol.runs import RunState
from mosaic.ui.parts import make_details
from mosaic.ui.shell.theme import tone
from tests.ui.looks import themed
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from mosaic.ui.details.panel import DetailsPanel
    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


def make(qtbot: QtBot, context: Context) -> DetailsPanel:
    panel = make_details(context)
    qtbot.addWidget(panel)
    panel.resize(400, 700)
    panel.show()
    return panel


def texts(panel: DetailsPanel) -> list[str]:
    return [label.text().replace("\u200b", "") for label in panel.findChildren(QLabel) if label.isVisible()]


def test_without_a_run_it_says_what_to_do(qtbot: QtBot, context: Context) -> None:
    panel = make(qtbot, context)
    assert any("Choose a run" in text for text in texts(panel))
    panel.hide()


def test_it_shows_the_run_in_focus_and_follows_it(qtbot: QtBot, context: Context) -> None:
    job = Job(runner="sb3", algorithm="ppo", seed=31, parameters={"gamma": 0.97})
    run = Stored(context.root, name="<b>mine</b>", job=job)
    run.episodes([1.0])
    run.event(type="config", args={"learning_rate": 0.00025})
    row = run.commit()
    context.runs.update([row])
    panel = make(qtbot, context)
    context.selection.choose([run.run_id])
    qtbot.waitUntil(lambda: "0.97" in texts(panel), timeout=WAIT_MS)
    assert {"Configuration", "learning_rate", "0.00025"} <= set(texts(panel))
    assert "<b>mine</b>" in texts(panel)
    assert "31" in texts(panel)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in panel.findChildren(QLabel))
    places = [label.geometry().topLeft() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert len({(place.x(), place.y()) for place in places}) == len(places), "no text lies on another"
    context.runs.update([msgspec.structs.replace(row, state=RunState.FAILED, reason="exit code 3")])
    assert "failed: exit code 3" in texts(panel)
    panel.hide()


def test_everything_can_be_copied_as_text(qtbot: QtBot, context: Context) -> None:
    run = Stored(context.root, name="mine")
    context.runs.update([run.commit()])
    panel = make(qtbot, context)
    context.selection.choose([run.run_id])
    panel.copy_all.click()
    copied = QGuiApplication.clipboard().text()
    assert run.run_id in copied
    assert "python train.py --seed 1" in copied
    panel.hide()


def test_a_run_that_left_the_list_is_told(qtbot: QtBot, context: Context) -> None:
    run = Stored(context.root)
    context.runs.update([run.commit()])
    panel = make(qtbot, context)
    context.selection.choose([run.run_id])
    context.runs.update([], gone=[run.run_id])
    assert "This run is not in the list any more." in texts(panel)
    panel.hide()


def test_a_new_line_leaves_the_panel_where_it_was_scrolled_to(qtbot: QtBot, context: Context) -> None:
    run = Stored(context.root)
    row = run.commit()
    context.runs.update([row])
    panel = make(qtbot, context)
    panel.resize(400, 200)
    context.selection.choose([run.run_id])
    qtbot.waitUntil(lambda: "Machine" in texts(panel), timeout=WAIT_MS)
    (area,) = panel.findChildren(QScrollArea)
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 66, timeout=WAIT_MS)
    bar.setValue(66)
    context.runs.update([msgspec.structs.replace(row, tags={"kind": "control"})])
    assert "kind=control" in texts(panel)
    qtbot.wait(0)
    assert bar.value() == 66
    panel.hide()


def test_another_theme_colours_the_state(qtbot: QtBot, qapp: QApplication, context: Context) -> None:
    run = Stored(context.root)
    context.runs.update([run.commit(ended=True)])
    panel = make(qtbot, context)
    with themed(qapp) as theme:
        context.selection.choose([run.run_id])
        qtbot.waitUntil(lambda: "Machine" in texts(panel), timeout=WAIT_MS)  # nothing more is read by itself
        (state,) = [label for label in panel.findChildren(QLabel) if label.text().startswith("●")]
        light = state.palette().windowText().color()
        assert light == tone("busy")
        theme.choose("dark")
        qtbot.waitUntil(
            lambda: state.palette().windowText().color() == tone("busy") != light, timeout=WAIT_MS
        )
    panel.hide()
