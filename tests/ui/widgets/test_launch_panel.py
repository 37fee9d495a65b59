"""The launch panel on a real data root: the built-in runner is checked, trained and watched from the form."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.app import run_index
from mosaic.protocol.runs import ENDED
from mosaic.ui.models.memory import recall
from mosaic.ui.widgets.launch_panel import LaunchPanel
from tests.daemons import Daemon, daemon

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.context import Context

__all__ = ["daemon"]

LONG = 60_000


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> LaunchPanel:
    made = LaunchPanel(context)
    qtbot.addWidget(made)
    made.resize(330, 700)
    made.show()
    qtbot.waitUntil(lambda: made.launch.runner == "tabular", timeout=LONG)
    return made


def test_the_built_in_runner_passes_its_preflight_and_the_button_says_what_it_does(
    qtbot: QtBot, panel: LaunchPanel
) -> None:
    assert panel.button.text() == "Train"
    qtbot.waitUntil(panel.button.isEnabled, timeout=LONG)
    assert panel.train.command.text.endswith("--algo q_learning --env FrozenLake-v1 --seed 1 --steps 20000")
    assert any("environment: FrozenLake-v1 was made" in text for text in panel.train.preflight.texts)
    panel.launch.basics.set("seeds", "1-3")
    assert panel.button.text() == "Train 3 runs"


def test_an_environment_that_does_not_exist_blocks_the_button_and_names_the_near_one(
    qtbot: QtBot, panel: LaunchPanel
) -> None:
    panel.launch.basics.set("env_id", "FrozenLak-v1")
    qtbot.waitUntil(lambda: "there is no environment" in panel.why.text(), timeout=LONG)
    assert not panel.button.isEnabled()
    assert any("did you mean FrozenLake-v1?" in text for text in panel.train.preflight.texts)


def test_a_training_starts_is_chosen_watched_and_stopped_from_its_toast(
    qtbot: QtBot, context: Context, daemon: Daemon, panel: LaunchPanel
) -> None:
    watched: list[str] = []
    context.asks.watch.connect(watched.append)
    panel.launch.basics.set("steps", "1000000000")
    panel.launch.basics.set("name", "from-the-form")
    qtbot.waitUntil(panel.button.isEnabled, timeout=LONG)
    QTest.mouseClick(panel.button, Qt.MouseButton.LeftButton)
    assert not panel.button.isEnabled()
    qtbot.waitUntil(lambda: bool(watched), timeout=LONG)
    run_id = watched[0]
    assert context.selection.focus == run_id
    row = run_index.row_of(context.root, run_id)
    assert (row.name, row.runner, row.algorithm) == ("from-the-form", "tabular", "q_learning")
    toast = context.toasts.history[-1]
    assert (toast.text, toast.action) == ("Started from-the-form", "Stop")
    qtbot.waitUntil(lambda: run_index.row_of(context.root, run_id).steps > 0, timeout=LONG)
    assert toast.act is not None
    toast.act()
    qtbot.waitUntil(lambda: daemon.client.run(run_id).state in ENDED, timeout=LONG)


def test_a_command_of_the_users_own_is_run_and_a_wrong_one_is_not(
    qtbot: QtBot, context: Context, daemon: Daemon, panel: LaunchPanel
) -> None:
    context.asks.run_script.emit()
    assert panel.script.isVisible()
    assert not panel.train.isVisible()
    assert (panel.button.text(), panel.why.text()) == ("Run", "Type the command to run.")
    form = panel.launching.script
    form.set("command", "no-such-program-here")
    assert not panel.button.isEnabled()
    form.set("command", f"{sys.executable} -c 'print(7)'")
    assert panel.button.isEnabled()
    QTest.mouseClick(panel.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.selection.focus is not None, timeout=LONG)
    run = context.selection.focus
    assert run is not None
    qtbot.waitUntil(lambda: daemon.client.run(run).state in ENDED, timeout=LONG)
    assert daemon.client.run(run).state.value == "finished"


def test_what_was_typed_is_there_again_the_next_time(
    qtbot: QtBot, context: Context, panel: LaunchPanel
) -> None:
    panel.launch.pick("tabular", "sarsa")
    panel.launch.parameters.set("gamma", "0.5")
    qtbot.waitUntil(lambda: "tabular/sarsa" in recall(context.root).drafts, timeout=LONG)
    again = LaunchPanel(context)
    qtbot.addWidget(again)
    qtbot.waitUntil(lambda: again.launch.runner == "tabular", timeout=LONG)
    assert again.launch.algorithm is not None
    assert again.launch.algorithm.id == "sarsa"
    assert again.launch.parameters.text("gamma") == "0.5"


def test_asking_for_a_form_before_the_runners_are_known_waits_for_them(
    qtbot: QtBot, context: Context
) -> None:
    made = LaunchPanel(context)
    qtbot.addWidget(made)
    context.asks.launch.emit("tabular", "sarsa", "Taxi-v4")
    qtbot.waitUntil(lambda: made.launch.basics.text("env_id") == "Taxi-v4", timeout=LONG)
    context.asks.launch.emit("nothing", "", "")
    assert "no runner 'nothing'" in context.toasts.history[-1].text


def test_the_panel_fits_a_narrow_dock(panel: LaunchPanel) -> None:
    assert panel.minimumSizeHint().width() <= 320
