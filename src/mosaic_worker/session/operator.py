"""What an operator is: asked with a view, it answers with a choice. Knows no environment and no loop."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional

if TYPE_CHECKING:
    from mosaic_worker.session.outcome import Outcome
    from mosaic_worker.session.view import View

__all__ = ["Choice", "Learner", "Operator", "OperatorError", "Seat", "seed_of"]


class OperatorError(Exception):
    """An operator cannot decide. The text says who, why, and where to look."""


class Choice(NamedTuple):
    """An operator's decision."""

    action: Any
    data: Optional[Dict[str, Any]] = None
    """What is known of the decision: probabilities, values, a text, how long it took."""
    instead_of: Optional[Any] = None
    """Where a person relieved an operator: the choice of that operator, which was not executed."""


class Seat(NamedTuple):
    """What an operator is given before its first decision: for whom it decides, and its own seed."""

    actor: Any
    action_space: Any
    seed: Optional[int]


class Operator:
    """Decides for one actor. The loop calls `begin` once, then `act` for every decision.

    Whoever seats operators that take time to load calls `start` of all of them, then `wait_ready` of each,
    and `close` in the end.
    """

    name = ""
    """Who it is, as people typed it; the record of its decisions says so."""
    person = False
    """Whether it is a person, who decides through the session's socket."""

    def start(self) -> None:
        """Begin to load whatever it needs, and return at once."""

    def wait_ready(self) -> None:
        """Return when it can decide.

        Raises:
            OperatorError: it never will.
        """

    def ready(self) -> bool:
        """Whether it can decide; asked after `start`, now and then, by whoever does not want to wait.

        Raises:
            OperatorError: it never will.
        """
        self.wait_ready()
        return True

    def close(self) -> None:
        """No further decision follows: let everything go."""

    def begin(self, seat: Seat) -> None:
        """The loop has found the seat's actor; the first decision follows."""

    def act(self, view: View) -> Choice:
        """Decide. `view.step` is 0 at the first decision of every episode."""
        raise NotImplementedError


class Learner(Operator):
    """An operator that learns from what comes of its decisions."""

    def learn(self, view: View, choice: Choice, outcome: Outcome) -> None:
        """The loop knows what came of a choice, as it was executed; called before the next `act`."""
        raise NotImplementedError


def seed_of(seed: Optional[int], seat: int) -> Optional[int]:
    """The seed of one seat: its own, whatever the others draw; None when nothing is seeded.

    The first seat has the seed itself, so a lone operator draws what anyone who seeds with it draws.
    """
    if seed is None or seat == 0:
        return seed
    return zlib.crc32(f"{seed}/{seat}".encode())
