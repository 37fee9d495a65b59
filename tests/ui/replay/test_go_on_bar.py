"""Who goes on from the step on screen: offered, typed, refused in place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.protocol.runs import RunRow, RunState
from mosaic.ui.replay.go_on_bar import GoOnBar
from mosaic.ui.replay.model import Transport
from mosaic.ui.replay.projector import Opened
from mosaic.ui.replay.replaying import Replaying
from mosaic.ui.shell.context import Context


class _Open(Replaying):
    """With an episode of five steps open, and no run behind it: what would be started is noted."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, Transport(last=5))
        self.asked: list[dict[str, str]] = []

    def branch(self, seats: Any) -> None:
        self.asked.append(dict(seats))


def run(run_id: str, **more: Any) -> RunRow:
    given = {"name": "", "state": RunState.FINISHED, "reason": "", "created": 1.0, "command": []}
    return RunRow(run_id=run_id, **{**given, **more})


@pytest.fixture
def bar(qtbot: QtBot, context: Context) -> GoOnBar:
    context.runs.update(
        [
            run("a", name="walker", runner="tabular", env_ids=["FrozenLake-v1"]),
            run("b", name="elsewhere", runner="tabular", env_ids=["Taxi-v3"]),
            run("c", name="script", env_ids=["FrozenLake-v1"]),
            run("d", name="played", runner="session", env_ids=["FrozenLake-v1"]),
        ]
    )
    replaying = _Open(context)
    opened: Any = object.__new__(Opened)
    for name, value in {"steps": [None] * 5, "env_id": "FrozenLake-v1"}.items():
        object.__setattr__(opened, name, value)
    replaying.opened = opened
    made = GoOnBar(context, replaying)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.who.count() > 3, timeout=30_000)
    return made


def asked(bar: GoOnBar) -> list[dict[str, str]]:
    replaying = bar._replaying
    assert isinstance(replaying, _Open)
    replaying.shut()
    return replaying.asked


def test_every_operator_there_is_and_fitting_policies_are_offered(bar: GoOnBar) -> None:
    offered = [bar.who.itemText(line) for line in range(bar.who.count())]
    assert offered[0] == "random"
    assert {"noop", "python:FILE.py", "actions:FILE.json"} <= set(offered)
    assert [text for text in offered if text.endswith(":best")] == ["walker:best"]
    assert bar.who.currentText() == "random"
    assert asked(bar) == []


def test_whoever_is_typed_goes_on(bar: GoOnBar) -> None:
    bar.who.setEditText("player_1=python:mind.py; noop")
    QTest.keyClick(bar.who, Qt.Key.Key_Return)  # which has the focus for its line, too
    bar.who.setEditText("walker:best")
    bar.go.click()
    assert asked(bar) == [{"player_1": "python:mind.py", "*": "noop"}, {"*": "walker:best"}]


def test_a_line_that_names_nobody_starts_nothing_and_says_why(bar: GoOnBar, context: Context) -> None:
    bar.who.setEditText("")
    bar.go.click()
    assert asked(bar) == []
    assert "who goes on?" in context.toasts.history[-1].text


def test_the_step_on_screen_is_named(bar: GoOnBar) -> None:
    bar._replaying.transport.seek(3)
    assert bar.step.text() == "From step 3 on:"
    assert asked(bar) == []


def test_a_person_takes_over_alone_or_in_the_seat_of_the_episodes_agent(bar: GoOnBar) -> None:
    opened: Any = bar._replaying.opened
    object.__setattr__(opened, "row", SimpleNamespace(agent_id=None))
    bar.take.click()
    object.__setattr__(opened, "row", SimpleNamespace(agent_id="player_1"))
    bar.who.setEditText("noop")
    bar.take.click()
    bar.who.setEditText("")
    bar.take.click()  # nobody decides for the others
    assert asked(bar) == [{"*": "person"}, {"*": "noop", "player_1": "person"}]
