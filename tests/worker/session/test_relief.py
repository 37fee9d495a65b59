from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium as gym

from mosaic_worker.operators import Choice, Learner, Operator, Seat
from mosaic_worker.operators.person import Person
from mosaic_worker.session.control import NOTHING, Hand, _Owner
from mosaic_worker.session.relief import Relief

SPACE = gym.spaces.Discrete(4)
VIEW: Any = SimpleNamespace(step=3, returned=1.5, rule=None)


class Fixed(Learner):
    """Always the same action, with something to say."""

    def __init__(self, action: int) -> None:
        self.name = f"fixed {action}"
        self.action = action
        self.began: list[Any] = []
        self.learned: list[Any] = []
        self.asked = 0

    def begin(self, seat: Seat) -> None:
        self.began.append(seat)

    def act(self, view: Any) -> Choice:
        del view
        self.asked += 1
        return Choice(self.action, {"value": 0.5})

    def learn(self, view: Any, choice: Choice, outcome: Any) -> None:
        del view, outcome
        self.learned.append(choice.action)


def relief(operator: Operator, answer: Any = NOTHING) -> tuple[Relief, Hand]:
    hand = Hand("", operator=operator.name, space=SPACE, person=operator.person)
    found = Relief(operator, hand=hand, wait=lambda _: answer)
    found.begin(Seat("", SPACE, 1))
    return found, hand


def test_while_nobody_takes_the_seat_its_operator_decides() -> None:
    one, hand = relief(Fixed(2), answer=3)
    assert one.act(VIEW) == Choice(2, {"value": 0.5})
    assert hand.known == {"value": 0.5}


def test_a_person_relieves_the_operator_whose_proposal_is_kept() -> None:
    one, hand = relief(Fixed(2), answer=3)
    hand.owner = _Owner(1, "me")
    choice = one.act(VIEW)
    assert (choice.action, choice.data) == (3, {"by": "person"})
    assert choice.instead_of == Choice(2, {"value": 0.5})
    assert hand.known == {"value": 0.5}  # who plays sees what the operator thinks


def test_a_seat_given_back_while_it_was_waited_for_is_the_operators_with_its_first_answer() -> None:
    operator = Fixed(2)
    one, hand = relief(operator)
    hand.owner = _Owner(1, "me")
    assert one.act(VIEW) == Choice(2, {"value": 0.5})
    assert operator.asked == 1


def test_a_persons_own_seat_has_no_proposal_and_an_operator_put_there_decides() -> None:
    one, hand = relief(Person(), answer=3)
    assert one.act(VIEW) == Choice(3, {"by": "person"})
    before = one.replace(Fixed(1), midway=True)
    assert (before.person, hand.person, hand.operator, one.name) == (True, False, "fixed 1", "fixed 1")
    assert one.act(VIEW).action == 1


def test_who_comes_midway_begins_where_the_seat_is_and_who_changes_between_episodes_does_not_yet() -> None:
    one, hand = relief(Fixed(2))
    one.act(VIEW)
    midway, later = Fixed(1), Fixed(0)
    one.replace(midway, midway=True)
    assert hand.known is None  # that was another's
    one.replace(later, midway=False)
    assert [(seat.actor, seat.seed) for seat in midway.began] == [("", 1)]
    assert later.began == []


def test_who_learns_is_told_what_was_executed_whoever_decided() -> None:
    operator = Fixed(2)
    one, hand = relief(operator, answer=3)
    hand.owner = _Owner(1, "me")
    choice = one.act(VIEW)
    one.learn(VIEW, choice, None)  # type: ignore[arg-type]
    assert operator.learned == [3]
