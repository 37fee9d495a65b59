"""The last steps and episodes of a real run, also across the death of the daemon."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from mosaic.ui.parts import make_telemetry
from mosaic.ui.shell.context import Context
from mosaic.ui.shell.feed import Feed
from mosaic.ui.telemetry.tab import TelemetryTab
from tests.daemons import Daemon, daemon
from tests.ui.running import focus, start_counting
from tests.ui.stored import Stored

__all__ = ["daemon"]

WAIT = 60_000


@pytest.fixture
def tab(qtbot: QtBot, context: Context) -> Iterator[TelemetryTab]:
    made = make_telemetry(context)
    qtbot.addWidget(made)
    made.resize(600, 500)
    made.show()
    yield made
    made.shut()


@pytest.fixture
def fed(context: Context, daemon: Daemon) -> Iterator[Daemon]:
    """A daemon whose rows come into the list of runs; no other one is started."""
    feed = Feed(context, grace_secs=3600.0)
    feed.start()
    yield daemon
    feed.close()


def cell(tab: TelemetryTab, column: int) -> str:
    return str(tab.steps.rows.index(0, column).data())


def test_steps_come_and_go_on_when_the_daemon_was_killed(
    qtbot: QtBot, context: Context, tab: TelemetryTab, fed: Daemon, tmp_path: Path
) -> None:
    run = start_counting(fed, tmp_path)
    focus(context, fed, run.row.run_id)
    telemetry = tab.telemetry
    qtbot.waitUntil(lambda: len(telemetry.steps) > 30 and len(telemetry.episodes) > 1, timeout=WAIT)
    qtbot.waitUntil(lambda: tab.stack.currentIndex() == 1 and tab.steps.rows.rowCount() > 0, timeout=WAIT)
    assert cell(tab, 3) == "1"
    assert cell(tab, 5) == "[0.5, 0.5]"

    fed.kill()
    qtbot.waitUntil(lambda: "Waiting for the daemon" in tab.said.text(), timeout=WAIT)
    last = telemetry.steps[-1].row.seq
    fed.reconnect()
    qtbot.waitUntil(lambda: telemetry.steps[-1].row.seq > last, timeout=WAIT)
    if not telemetry.skipped_events:
        found = [line.row.seq for line in telemetry.steps]
        assert found == sorted(set(found)), "it goes on by its cursor: none twice"

    tab.hide()
    assert not tab.feed.looking
    tab.show()
    fed.client.stop(run.row.run_id)
    qtbot.waitUntil(lambda: tab.said.text().startswith("The run has ended"), timeout=WAIT)


def test_an_ended_run_is_shown_without_a_daemon(qtbot: QtBot, context: Context) -> None:
    run = Stored(context.root)
    run.episodes([1.0, 2.0])
    context.runs.update([run.commit(ended=True)])
    made = make_telemetry(context)
    qtbot.addWidget(made)
    made.show()
    context.selection.choose([run.run_id])
    qtbot.waitUntil(lambda: made.episodes.rows.rowCount() == 2, timeout=WAIT)
    assert made.said.text().startswith("The run has ended")
    made.shut()


def test_held_lists_stay_as_they_are(
    qtbot: QtBot, context: Context, tab: TelemetryTab, fed: Daemon, tmp_path: Path
) -> None:
    run = start_counting(fed, tmp_path)
    focus(context, fed, run.row.run_id)
    qtbot.waitUntil(lambda: tab.steps.rows.rowCount() > 5, timeout=WAIT)
    tab.hold.toggle()
    qtbot.waitUntil(lambda: "Held" in tab.said.text(), timeout=WAIT)
    before, last = [cell(tab, n) for n in range(6)], tab.telemetry.steps[-1].row.seq
    qtbot.waitUntil(lambda: tab.telemetry.steps[-1].row.seq > last + 50, timeout=WAIT)
    assert [cell(tab, n) for n in range(6)] == before
    tab.hold.toggle()
    qtbot.waitUntil(lambda: [cell(tab, n) for n in range(6)] != before, timeout=WAIT)


def test_an_episode_can_be_replayed_from_here(
    qtbot: QtBot, context: Context, tab: TelemetryTab, fed: Daemon, tmp_path: Path
) -> None:
    run = start_counting(fed, tmp_path, episodes=3)
    fed.wait(run.row.run_id)
    focus(context, fed, run.row.run_id)
    qtbot.waitUntil(lambda: tab.episodes.rows.rowCount() == 3, timeout=WAIT)
    asked: list[int | None] = []
    context.asks.replay.connect(lambda _, episode: asked.append(episode))
    tab.episodes.activated.emit(tab.episodes.rows.index(2, 0))
    assert asked == [0]


def test_without_a_run_it_says_what_to_do(tab: TelemetryTab) -> None:
    assert tab.stack.currentWidget() is tab.notice
    assert "Choose a run" in tab.notice.text
