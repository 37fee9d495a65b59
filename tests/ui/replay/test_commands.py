"""The keys of a player, before there is anything to play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.ui.parts import make_replay
from mosaic.ui.replay.model import DIGIT_SPEEDS
from mosaic.ui.replay.tab import ReplayTab
from mosaic.ui.shell.model.actions import Actions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


@pytest.fixture
def tab(qtbot: QtBot, context: Context) -> Iterator[ReplayTab]:
    made = make_replay(context)
    qtbot.addWidget(made)
    yield made
    made.shut()


def test_with_nothing_open_there_is_only_following_to_be_done(tab: ReplayTab) -> None:
    able = [action for action in tab.commands() if action.when()]
    assert [action.id for action in able] == ["replay.follow"]
    before = tab.bar.follow.isChecked()
    able[0].call()
    assert tab.bar.follow.isChecked() is not before


def test_they_work_in_the_replay_alone_and_no_two_share_a_key(tab: ReplayTab) -> None:
    actions = Actions()
    actions.add(*tab.commands())
    assert actions.clashes == []
    assert {action.scope for action in actions.all()} == {"replay"}


def test_every_digit_is_a_speed_of_its_own_and_stays_out_of_the_menus(tab: ReplayTab) -> None:
    speeds = {action.keys: action for action in tab.commands() if action.hidden}
    assert set(speeds) == {(str(digit),) for digit in DIGIT_SPEEDS}
    for digit, speed in DIGIT_SPEEDS.items():
        speeds[str(digit),].call()
        assert tab.transport.speed == speed
