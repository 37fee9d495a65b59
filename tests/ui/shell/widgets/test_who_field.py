"""Who there is to pick from: every operator, and runs that were trained on the environment."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.ui.shell.context import Context
from mosaic.ui.shell.widgets.who_field import WhoField
from tests.ui.rows import row, run_id


@pytest.fixture
def field(qtbot: QtBot, context: Context) -> WhoField:
    context.runs.update(
        [
            row(1, name="walker", runner="tabular", env_ids=["FrozenLake-v1"]),
            row(2, name="", runner="sb3", env_ids=["FrozenLake-v1"]),
            row(3, name="elsewhere", runner="tabular", env_ids=["Taxi-v3"]),
            row(4, name="script", env_ids=["FrozenLake-v1"]),
            row(5, name="played", runner="session", env_ids=["FrozenLake-v1"]),
            row(6, name="judged", runner="tabular", env_ids=["FrozenLake-v1"], parent=run_id(1)),
        ]
    )
    made = WhoField(context, env_id=lambda: "FrozenLake-v1", name="Who", tip="")
    qtbot.addWidget(made)
    return made


def offered(field: WhoField, qtbot: QtBot) -> list[str]:
    field.show()
    qtbot.waitUntil(lambda: field.count() > 3, timeout=30_000)
    return [field.itemText(line) for line in range(field.count())]


def test_operators_come_first_then_the_runs_trained_on_this_environment(
    field: WhoField, qtbot: QtBot
) -> None:
    found = offered(field, qtbot)
    assert found[0] == field.currentText() == "random"
    assert {"noop", "python:FILE.py", "actions:FILE.json"} <= set(found)
    assert sorted(text for text in found if text.endswith(":best")) == sorted(
        ["walker:best", f"{run_id(2)}:best"]
    )


def test_what_was_typed_stays_when_it_is_shown_again_and_return_enters_it(
    field: WhoField, qtbot: QtBot
) -> None:
    field.setEditText("walker@200")
    offered(field, qtbot)
    assert field.currentText() == "walker@200"
    with qtbot.waitSignal(field.entered, timeout=30_000):
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.count() == len(offered(field, qtbot)), "what is entered is not added to the list"
