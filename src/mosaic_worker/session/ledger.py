"""Who decided what in a session, written before the step it is about.

A decision is written when there is something to say: with everything an operator knows of it (probabilities,
values, a text), whenever another operator decides than before, and at every step at which a person has taken
the seat: what its operator proposed, and what the person did instead. In between, the steps tell all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

import mosaic_worker
from mosaic_worker.common.hands import PERSON
from mosaic_worker.session.outcome import SOLE
from mosaic_worker.standing import standing_of

if TYPE_CHECKING:
    from mosaic_worker.session.operator import Choice

__all__ = ["Ledger"]

_TAKEN = {"verdict": "replace", "by": PERSON, "reason": "taken over"}


class Ledger:
    """The decisions of one session.

    Args:
        quiet: only what a person changed is written, and who decides again afterwards.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._last: Dict[Any, Tuple[str, str]] = {}
        """Of each actor: its episode, and who decided last in it."""

    def decided(self, env: Any, actor: Any, operator: str, choice: Choice) -> None:
        """An operator has decided; the step follows.

        Args:
            env: where the actor is.
            actor: for whom it decided.
            operator: who it was, unless the choice says otherwise (`by`).
            choice: its action, and what it knows of it.
        """
        recorder = mosaic_worker.current()
        standing = None if recorder is None else standing_of(env, actor)
        if recorder is None or standing is None:
            return
        taken = choice.instead_of
        data = dict((choice if taken is None else taken).data or {})
        by = str(data.pop("by", operator))
        now = (standing.episode_id, by)
        last = self._last.get(actor)
        if taken is None and not data and last == now:
            return
        if self._quiet and taken is None and (last is None or last[1] != PERSON):
            return
        self._last[actor] = now if taken is None else (standing.episode_id, PERSON)
        corrected = {} if taken is None else {"executed": choice.action, **_TAKEN}
        recorder.decision(
            episode_id=standing.episode_id,
            step=standing.step,
            agent_id=None if actor == SOLE else str(actor),
            operator=by,
            proposed=choice.action if taken is None else taken.action,
            ms=data.pop("ms", None),
            data=data or None,
            **corrected,
        )
