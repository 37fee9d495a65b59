"""A unit: one reset and the turns until the next, as recorded. What is replayed as a whole.

`kind` single: one episode. aec, parallel, dicts: one episode of the environment, with all its agents. vector:
from one reset of the whole to the next, with all episodes of all positions.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

__all__ = ["Unit"]


class Unit:
    """One recorded unit, as the workbench sends it."""

    __slots__ = ("agents", "first", "reset", "turns")

    def __init__(
        self, *, reset: Dict[str, Any], first: Any, turns: List[Any], agents: Optional[Dict[str, Any]] = None
    ) -> None:
        self.reset = reset
        self.first = first
        self.turns = turns
        self.agents = agents or {}

    @classmethod
    def parse(cls, data: bytes) -> Unit:
        """The unit in a message's body."""
        return cls.from_json(json.loads(data))

    @classmethod
    def from_json(cls, found: Dict[str, Any]) -> Unit:
        """The unit in a JSON object."""
        return cls(
            reset=found["reset"], first=found.get("first"), turns=found["turns"], agents=found.get("agents")
        )

    @property
    def called(self) -> bool:
        """Whether there was a reset at all: steps after an episode's end make a unit without one."""
        return bool(self.reset.get("called", True))
