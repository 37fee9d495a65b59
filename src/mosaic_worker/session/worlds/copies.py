"""Several copies of one environment in lock-step: each is an actor, and all act in every tick.

A copy whose episode has ended waits until all have: the first to end resets nobody.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

from mosaic_worker.session.outcome import SOLE, Outcome
from mosaic_worker.session.worlds.base import World
from mosaic_worker.session.worlds.single import SingleWorld

__all__ = ["CopiesWorld"]


class CopiesWorld(World):
    """Environments side by side, reset with the same seed.

    Args:
        envs: the copies, by the name of whoever acts in each. The world owns them.
    """

    def __init__(self, envs: Mapping[str, Any]) -> None:
        if not envs:
            raise ValueError("a world of copies has at least one")
        self._copies = {name: SingleWorld(env) for name, env in envs.items()}
        self._now: Dict[Any, Outcome] = {}
        super().__init__(next(iter(envs.values())))

    @property
    def over(self) -> bool:
        """Whether every copy's episode has ended, or none has begun."""
        return all(copy.over for copy in self._copies.values())

    def _reset(self, arguments: Dict[str, Any]) -> None:
        for copy in self._copies.values():
            copy.reset(**arguments)
        self._now = {name: copy.now for name, copy in self._copies.items()}

    def look(self) -> Dict[Any, Outcome]:
        """The outcomes of those that were in the last tick; who ended earlier waits, and is not looked at."""
        return self._now

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step each copy whose actor acts."""
        for name, action in actions.items():
            self._copies[name].step({SOLE: action})
        self._now = {name: self._copies[name].now for name in actions}

    def env_of(self, actor: Any = SOLE) -> Any:
        """The copy an actor is in."""
        return self._copies[actor].env

    def action_space(self, actor: Any = SOLE) -> Any:
        """The same in every copy."""
        return self._copies[actor].action_space()

    def observation_space(self, actor: Any = SOLE) -> Any:
        """The same in every copy."""
        return self._copies[actor].observation_space()

    def draw(self, actor: Any = SOLE) -> Any:
        """A frame of one copy."""
        return self._copies[actor].draw()

    def close(self) -> None:
        """Let all of them go."""
        for copy in self._copies.values():
            copy.close()
