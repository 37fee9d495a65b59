"""The bar above a replay: how exact it is, in words; which episodes there are."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from mosaic.protocol.rows import EpisodeRow
from mosaic.replay.verdicts import CANNOT, DIVERGED, EXACT, Verdict
from mosaic.ui.replay.episode_bar import EpisodeBar, badge_of
from mosaic.ui.replay.model import Book
from mosaic.ui.replay.projector import Opened


def verdict(status: str, **more: object) -> Verdict:
    return Verdict(episode=0, episode_id="e", status=status, **more)  # type: ignore[arg-type]


def test_an_exact_replay_says_what_that_means() -> None:
    assert badge_of(verdict(EXACT)) == (
        "Exact",
        "good",
        "Every observation, reward and flag came out bit for bit as recorded.",
    )


@pytest.mark.parametrize(("step", "place"), [(-1, "its reset"), (0, "step 1"), (1233, "step 1,234")])
def test_a_difference_says_where_and_what(step: int, place: str) -> None:
    word, tone, said = badge_of(
        verdict(DIVERGED, step=step, what="obs", recorded="1", now="2", reason="numpy")
    )
    assert (word, tone) == ("Diverged", "bad")
    assert said == f"From {place} on it is not as recorded: obs was 1, is 2. numpy."


def test_what_cannot_be_replayed_says_why_without_control_characters() -> None:
    assert badge_of(verdict(CANNOT, reason="no \x1b env"))[2] == "cannot be replayed: no \\x1b env"


def test_it_shows_the_open_episode_and_takes_a_typed_number(qtbot: QtBot) -> None:
    bar = EpisodeBar()
    qtbot.addWidget(bar)
    typed: list[int] = []
    bar.chosen = typed.append
    assert not bar.badge.isVisibleTo(bar)
    index = np.arange(2000)
    zeros = np.zeros(2000)
    bar.show_book(Book(index, zeros, index))
    assert bar.of.text() == "of 2,000 finished"
    row = EpisodeRow(episode_id="e", index=7, return_=1.5, seed=3, outcome="terminated", agent_id="red\n")
    bar.show_number(7)
    bar.show_opened(Opened(row=row, steps=[], verdict=verdict(EXACT), fps=30.0, env_id="Lake-v1"))
    assert bar.about.text() == "Lake-v1 · return 1.5 · 0 steps · agent red\\n · seed 3 · terminated"
    assert bar.badge.isVisibleTo(bar)
    assert typed == []
    bar.number.selectAll()
    QTest.keyClicks(bar.number, "12")
    QTest.keyClick(bar.number, Qt.Key.Key_Return)
    assert typed == [12]
