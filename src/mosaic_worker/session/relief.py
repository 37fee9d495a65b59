"""An operator whom a person may relieve at any step, and whom another may follow; the episode goes on.

While a person has the seat its operator is asked all the same: what it would have done is kept beside what
was done, and it has seen every step when the seat is given back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional

from mosaic_worker.common.hands import PERSON
from mosaic_worker.session.control import NOTHING, Hand
from mosaic_worker.session.operator import Choice, Learner, Operator, Seat

if TYPE_CHECKING:
    from mosaic_worker.session.outcome import Outcome
    from mosaic_worker.session.view import View

__all__ = ["Relief"]


class Relief(Learner):
    """The operator of a seat, as the loop sees it.

    Args:
        operator: who decides while no person does.
        hand: what people do in this seat.
        wait: waits for a person's action in a seat; `NOTHING` when nobody has it any more.
    """

    def __init__(self, operator: Operator, *, hand: Hand, wait: Callable[[Hand], Any]) -> None:
        self.operator = operator
        self._hand = hand
        self._wait = wait
        self._seat: Optional[Seat] = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of whoever sits here now."""
        return self.operator.name

    def close(self) -> None:
        """Close whoever sits here now."""
        self.operator.close()

    def begin(self, seat: Seat) -> None:
        """A play begins."""
        self._seat = seat
        self.operator.begin(seat)

    def replace(self, operator: Operator, *, midway: bool) -> Operator:
        """Put another operator into the seat, which is ready. The one before.

        Args:
            operator: who decides from now on.
            midway: whether a play goes on; else `begin` follows.
        """
        if midway and self._seat is not None:
            operator.begin(self._seat)
        before, self.operator = self.operator, operator
        hand = self._hand
        hand.operator, hand.person, hand.known = operator.name, operator.person, None
        return before

    def act(self, view: View) -> Choice:
        """Ask whoever decides now."""
        hand = self._hand
        if not hand.played:
            choice = self.operator.act(view)
            hand.known = choice.data
            return choice
        proposed = None if hand.person else self.operator.act(view)
        hand.known = None if proposed is None else proposed.data
        action = self._wait(hand)
        if action is not NOTHING:
            return Choice(action, {"by": PERSON}, proposed)
        return self.operator.act(view) if proposed is None else proposed

    def learn(self, view: View, choice: Choice, outcome: Outcome) -> None:
        """Tell the operator what came of the executed choice, whosever it was."""
        if isinstance(self.operator, Learner):
            self.operator.learn(view, choice, outcome)
