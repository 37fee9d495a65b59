"""A recorded episode in the window: frames as the player draws them, every key, failures as sentences."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import RunRow, RunState
from mosaic.replay.player import Player
from mosaic.store.reader import StoreReader
from mosaic.ui.parts import make_replay
from mosaic.ui.replay.insight import Insight
from mosaic.ui.replay.tab import ReplayTab
from mosaic.ui.shell.context import Context
from mosaic.ui.shell.widgets.full_screen import FullScreen
from tests.replay.envs import LUCKY, LUCKY_LOOP
from tests.replay.recorded import LOOP, record

WAIT = 60_000


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("recorded") / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture(scope="module")
def cartpole(recordings: Path) -> RunFolder:
    return record(recordings, LOOP.format(imports="", make='"CartPole-v1"', seed=5, episodes=6, steps=200))


@pytest.fixture(scope="module")
def lucky(recordings: Path) -> RunFolder:
    return record(recordings, LUCKY_LOOP, modules={"lucky.py": LUCKY})


@pytest.fixture
def tab(qtbot: QtBot, context: Context, recordings: Path) -> Iterator[ReplayTab]:
    made = make_replay(replace(context, root=DataRoot(recordings)))
    qtbot.addWidget(made)
    made.resize(700, 600)
    made.show()
    yield made
    made.shut()
    assert all(projector.join(30) for projector in made.replaying.retired)


def replay(qtbot: QtBot, context: Context, tab: ReplayTab, run: RunFolder, episode: int | None) -> None:
    """As another part of the window asks for it."""
    context.asks.replay.emit(run.run_id, episode)
    qtbot.waitUntil(lambda: tab.replaying.shown is not None or tab.replaying.blind, timeout=WAIT)


def step_shown(tab: ReplayTab) -> int | None:
    return None if tab.replaying.shown is None else tab.replaying.shown.step


def episode_open(tab: ReplayTab) -> int | None:
    return None if tab.replaying.opened is None else tab.replaying.opened.row.index


def return_open(tab: ReplayTab) -> float | None:
    return None if tab.replaying.opened is None else tab.replaying.opened.row.return_


def press(tab: ReplayTab, key: str) -> None:
    """What the window's keys do."""
    found = [action for action in tab.commands() if key in action.keys]
    assert len(found) == 1, f"{key}: {found}"
    assert found[0].when()
    found[0].call()


def pixels(image: QImage | None) -> bytes:
    assert image is not None
    whole = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = [bytes(cast("Any", whole.constScanLine(y)))[: whole.width() * 3] for y in range(whole.height())]
    return b"".join(rows)


