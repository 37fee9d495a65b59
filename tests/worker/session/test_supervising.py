"""Supervisors one after the other: what they let through, what they change, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_worker.session.operator import Choice, Operator
from mosaic_worker.session.outcome import Outcome
from mosaic_worker.session.supervising import (
    ALLOW,
    Supervisor,
    Verdict,
    VetoedError,
    replace,
    supervise,
    veto,
)
from mosaic_worker.session.view import View


class Says(Supervisor):
    """Says what it was told to of each action; allows the others."""

    def __init__(self, **verdicts: Verdict) -> None:
        self.verdicts = verdicts
        self.reviewed: list[Any] = []

    def review(self, view: View, choice: Choice) -> Verdict:
        self.reviewed.append(choice.action)
        return self.verdicts.get(choice.action, ALLOW)


class Offers(Operator):
    """Has these actions left, and remembers what it was told each time."""

    def __init__(self, *actions: str) -> None:
        self.actions = list(actions)
        self.told: list[Any] = []

    def act(self, view: View) -> Choice:
        self.told.append(view.refused)
        return Choice(self.actions.pop(0), {"left": len(self.actions)})


def view(step: int = 7) -> View:
    world: Any = None
    return View(world, "a", Outcome(0), step, 0.0)


def test_without_supervisors_and_when_all_allow_the_choice_is_executed_as_it_is() -> None:
    choice, operator, one, two = Choice("left", {"p": 0.5}), Offers(), Says(), Says()
    assert supervise([], operator, view(), choice) is choice
    assert supervise([one, two], operator, view(), choice) is choice
    assert (one.reviewed, two.reviewed) == (["left"], ["left"])


def test_a_replaced_action_keeps_what_is_known_and_goes_to_those_after() -> None:
    first, second = Says(left=replace("right", "a wall")), Says(right=replace("up", "a hole"))
    last = Says()
    found = supervise([first, second, last], Offers(), view(), Choice("left", {"p": 0.5}))
    assert found == Choice("up", {"p": 0.5})
    assert (first.reviewed, second.reviewed, last.reviewed) == (["left"], ["right"], ["up"])


def test_a_veto_ends_the_round_and_the_next_choice_is_reviewed_by_all() -> None:
    first, second, operator = Says(left=veto("a wall")), Says(), Offers("right")
    looked = view()
    found = supervise([first, second], operator, looked, Choice("left"))
    assert found == Choice("right", {"left": 0})
    assert (first.reviewed, second.reviewed) == (["left", "right"], ["right"])
    assert operator.told == [(("left", "a wall"),)]
    assert looked.refused == (("left", "a wall"),)


def test_what_is_refused_is_the_action_as_it_was_when_it_was_vetoed() -> None:
    operator = Offers("up")
    supervise(
        [Says(left=replace("right", "a wall")), Says(right=veto("a hole"))], operator, view(), Choice("left")
    )
    assert operator.told == [(("right", "a hole"),)]


@pytest.mark.parametrize("asks", [1, 2, 3])
def test_at_so_many_vetoes_it_is_said_which_actions_were_refused_and_why(asks: int) -> None:
    guard, operator = Says(a=veto("one"), b=veto("two"), c=veto("three")), Offers("b", "c", "d")
    with pytest.raises(VetoedError) as raised:
        supervise([guard], operator, view(step=7), Choice("a"), asks=asks)
    reasons = "; ".join(["'a': one", "'b': two", "'c': three"][:asks])
    assert str(raised.value) == (f"all {asks} actions the operator had for step 7 were vetoed: {reasons}")
    assert len(operator.told) == asks - 1


def test_one_veto_fewer_and_the_play_goes_on() -> None:
    guard = Says(a=veto("one"), b=veto("two"))
    assert supervise([guard], Offers("b", "c"), view(), Choice("a"), asks=3).action == "c"


def test_a_supervisor_has_to_judge() -> None:
    with pytest.raises(NotImplementedError):
        Supervisor().review(view(), Choice("left"))
