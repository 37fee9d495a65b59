from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest

from mosaic_worker.operators import Choice, Learner, Operator, Random, Seat
from mosaic_worker.session.failing import Guarded
from mosaic_worker.session.operator import OperatorError
from mosaic_worker.session.outcome import Outcome

SEAT = Seat("player_0", gym.spaces.Discrete(3), 1)


class Scripted(Learner):
    """Does what a list says: raises exceptions, returns the rest."""

    def __init__(self, *does: Any) -> None:
        self.name = "scripted"
        self.does = list(does)

    def act(self, view: Any) -> Choice:
        del view
        one = self.does.pop(0)
        if isinstance(one, Exception):
            raise one
        return Choice(one)

    def learn(self, view: Any, choice: Choice, outcome: Any) -> None:
        if outcome.observation == "raise":
            raise RuntimeError("cannot learn that")


def guarded(operator: Operator, *, instead: bool, heard: list[str]) -> Guarded:
    other = Random() if instead else None
    if other is not None:
        other.name = "random"
    found = Guarded(operator, instead=other, tell=heard.append)
    found.begin(SEAT)
    return found


def view(mask: Any = None) -> Any:
    return SimpleNamespace(mask=mask, rule=mask, actor="player_0", step=0)


def test_what_goes_well_passes_through() -> None:
    heard: list[str] = []
    one = guarded(Scripted(2), instead=True, heard=heard)
    assert one.act(view()) == Choice(2)
    assert (one.failures, heard, one.name) == (0, [], "scripted")


@pytest.mark.parametrize("does", [ValueError("oh"), OperatorError("it died"), 7, "left"])
def test_without_a_stand_in_the_session_stops_and_says_who_failed_and_why(does: Any) -> None:
    with pytest.raises(OperatorError, match="operator 'scripted' of player_0 failed: "):
        guarded(Scripted(does), instead=False, heard=[]).act(view())


def test_a_stand_in_decides_is_named_and_each_reason_is_said_once() -> None:
    heard: list[str] = []
    one = guarded(Scripted(7, ValueError("oh"), ValueError("oh"), 1), instead=True, heard=heard)
    choices = [one.act(view()) for _ in range(4)]
    assert [choice.data and choice.data.get("by") for choice in choices] == ["random"] * 3 + [None]
    assert all(SEAT.action_space.contains(choice.action) for choice in choices)
    assert one.failures == 3
    assert [line.endswith("'random' decides instead") for line in heard] == [True, True]
    assert "ValueError: oh" in heard[1]


def test_an_illegal_move_is_a_failure_not_a_silent_replacement() -> None:
    with pytest.raises(OperatorError, match="not legal now"):
        guarded(Scripted(0), instead=False, heard=[]).act(view(mask=[0, 1, 1]))


def test_failing_to_learn_or_to_begin_counts_too() -> None:
    heard: list[str] = []
    one = guarded(Scripted(1), instead=True, heard=heard)
    one.learn(view(), Choice(1), Outcome("raise"))
    assert one.failures == 1
    assert "cannot learn that" in heard[0]

    class Late(Scripted):
        def begin(self, seat: Seat) -> None:
            raise OperatorError(f"no seat for {seat.actor}")

    assert guarded(Late(1), instead=True, heard=heard).failures == 1
    assert "no seat for player_0" in heard[1]
