"""The checkpoints panel on real files: lists, verifies, and asks for what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QGuiApplication

from mosaic.ui.parts import make_checkpoints
from mosaic.ui.shell.theme import tone
from tests.ui.checkpoints.saving import saved
from tests.ui.looks import themed
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QColor
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from mosaic.ui.checkpoints.panel import CheckpointsPanel
    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> Iterator[CheckpointsPanel]:
    made = make_checkpoints(context)
    qtbot.addWidget(made)
    made.resize(400, 600)
    made.show()
    yield made
    made.hide()


def listed(panel: CheckpointsPanel) -> dict[str, list[str]]:
    """The steps under each title."""
    found = {}
    for place in range(panel.list.topLevelItemCount()):
        head = panel.list.topLevelItem(place)
        assert head is not None
        rows = [head.child(row) for row in range(head.childCount())]
        found[head.text(0)] = [row.text(0) for row in rows if row is not None]
    return found


def choose(context: Context, *runs: Stored) -> None:
    context.runs.update([run.commit(ended=True) for run in runs])
    context.selection.choose([runs[-1].run_id])


def test_it_explains_itself_when_there_is_nothing(
    qtbot: QtBot, context: Context, panel: CheckpointsPanel
) -> None:
    assert "Choose a run" in panel.said
    run = Stored(context.root)
    choose(context, run)
    qtbot.waitUntil(lambda: panel.said.startswith("This run has saved no checkpoint"), timeout=WAIT_MS)
    panel.everywhere.click()
    qtbot.waitUntil(lambda: panel.said.startswith("No run has saved"), timeout=WAIT_MS)


def test_a_runs_checkpoints_are_listed_newest_first_and_new_ones_appear(
    qtbot: QtBot, context: Context, panel: CheckpointsPanel
) -> None:
    run = Stored(context.root, name="mine")
    saved(context, run, step=1000)
    choose(context, run)
    qtbot.waitUntil(lambda: listed(panel) == {"mine": ["1,000"]}, timeout=WAIT_MS)
    assert panel._count.text() == "1 checkpoint"
    saved(context, run, step=2000)
    context.runs.update([run.commit(ended=True)])
    qtbot.waitUntil(lambda: listed(panel) == {"mine": ["2,000", "1,000"]}, timeout=WAIT_MS)
    assert panel._count.text() == "2 checkpoints"
    assert panel.chosen is not None
    assert panel.chosen.title == "1,000", "what was chosen stays chosen"


def test_all_runs_are_grouped_with_the_focus_first(
    qtbot: QtBot, context: Context, panel: CheckpointsPanel
) -> None:
    first, second = Stored(context.root), Stored(context.root)
    saved(context, first, step=1, algorithm="a")
    saved(context, second, step=2, algorithm="z")
    choose(context, first, second)
    panel.everywhere.click()
    wanted = {"FrozenLake-v1 · z": ["2"], "FrozenLake-v1 · a": ["1"]}
    qtbot.waitUntil(lambda: listed(panel) == wanted, timeout=WAIT_MS)
    assert list(listed(panel)) == list(wanted)


def test_verifying_finds_intact_and_changed_bytes(
    qtbot: QtBot, context: Context, panel: CheckpointsPanel
) -> None:
    run = Stored(context.root)
    path = saved(context, run, step=1)
    choose(context, run)
    qtbot.waitUntil(lambda: panel.chosen is not None, timeout=WAIT_MS)
    assert panel.chosen is not None
    assert panel.chosen.state == "not verified"
    panel.verify.click()
    qtbot.waitUntil(lambda: panel.chosen is not None and panel.chosen.state == "intact", timeout=WAIT_MS)
    path.write_bytes(b"Weights of 1")
    panel.verify.click()
    qtbot.waitUntil(lambda: panel.chosen is not None and not panel.chosen.good, timeout=WAIT_MS)
    assert not panel.evaluate.isEnabled()


def test_what_can_be_done_is_asked_for(qtbot: QtBot, context: Context, panel: CheckpointsPanel) -> None:
    run = Stored(context.root)
    path = saved(context, run, step=1)
    choose(context, run)
    qtbot.waitUntil(panel.evaluate.isEnabled, timeout=WAIT_MS)
    asked: list[tuple[str, str, str]] = []
    context.asks.evaluate.connect(lambda run_id, where: asked.append(("evaluate", run_id, where)))
    context.asks.train_from.connect(lambda run_id, where: asked.append(("train", run_id, where)))
    panel.evaluate.click()
    panel.train.click()
    assert asked == [("evaluate", run.run_id, str(path)), ("train", run.run_id, str(path))]
    panel.copy.click()
    assert QGuiApplication.clipboard().text() == str(path)


def test_a_script_s_own_file_is_listed_and_says_why_it_cannot_be_played(
    qtbot: QtBot, context: Context, panel: CheckpointsPanel
) -> None:
    run = Stored(context.root)
    saved(context, run, step=1, runner="")
    choose(context, run)
    qtbot.waitUntil(lambda: "plain script" in panel.said, timeout=WAIT_MS)
    assert not panel.evaluate.isEnabled()
    assert "plain script" in panel.evaluate.toolTip()


def test_another_run_in_focus_never_shows_the_last_ones_checkpoints(
    qtbot: QtBot, context: Context, panel: CheckpointsPanel
) -> None:
    first, second = Stored(context.root, name="one"), Stored(context.root, name="two")
    saved(context, first, step=1)
    saved(context, second, step=2)
    choose(context, second, first)
    qtbot.waitUntil(lambda: listed(panel) == {"one": ["1"]} and panel.evaluate.isEnabled(), timeout=WAIT_MS)
    context.selection.choose([second.run_id])
    assert panel.said == "Loading…"
    qtbot.waitUntil(lambda: listed(panel) == {"two": ["2"]}, timeout=WAIT_MS)


def test_another_theme_colours_the_rows(
    qtbot: QtBot, qapp: QApplication, context: Context, panel: CheckpointsPanel
) -> None:
    run = Stored(context.root)
    saved(context, run, step=1)
    choose(context, run)
    qtbot.waitUntil(lambda: panel.chosen is not None, timeout=WAIT_MS)

    def colour() -> QColor:
        head = panel.list.topLevelItem(0)
        assert head is not None
        item = head.child(0)
        assert item is not None
        return item.foreground(0).color()

    with themed(qapp) as theme:
        light = colour()
        theme.choose("dark")
        qtbot.waitUntil(lambda: colour() == tone("good") != light, timeout=WAIT_MS)
