"""What is done to runs, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.protocol.runs import ENDED, RunState
from mosaic.rpc.launch import daemon_running
from mosaic.ui.runs import ops as run_ops
from mosaic.ui.runs.model.deletions import Deletions
from tests.daemons import daemon, until
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.protocol.runs import RunRow
    from mosaic.ui.shell.context import Context
    from tests.daemons import Daemon

__all__ = ["daemon"]

WAIT_MS = 60_000


def said(context: Context) -> list[str]:
    return [toast.text for toast in context.toasts.history]


def test_what_has_ended_is_neither_stopped_nor_paused_and_what_is_the_same_is_not_written(
    context: Context,
) -> None:
    ended = row(1, state=RunState.FINISHED, tags={"a": "b"})
    assert run_ops.live([row(2), ended]) == [row(2)]
    run_ops.stop(context, [ended])
    run_ops.pause_or_unpause(context, [ended])
    run_ops.rename(context, ended, " run-1 ")
    run_ops.retag(context, ended, " a=b ")
    context.ops.close()  # whatever was begun has ended now
    assert said(context) == []
    assert not daemon_running(context.root)


def test_tags_that_cannot_be_read_are_told_and_nothing_is_written(context: Context) -> None:
    run_ops.retag(context, row(1), "novalue")
    context.ops.close()
    (text,) = said(context)
    assert "novalue" in text
    assert not daemon_running(context.root)


def test_of_several_runs_the_ended_are_deleted_and_one_that_still_runs_is_named(context: Context) -> None:
    deletions = Deletions(delay_secs=60)
    rows = [row(1, state=RunState.FINISHED), row(2), row(3, state=RunState.FAILED)]
    run_ops.delete(context, deletions, rows)
    assert deletions.hidden == {run_id(1), run_id(3)}
    assert said(context) == ["run-2 is running: stop it first, then delete it.", "Deleting 2 runs."]
    act = context.toasts.history[-1].act
    assert act is not None
    act()
    assert deletions.hidden == set()
    assert said(context)[-1] == "Kept 2 runs."
    act()
    assert len(said(context)) == 3, "there was nothing left to keep"


def test_one_run_that_fails_does_not_keep_the_others_from_being_stopped(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    real = daemon.submit(["sleep", "600"])
    until(lambda: daemon.client.run(real.run_id).state is RunState.RUNNING)
    run_ops.stop(context, [row(1), daemon.client.run(real.run_id)])
    qtbot.waitUntil(lambda: len(said(context)) == 1, timeout=WAIT_MS)
    assert run_id(1) in said(context)[0]
    assert context.toasts.history[0].level == "bad"
    assert daemon.wait(real.run_id).state in ENDED


def test_a_paused_run_is_unpaused_in_these_words(qtbot: QtBot, context: Context, daemon: Daemon) -> None:
    run = daemon.submit(["sleep", "600"], name="sleeper").run_id

    def in_state(state: RunState) -> RunRow:
        until(lambda: daemon.client.run(run).state is state)
        return daemon.client.run(run)

    run_ops.pause_or_unpause(context, [in_state(RunState.RUNNING)])
    qtbot.waitUntil(lambda: said(context) == ["Paused sleeper."], timeout=WAIT_MS)
    run_ops.pause_or_unpause(context, [in_state(RunState.PAUSED)])
    qtbot.waitUntil(lambda: said(context)[1:] == ["Unpaused sleeper."], timeout=WAIT_MS)
    in_state(RunState.RUNNING)
    daemon.client.stop(run)
    daemon.wait(run)


def test_what_could_not_be_deleted_is_shown_again_with_the_reason(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    context.runs.update([row(1, state=RunState.FINISHED)])
    deletions = Deletions(delay_secs=0)
    deletions.ask([run_id(1)])
    run_ops.carry_out(context, deletions)
    assert deletions.hidden == {run_id(1)}
    qtbot.waitUntil(lambda: len(said(context)) == 1, timeout=WAIT_MS)
    assert said(context)[0].startswith("Not deleted: ")
    assert deletions.hidden == set()
    assert [one.run_id for one in context.runs.rows] == [run_id(1)]
    del daemon
