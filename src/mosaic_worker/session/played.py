"""What was played: every ended episode with its return and length. Counts; decides nothing."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional

__all__ = ["Episode", "Played"]


class Episode(NamedTuple):
    """One actor's episode that has ended."""

    actor: Any
    returned: float
    """The sum of its rewards."""
    length: int
    """How many actions it took."""
    info: Any = None
    """What the environment said with the last step."""


class Played:
    """The episodes of a play, in the order they ended.

    Args:
        ended: called with each episode when it ends.
    """

    def __init__(self, ended: Optional[Callable[[Episode], None]] = None) -> None:
        self.episodes: List[Episode] = []
        self.ticks = 0
        """How often the world was stepped, unfinished episodes included."""
        self._ended = ended

    @property
    def returns(self) -> List[float]:
        """Each episode's return."""
        return [episode.returned for episode in self.episodes]

    @property
    def lengths(self) -> List[int]:
        """Each episode's length."""
        return [episode.length for episode in self.episodes]

    def add(self, episode: Episode) -> None:
        """An episode has ended."""
        self.episodes.append(episode)
        if self._ended is not None:
            self._ended(episode)
