"""Who decided what in a session, written before the step it is about.

A decision is written when there is something to say: with everything an operator knows of it (probabilities,
values, a text), and whenever another operator decides than before. In between, the steps themselves tell all.
"""

from __future__ import annotations

from typing import Any, Dict

import mosaic_worker
from mosaic_worker.session.operator import Choice
from mosaic_worker.standing import standing_of

__all__ = ["Ledger"]


class Ledger:
    """The decisions of one session."""

    def __init__(self) -> None:
        self._last: Dict[str, str] = {}
        """Who decided last, by episode."""

    def decided(self, env: Any, actor: Any, operator: str, choice: Choice) -> None:
        """An operator has decided; the step follows."""
        recorder = mosaic_worker.current()
        if recorder is None:
            return
        data = choice.data
        standing = standing_of(env, actor)
        if standing is None:
            return
        by = operator
        if data and "by" in data:
            by = str(data["by"])
        if not data and self._last.get(standing.episode_id) == by:
            return
        if standing.step == 0:
            self._last.clear() if len(self._last) > 1000 else None
        self._last[standing.episode_id] = by
        fields: Dict[str, Any] = {"operator": by}
        if data:
            told = {name: value for name, value in data.items() if name not in ("ms", "by")}
            if "ms" in data:
                fields["ms"] = data["ms"]
            if told:
                fields["data"] = told
        if actor != "":
            fields["agent_id"] = str(actor)
        recorder.decision(
            episode_id=standing.episode_id, step=standing.step, proposed=choice.action, **fields
        )
