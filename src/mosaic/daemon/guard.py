"""Calls nobody waits for, of which one may fail without harm to the others: what it raised is logged.

Each failure is logged once, not at every tick. Refuses to hide what a user asked for: such calls are made
without a guard, and the user gets the error.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mosaic.errors import MosaicError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Guard"]

_log = logging.getLogger(__name__)


class Guard:
    """Remembers the last failure of each call of each owner: bounded by runs and places times their calls."""

    def __init__(self) -> None:
        self._said: dict[str, dict[str, str]] = {}

    def failure(self, owner: str, name: str, call: Callable[[], object]) -> str:
        """Make a call; why it failed, or nothing when it worked.

        Args:
            owner: Whose call it is, as the log names it: `run R` or `place P`.
            name: Which call.
            call: What to call.
        """
        try:
            call()
        except Exception as error:  # noqa: BLE001  (whatever one run or place raises, the others come next)
            why = str(error) if isinstance(error, MosaicError) else f"{type(error).__name__}: {error}"
            said = self._said.setdefault(owner, {})
            if said.get(name) != why:
                said[name] = why
                unexpected = None if isinstance(error, MosaicError) else error
                _log.warning("%s: %s failed: %s", owner, name, why, exc_info=unexpected)
            return why
        return ""

    def forget(self, owner: str) -> None:
        """Let go of an owner that is gone."""
        self._said.pop(owner, None)
