"""The whole journey with mouse and keys in the real program: train, watch, read, stop, replay; two deaths.

Each step waits for what a user would see before going on, so a slow machine makes it longer and nothing else.
"""

from __future__ import annotations

import os
import signal
import zlib
from typing import TYPE_CHECKING

import pytest

from mosaic import replay
from mosaic.app import run_index
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ENDED
from mosaic.rpc.launch import connect
from tests.daemons import running_daemon
from tests.ui.journey.desk import Desk, screen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["screen"]

STEPS_OF_A_DAY = "500000000"
"""Far more than the journey lasts: the run goes on until it is stopped."""


@pytest.fixture
def root(home: Path) -> Iterator[DataRoot]:
    """An empty data root. Whatever the journey leaves running there is stopped."""
    place = DataRoot(home)
    yield place
    with running_daemon(place):
        pass


def train_frozen_lake(desk: Desk) -> str:
    """From the first steps through the form to a run that trains; its id."""
    desk.until("w.stack.currentWidget() is w.welcome and w.welcome.buttons['frozenlake'].isEnabled()")
    desk.ask("click(w.welcome.buttons['frozenlake'])")
    desk.until("w.launch.isVisible() and w.launch.train.basics.rows['steps'].editor.isVisible()")
    desk.until("w.launch.train.basics.rows['env_id'].editor.text() == 'FrozenLake-v1'")
    desk.ask("click(w.launch.train.basics.rows['steps'].editor)")
    desk.ask("key('A', 'Control')")
    desk.ask(f"keys('{STEPS_OF_A_DAY}')")
    assert desk.ask("w.launch.train.basics.rows['steps'].editor.text()") == STEPS_OF_A_DAY
    desk.until("w.launch.button.isEnabled()")
    desk.ask("click(w.launch.button)")
    run_id: str = desk.until("next((row.run_id for row in c.runs.rows if row.state.value == 'running'), '')")
    desk.until(f"c.selection.focus == '{run_id}'")
    return run_id


def see_frames_change(desk: Desk) -> None:
    desk.ask("click_tab(w.live)")
    first = desk.until("print_of(w.live.view.image)")
    desk.until(f"print_of(w.live.view.image) not in ('', '{first}')")


def see_the_curve_grow(desk: Desk, run_id: str) -> None:
    drawn = f"max(w.charts.plots['return'].x_of('{run_id}'), default=0)"
    desk.until("'return' in w.charts.plots and w.charts.plots['return'].isVisible()")
    far = desk.until(drawn)
    desk.until(f"{drawn} > {far}")


def kill_the_daemon(desk: Desk, root: DataRoot) -> None:
    with connect(root, start=False) as client:
        pid = client.status().pid
    losses = desk.ask("c.link.losses")
    desk.ask("setattr(w, 'said', [])")
    desk.ask("c.link.changed.connect(lambda: w.said.append((w.banner.isVisible(), w.banner.label.text())))")
    os.kill(pid, signal.SIGKILL)
    desk.until(f"c.link.losses > {losses}")
    desk.until("c.link.connected and not w.banner.isVisible()")
    assert any(text.startswith("The daemon is gone; reconnecting…") for _, text in desk.ask("w.said"))
    with connect(root, start=False) as client:
        assert client.status().pid != pid


@pytest.mark.timeout(900)
def test_train_watch_read_stop_and_replay_through_the_death_of_daemon_and_window(
    root: DataRoot, screen: str, tmp_path: Path
) -> None:
    desk = Desk(root.path, screen, log=tmp_path / "first.log")
    try:
        assert "Waiting for the daemon" in desk.ask("c.link.text") or desk.ask("c.link.connected")
        desk.until("c.link.connected")
        run_id = train_frozen_lake(desk)
        see_frames_change(desk)
        see_the_curve_grow(desk, run_id)

        kill_the_daemon(desk, root)
        assert desk.ask(f"c.runs.get('{run_id}').state.value") == "running"
        see_the_curve_grow(desk, run_id)

        desk.ask("click_tab(w.episodes)")
        desk.until("w.right_tabs.currentWidget() is w.episodes")
        desk.until("remembered(c.root).tabs.get('right') == w.right_tabs.indexOf(w.episodes)")
    finally:
        desk.kill()
    assert run_index.row_of(root, run_id).state.value == "running", "a window that dies takes no run with it"

    desk = Desk(root.path, screen, log=tmp_path / "second.log")
    try:
        desk.until(f"c.selection.focus == '{run_id}'")
        assert desk.ask("w.right_tabs.currentWidget() is w.episodes")
        see_frames_change(desk)
        desk.ask("click_tab(w.charts)")
        see_the_curve_grow(desk, run_id)

        desk.ask("click_tab(w.runs)")
        desk.until("w.runs.stop_button.isVisible() and w.runs.stop_button.isEnabled()")
        desk.ask("click(w.runs.stop_button)")
        desk.until("w.runs.confirm.yes.isVisible()")
        desk.ask("click(w.runs.confirm.yes)")
        desk.until(f"c.runs.get('{run_id}').state.value in {[state.value for state in ENDED]}")
        assert desk.ask(f"c.runs.get('{run_id}').state.value") == "stopped"

        scrub_to_a_step_and_compare(desk, root, run_id)
    finally:
        desk.close()
    assert desk.process.returncode == 0


def scrub_to_a_step_and_compare(desk: Desk, root: DataRoot, run_id: str) -> None:
    desk.until("w.runs.replay_button.isEnabled()")
    desk.ask("click(w.runs.replay_button)")
    desk.until("w.replay.isVisible() and w.replay.opened is not None and w.replay.shown is not None")
    if desk.ask("w.replay.transport.playing"):
        desk.ask("key('K')")
        desk.until("not w.replay.transport.playing")
    desk.ask("key('Home')")
    desk.until("w.replay.shown.step == 0 and w.replay.transport.position == 0")
    at_first = desk.ask("print_of(w.replay.view.image)")
    last = desk.ask("w.replay.transport.last")
    wanted = min(4, last)
    assert wanted >= 1
    for _ in range(wanted):
        desk.ask("key('Right')")
    desk.until(f"w.replay.transport.position == {wanted} and w.replay.shown.step == {wanted}")
    at_wanted = desk.ask("print_of(w.replay.view.image)")
    episode = desk.ask("w.replay.projector.episode")
    with replay.open(root.run(run_id), episode) as player:
        frames = player.frame(0), player.frame(wanted)
    simulated = [f"{frame.width}x{frame.height}:{zlib.crc32(frame.rgb):08x}" for frame in frames]
    assert [at_first, at_wanted] == simulated
    assert at_first != at_wanted or frames[0].rgb == frames[1].rgb
