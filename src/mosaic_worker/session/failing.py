"""What becomes of a seat whose operator fails: the session stops, or another one decides. Counted."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from mosaic_worker.session.fitting import checked
from mosaic_worker.session.operator import Choice, Learner, Operator, OperatorError, Seat, seed_of

if TYPE_CHECKING:
    from mosaic_worker.session.outcome import Outcome
    from mosaic_worker.session.view import View

__all__ = ["STOP", "Guarded"]

STOP = "stop"
_GO_ON = "To let another decide where it fails: --on-failure noop, or random"


class Guarded(Learner):
    """An operator whose failures are contained: it raises, dies, hangs, or answers what is not an action.

    Args:
        operator: who decides.
        instead: who decides when it fails; None stops the session.
        tell: called with a sentence at the first failure of a play.
        trusted: whether its actions need no check: our own `random` draws from the space itself.
    """

    def __init__(
        self,
        operator: Operator,
        *,
        instead: Optional[Operator],
        tell: Callable[[str], None],
        trusted: bool = False,
    ) -> None:
        self.name, self.person = operator.name, operator.person
        self.failures = 0
        self.game = 0
        """Which of the games with one seed is played: in each it draws anew."""
        self._operator = operator
        self._instead = instead
        self._tell = tell
        self._trusted = trusted
        self._learn = operator.learn if isinstance(operator, Learner) else None
        self._space: Any = None
        self._told: Dict[str, int] = {}

    def start(self) -> None:
        """Start the operator."""
        self._operator.start()

    def wait_ready(self) -> None:
        """Wait for the operator."""
        self._operator.wait_ready()

    def ready(self) -> bool:
        """Whether the operator is."""
        return self._operator.ready()

    def close(self) -> None:
        """Close the operator."""
        self._operator.close()

    def begin(self, seat: Seat) -> None:
        """Begin both."""
        seat = seat._replace(seed=seed_of(seat.seed, self.game))
        self._space = seat.action_space
        if self._instead is not None:
            self._instead.begin(seat)
        try:
            self._operator.begin(seat)
        except Exception as error:  # noqa: BLE001  (a stranger's code may raise anything)
            self._failed(error, seat.actor)

    def act(self, view: View) -> Choice:
        """Ask the operator; if it fails, the other one."""
        try:
            choice = self._operator.act(view)
            if not self._trusted:
                checked(choice.action, self._space, view.rule)
        except Exception as error:  # noqa: BLE001  (as above)
            self._failed(error, view.actor)
            assert self._instead is not None  # noqa: S101  (else the failure was raised)
            choice = self._instead.act(view)
            return choice._replace(data={**(choice.data or {}), "how": "failed", "by": self._instead.name})
        return choice

    def learn(self, view: View, choice: Choice, outcome: Outcome) -> None:
        """Tell the operator, if it learns."""
        if self._learn is None:
            return
        try:
            self._learn(view, choice, outcome)
        except Exception as error:  # noqa: BLE001  (as above)
            self._failed(error, view.actor)

    def _failed(self, error: Exception, actor: Any) -> None:
        """Count it; stop the session, or say who decides now."""
        self.failures += 1
        why = str(error) if isinstance(error, OperatorError) else _told(error)
        who = f"operator {self.name!r}" + (f" of {actor}" if actor != "" else "")
        if self._instead is None:
            raise OperatorError(f"{who} failed: {why}. {_GO_ON}") from error
        if why not in self._told:  # each reason once: a dead operator fails at every step
            self._told[why] = 1
            self._tell(f"{who} failed: {why}. {self._instead.name!r} decides instead")


def _told(error: Exception) -> str:
    """An error of somebody's code, with the line it was raised on."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
