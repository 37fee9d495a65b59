"""Who decided what in a session, written before the step it is about.

A decision is written when there is something to say: with everything an operator knows of it (probabilities,
values, a text), and whenever another operator decides than before. In between, the steps themselves tell all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

import mosaic_worker
from mosaic_worker.session.outcome import SOLE
from mosaic_worker.standing import standing_of

if TYPE_CHECKING:
    from mosaic_worker.session.operator import Choice

__all__ = ["Ledger"]


class Ledger:
    """The decisions of one session."""

    def __init__(self) -> None:
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
        data = dict(choice.data or {})
        by = str(data.pop("by", operator))
        now = (standing.episode_id, by)
        if not data and self._last.get(actor) == now:
            return
        self._last[actor] = now
        recorder.decision(
            episode_id=standing.episode_id,
            step=standing.step,
            agent_id=None if actor == SOLE else str(actor),
            operator=by,
            proposed=choice.action,
            ms=data.pop("ms", None),
            data=data or None,
        )
