"""The feed: the run list follows a real daemon, through its death and back."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import DaemonError
from mosaic.protocol.runs import RunState
from mosaic.rpc.launch import daemon_running
from mosaic.ui.shell.feed import Feed
from mosaic.ui.shell.model.link import LinkState
from tests.daemons import daemon, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context
    from tests.daemons import Daemon

__all__ = ["daemon"]

LIMIT = 60_000


@pytest.fixture
def feed(context: Context) -> Iterator[Feed]:
    made = Feed(context, grace_secs=0.2)
    yield made
    made.close()


def test_runs_come_change_and_go_without_being_asked_for(
    qtbot: QtBot, daemon: Daemon, context: Context, feed: Feed
) -> None:
    before = daemon.submit(["true"], name="before")
    feed.start()
    qtbot.waitUntil(lambda: context.link.connected, timeout=LIMIT)
    qtbot.waitUntil(lambda: context.runs.get(before.run_id) is not None, timeout=LIMIT)
    after = daemon.submit(["sleep", "600"], name="after")
    qtbot.waitUntil(lambda: _state(context, after.run_id) is RunState.RUNNING, timeout=LIMIT)
    daemon.client.stop(after.run_id)
    qtbot.waitUntil(lambda: _state(context, after.run_id) is RunState.STOPPED, timeout=LIMIT)
    context.selection.choose([after.run_id])
    daemon.wait(before.run_id)
    daemon.client.delete(after.run_id)
    qtbot.waitUntil(lambda: context.runs.get(after.run_id) is None, timeout=LIMIT)
    assert context.selection.chosen == ()


def test_a_killed_daemon_is_said_to_be_gone_started_again_and_the_list_stays_true(
    qtbot: QtBot, daemon: Daemon, context: Context, feed: Feed
) -> None:
    run = daemon.submit(["sleep", "600"])
    feed.start()
    qtbot.waitUntil(lambda: _state(context, run.run_id) is RunState.RUNNING, timeout=LIMIT)
    said: list[str] = []
    context.link.changed.connect(lambda: said.append(context.link.text))
    first = daemon.pid
    os.kill(first, signal.SIGKILL)
    qtbot.waitUntil(lambda: context.link.losses == 1, timeout=LIMIT)
    qtbot.waitUntil(lambda: context.link.connected, timeout=LIMIT)
    assert said[0].startswith("The daemon is gone; reconnecting…")
    assert _state(context, run.run_id) is RunState.RUNNING
    daemon.reconnect()
    assert daemon.pid != first
    daemon.client.stop(run.run_id)
    qtbot.waitUntil(lambda: _state(context, run.run_id) is RunState.STOPPED, timeout=LIMIT)


def test_without_a_daemon_the_files_say_how_runs_are(
    qtbot: QtBot, daemon: Daemon, context: Context, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = daemon.submit(["true"], name="kept")
    daemon.wait(run.run_id)
    daemon.client.shutdown()
    until(lambda: not daemon_running(daemon.root))

    def refuse(**_: object) -> None:
        raise DaemonError("the daemon could not start: no room")

    monkeypatch.setattr(feed, "_connect", refuse)
    feed.start()
    qtbot.waitUntil(lambda: _state(context, run.run_id) is RunState.FINISHED, timeout=LIMIT)
    qtbot.waitUntil(lambda: "no room" in context.link.text, timeout=LIMIT)
    assert context.link.state is LinkState.CONNECTING
    monkeypatch.undo()
    qtbot.waitUntil(lambda: context.link.connected, timeout=LIMIT)


def test_many_changes_reach_the_window_as_few(qtbot: QtBot, context: Context, feed: Feed) -> None:
    from tests.ui.rows import row

    told: list[int] = []
    context.runs.changed.connect(lambda moved: told.append(len(moved)))
    for turn in range(1, 51):
        feed._put([row(number, episodes=turn) for number in range(20)])
    qtbot.waitUntil(lambda: bool(told), timeout=LIMIT)
    feed._put([row(1, episodes=99)])
    feed._put([], gone=[row(2).run_id])
    qtbot.waitUntil(lambda: len(told) == 2, timeout=LIMIT)
    assert told == [20, 2]
    assert len(context.runs.rows) == 19


def _state(context: Context, run_id: str) -> RunState | None:
    row = context.runs.get(run_id)
    return None if row is None else row.state
