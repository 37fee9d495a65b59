"""The training page follows its model: forms made anew per algorithm, checks and command as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.app.training import Plan
from mosaic.protocol.cards import Algorithm, Check, Parameter, RunnerCard
from mosaic.protocol.runs import RunRow, RunState
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model.catalog import Catalog, Entry
from mosaic.ui.launch.model.launch import Launch
from mosaic.ui.launch.train_page import TrainPage
from mosaic.ui.shell.model.runs import RunList

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

RATE = Parameter(name="rate", type="float", default=0.1)
CARD = RunnerCard(
    id="r", title="R", algorithms=[Algorithm(id="a", title="A", parameters=[RATE]), Algorithm(id="b")]
)


def page(qtbot: QtBot) -> tuple[Launch, TrainPage, RunList]:
    catalog, runs = Catalog(), RunList()
    launch = Launch(catalog, convert=convert)
    made = TrainPage(launch, runs)
    qtbot.addWidget(made)
    made.show()
    catalog.show([Entry(id="r", card=CARD, state="ready")])
    return launch, made, runs


def test_another_algorithm_brings_its_own_fields(qtbot: QtBot) -> None:
    launch, made, _ = page(qtbot)
    assert made.parameters is not None
    assert list(made.parameters.rows) == ["rate"]
    assert made.parameters.isVisible()
    launch.pick("r", "b")
    assert made.parameters.rows == {}
    assert not made.parameters.isVisible()


def test_several_seeds_are_said_to_be_several_runs(qtbot: QtBot) -> None:
    launch, made, _ = page(qtbot)
    assert not made.note.isVisible()
    launch.basics.set("seeds", "1-4")
    assert made.note.text() == "4 runs, one per seed, in one group."


def test_checks_and_command_are_shown_as_they_come(qtbot: QtBot) -> None:
    launch, made, _ = page(qtbot)
    asked = launch.ask()
    assert asked is not None
    launch.preview(asked[0], ["python", "-m", "x"])
    assert made.command.text == "python -m x"
    little = Check(name="disk", level="warn", text="little")
    launch.answer(asked[0], plan=Plan(job=asked[1], command=[], checks=[little]))
    assert made.preflight.texts == ["! disk: little"]
    launch.basics.set("steps", "none")
    assert made.preflight.texts == []
    assert made.command.text == ""


def test_environments_that_were_used_are_offered_first(qtbot: QtBot) -> None:
    _, made, runs = page(qtbot)
    row = RunRow(
        run_id="1", name="", state=RunState.RUNNING, reason="", created=1.0, command=[], env_ids=["Mine-v0"]
    )
    runs.update([row])
    assert made.basics is not None
    editor = made.basics.rows["env_id"].editor
    completer = editor.completer()  # type: ignore[attr-defined]
    completer.setCompletionPrefix("v")
    assert completer.currentCompletion() == "Mine-v0"
