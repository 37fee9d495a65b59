"""The actions on runs: which can be done when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.protocol.runs import RunState
from mosaic.ui.parts import make_runs
from mosaic.ui.runs.panel import RunPanel
from mosaic.ui.shell.model.actions import Actions
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> RunPanel:
    made = make_runs(context)
    qtbot.addWidget(made)
    return made


def able(panel: RunPanel) -> set[str]:
    return {action.id.removeprefix("run.") for action in panel.commands() if action.when()}


def test_what_can_be_done_follows_from_the_chosen_runs(panel: RunPanel, context: Context) -> None:
    context.runs.update([row(1), row(2, state=RunState.FINISHED)])
    assert able(panel) == {"filter"}
    about_one = {"watch", "replay", "rename", "tags", "folder", "copy", "delete", "filter"}
    context.selection.choose([run_id(2)])
    assert able(panel) == about_one
    context.selection.choose([run_id(1), run_id(2)])
    assert able(panel) == about_one | {"pause", "stop"}


def test_a_deletion_can_be_undone_as_long_as_it_waits_whatever_is_chosen(
    panel: RunPanel, context: Context
) -> None:
    context.runs.update([row(1, state=RunState.FINISHED)])
    panel.deletions.delay_secs = 600
    panel.deletions.ask([run_id(1)])
    assert "undo" in able(panel)
    (undo,) = [action for action in panel.commands() if action.id == "run.undo"]
    undo.call()
    assert "undo" not in able(panel)


def test_no_two_have_the_same_key_and_keys_that_type_or_erase_work_in_the_list_only(panel: RunPanel) -> None:
    actions = Actions()
    actions.add(*panel.commands())
    assert actions.clashes == []
    assert {actions.get(name).scope for name in ("run.rename", "run.delete", "run.copy")} == {"runs"}
