"""The line through an episode: places, clicks, and rewards that are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.ui.replay.model import Transport
from mosaic.ui.replay.timeline import Timeline


@pytest.fixture
def timeline(qtbot: QtBot) -> Timeline:
    made = Timeline(Transport(last=100, fps=10.0))
    qtbot.addWidget(made)
    made.resize(214, 64)
    made.show()
    return made


def test_a_click_seeks_to_the_nearest_step(timeline: Timeline) -> None:
    transport = timeline._transport
    for x, found in ((107, 50), (0, 0), (213, 100), (9, 1)):
        QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, 40))
        assert transport.position == found
        assert timeline.accessibleDescription() == f"Step {found} of 100"


def test_every_place_leads_back_to_its_step(timeline: Timeline) -> None:
    assert [timeline.position_at(timeline.x_of(step)) for step in range(101)] == list(range(101))


def test_rewards_are_drawn_where_they_fell(timeline: Timeline) -> None:
    empty = timeline.grab().toImage()
    rewards = np.zeros(100)
    rewards[50] = 1.0
    timeline.load(rewards)
    drawn = timeline.grab().toImage()
    changed = [x for x in range(20, 214) if drawn.pixel(x, 40) != empty.pixel(x, 40)]
    assert changed
    assert all(106 <= x <= 110 for x in changed)


@pytest.mark.parametrize("count", [1, 3, 100, 5000])
def test_any_rewards_can_be_drawn(timeline: Timeline, count: int) -> None:
    rewards = np.linspace(-1, 1, count)
    rewards[0] = math.nan
    rewards[-1] = math.inf
    timeline._transport.load(last=count, fps=30.0)
    timeline.load(rewards, diverged=0)
    assert not timeline.grab().isNull()
    timeline.resize(8, 64)
    assert not timeline.grab().isNull()


def test_values_are_a_line_over_the_rewards_where_they_are_known(timeline: Timeline) -> None:
    timeline.load(np.zeros(100))
    bare = timeline.grab().toImage()
    values = np.full(101, np.nan)
    timeline.load(np.zeros(100), values=values)
    assert timeline.grab().toImage() == bare
    values[20:61] = np.arange(41)
    timeline.load(np.zeros(100), values=values)
    lined = timeline.grab().toImage()
    changed = [
        x for x in range(214) if any(lined.pixelColor(x, y) != bare.pixelColor(x, y) for y in range(14, 64))
    ]
    assert timeline.x_of(20) - 2 <= min(changed) <= timeline.x_of(20) + 2
    assert timeline.x_of(60) - 2 <= max(changed) <= timeline.x_of(60) + 2