def test_the_frame_of_every_step_is_the_players(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    replay(qtbot, context, tab, cartpole, 2)
    assert tab.replaying.opened is not None
    assert (tab.replaying.opened.row.index, tab.bar.badge.text().strip()) == (2, "Exact")
    last = tab.replaying.opened.last
    with Player(cartpole, 2) as player:
        for step in (0, 3, 4, last, last - 1, 1):
            tab.transport.seek(step)
            qtbot.waitUntil(lambda step=step: step_shown(tab) == step, timeout=WAIT)  # type: ignore[misc]
            assert pixels(tab.view.image) == player.frame(step).rgb
            assert tab.steps.currentIndex().row() == step
    assert tab.steps.rows.rowCount() == last + 1
    assert tab.steps.rows.index(last, 3).data() == "terminated"


def test_every_key_of_a_player_does_what_people_expect(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    replay(qtbot, context, tab, cartpole, 2)
    transport, last = tab.transport, tab.transport.last
    seen = []
    keys = ["Right", ".", "Left", "Shift+Right", ",", "End", "Shift+Left", "Home"]
    for key in keys:
        press(tab, key)
        seen.append(transport.position)
    assert seen == [1, 2, 1, 11, 10, last, last - 10, 0]
    press(tab, "L")
    press(tab, "L")
    assert (transport.playing, transport.speed) == (True, 2.0)
    press(tab, "K")
    press(tab, "J")
    assert transport.direction == -1
    press(tab, "Space")
    press(tab, ">")
    press(tab, ">")
    press(tab, "<")
    assert (transport.playing, transport.speed) == (False, 2.0)
    press(tab, "6")
    assert transport.speed == 32.0
    press(tab, "Ctrl+Right")
    qtbot.waitUntil(lambda: episode_open(tab) == 3, timeout=WAIT)
    press(tab, "Ctrl+Left")
    qtbot.waitUntil(lambda: episode_open(tab) == 2, timeout=WAIT)


def test_playing_goes_to_the_end_and_shows_it(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    replay(qtbot, context, tab, cartpole, 1)
    tab.transport.set_speed(4.0)
    press(tab, "Space")
    qtbot.waitUntil(lambda: tab.transport.ended, timeout=WAIT)
    qtbot.waitUntil(
        lambda: step_shown(tab) == tab.transport.last,
        timeout=WAIT,
    )
    assert not tab.replaying.playing_on


def test_the_best_the_worst_and_the_last_are_one_click_away(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    with StoreReader(cartpole) as reader:
        returns = reader.returns().return_.tolist()
    replay(qtbot, context, tab, cartpole, None)
    assert tab.replaying.opened is not None
    assert tab.replaying.opened.row.index == len(returns) - 1 == 5
    for button, wanted in ((tab.bar.best, max(returns)), (tab.bar.worst, min(returns))):
        button.click()
        qtbot.waitUntil(
            lambda wanted=wanted: (
                tab.replaying.opened is not None and tab.replaying.opened.row.return_ == wanted
            ),  # type: ignore[misc]
            timeout=WAIT,
        )
    newest = tab.episodes.rows
    assert [newest.index(place, 0).data() for place in range(6)] == ["5", "4", "3", "2", "1", "0"]


def test_a_module_is_imported_only_after_consent_and_a_difference_is_said(
    qtbot: QtBot, context: Context, tab: ReplayTab, lucky: RunFolder
) -> None:
    replay(qtbot, context, tab, lucky, 0)
    assert "needs your consent" in tab.notice.text
    assert [button.text() for button in tab.notice.buttons] == ["Allow importing lucky for this run"]
    tab.notice.buttons[0].click()
    qtbot.waitUntil(lambda: tab.replaying.opened is not None, timeout=WAIT)
    assert tab.bar.badge.text().strip() == "Diverged"
    assert "From step 4 on it is not as recorded" in tab.bar.about.text()
    qtbot.waitUntil(lambda: "No frame" in tab.notice.text, timeout=WAIT)
    press(tab, "End")
    assert tab.steps.currentIndex().row() == 6, "the steps can be read without frames"


def test_a_child_that_dies_is_a_sentence_and_the_episode_opens_again(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    replay(qtbot, context, tab, cartpole, 0)
    for child in psutil.Process().children(recursive=True):
        if child.pid not in before:
            os.kill(child.pid, signal.SIGKILL)
    press(tab, "End")
    qtbot.waitUntil(lambda: "No frame" in tab.notice.text, timeout=WAIT)
    assert "replay process" in tab.notice.text
    tab.notice.buttons[0].click()
    qtbot.waitUntil(lambda: step_shown(tab) == 0, timeout=WAIT)


def test_an_episode_is_exported_or_cancelled(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder, tmp_path: Path
) -> None:
    replay(qtbot, context, tab, cartpole, 0)
    tab.export_button.setChecked(True)
    bar = tab.export_bar
    assert bar.isVisible()
    assert bar.path.text().endswith("videos/episode-000000.mp4")
    target = tmp_path / "out" / "clip.mp4"
    bar.path.setText(str(target))
    bar.start()
    assert bar.busy
    qtbot.waitUntil(lambda: not bar.busy, timeout=WAIT)
    assert target.read_bytes()[4:8] == b"ftyp"
    bar.path.setText(str(tmp_path / "out" / "never.mp4"))
    bar.start()
    bar.cancel()
    qtbot.waitUntil(lambda: not bar.busy, timeout=WAIT)
    assert [path.name for path in target.parent.iterdir()] == ["clip.mp4"]
    assert "cancelled" in context.toasts.history[-1].text


def test_following_goes_to_the_newest_finished_episode(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    row = RunRow(
        run_id=cartpole.run_id, name="", state=RunState.RUNNING, reason="", created=1.0, command=["x"]
    )
    context.runs.update([row])
    replay(qtbot, context, tab, cartpole, 0)
    press(tab, "Alt+Right")
    qtbot.waitUntil(lambda: episode_open(tab) == 5, timeout=WAIT)
    assert tab.transport.playing
    tab.bar.best.click()
    assert not tab.bar.follow.isChecked(), "who chooses an episode follows no more"


def test_the_stage_goes_to_the_full_screen_with_its_keys(
    qtbot: QtBot, context: Context, tab: ReplayTab, cartpole: RunFolder
) -> None:
    replay(qtbot, context, tab, cartpole, 0)
    press(tab, "F")
    window = tab.stage.window()
    assert isinstance(window, FullScreen)
    QTest.keyClick(window, Qt.Key.Key_Right)
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert tab.transport.position == 11
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert tab.stage.window() is tab.window()
    assert tab.split.indexOf(tab.stage) == 0


def test_without_anything_it_says_what_to_do(qtbot: QtBot, context: Context, tab: ReplayTab) -> None:
    assert "Choose a run" in tab.notice.text
    context.selection.choose(["01JROW0000000000000000000A"])
    qtbot.waitUntil(lambda: not tab.replaying.reading, timeout=WAIT)
    assert "No finished episode yet" in tab.notice.text
    assert not tab.buttons.isEnabled()


@pytest.fixture(scope="module")
def taxi(recordings: Path) -> RunFolder:
    return record(recordings, LOOP.format(imports="", make='"Taxi-v4"', seed=5, episodes=2, steps=12))


def test_an_episode_is_shown_as_frame_scene_or_text_and_the_choice_is_remembered(
    qtbot: QtBot, context: Context, tab: ReplayTab, taxi: RunFolder
) -> None:
    replaying, transport = tab.replaying, tab.transport
    replaying.open(taxi.path.name, 1)
    qtbot.waitUntil(lambda: replaying.shown is not None, timeout=WAIT)
    assert tab.view.currentWidget() is tab.view.frame
    assert [tab.views.itemText(line) for line in range(tab.views.count())] == ["Frame", "Scene", "Text"]
    assert tab.views.isVisible()
    (action,) = [one for one in tab.commands() if one.id == "replay.view"]
    assert action.keys == ("V",)
    assert action.when()
    transport.seek(3)
    action.call()
    qtbot.waitUntil(lambda: tab.view.currentWidget() is tab.view.scene, timeout=WAIT)
    with Player(taxi, 1) as player:
        qtbot.waitUntil(lambda: tab.view.scene.scene == player.scene(3), timeout=WAIT)
        transport.seek(7)
        qtbot.waitUntil(lambda: tab.view.scene.scene == player.scene(7), timeout=WAIT)
    action.call()
    qtbot.waitUntil(lambda: tab.view.currentWidget() is tab.view.text, timeout=WAIT)
    assert tab.view.text.toPlainText().startswith("+---------+")
    assert tab.views.currentText() == "Text"
    replaying.go_to(0)
    qtbot.waitUntil(lambda: replaying.opened is not None and replaying.shown is not None, timeout=WAIT)
    assert tab.view.currentWidget() is tab.view.text
    assert context.views.kept == {"Taxi-v4": "text"}


def test_an_episode_without_scenes_offers_no_choice(
    qtbot: QtBot, tab: ReplayTab, cartpole: RunFolder
) -> None:
    tab.replaying.open(cartpole.path.name, 1)
    qtbot.waitUntil(lambda: tab.replaying.shown is not None, timeout=WAIT)
    assert not tab.views.isVisible()
    (action,) = [one for one in tab.commands() if one.id == "replay.view"]
    assert not action.when()


TOLD = """
import gymnasium as gym
import mosaic_worker
env = gym.make("FrozenLake-v1", is_slippery=False)
env.reset(seed=1)
for step, action in enumerate((2, 2, 1)):
    mosaic_worker.decision(operator="table", proposed=action, q=[0, step, 2, 1], value=step)
    env.step(action)
env.close()
"""


def test_what_a_decision_was_made_of_is_shown_at_its_frame(
    qtbot: QtBot, tab: ReplayTab, recordings: Path, cartpole: RunFolder
) -> None:
    told = record(recordings, TOLD)
    replaying, transport = tab.replaying, tab.transport
    replaying.open(told.path.name, 0)
    qtbot.waitUntil(lambda: replaying.opened is not None, timeout=WAIT)
    (action,) = [one for one in tab.commands() if one.id == "replay.xray"]
    assert action.keys == ("X",)
    assert action.when()
    assert not tab.xray.isVisible()
    action.call()
    assert tab.xray.isVisible()
    transport.seek(1)
    assert tab.xray.insight == Insight("q", (0.0, 1.0, 2.0, 1.0), 2, 1.0, "table")
    transport.seek(3)
    assert tab.xray.insight is None, "after the last step nothing was decided"
    assert tab.timeline._values == [(0, 0.0), (1, 1.0), (2, 2.0)]
    action.call()
    assert not tab.xray.isVisible()
    action.call()
    replaying.open(cartpole.path.name, 0)
    qtbot.waitUntil(lambda: replaying.opened is not None, timeout=WAIT)
    assert not action.when()
    assert not tab.xray.isVisible()
