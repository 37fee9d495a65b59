"""One environment with one actor: gymnasium, or gym of any age."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from mosaic_worker.session.outcome import SOLE, Outcome, first_values, five_values
from mosaic_worker.session.worlds.base import World

__all__ = ["SingleWorld"]


class SingleWorld(World):
    """An environment of gymnasium or gym. Its one actor is `SOLE`."""

    over = True

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.now = Outcome(None)
        """What came of the last step or reset."""

    def _reset(self, arguments: Dict[str, Any]) -> None:
        observation, info = first_values(self.env.reset(**arguments))
        self.now = Outcome(observation, info=info)
        self.over = False

    def look(self) -> Dict[Any, Outcome]:
        """The one outcome there is."""
        return {SOLE: self.now}

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step with the one action."""
        result = self.env.step(actions[SOLE])
        now = self.now = Outcome(*(result if len(result) == 5 else five_values(result)))
        self.over = bool(now.terminated or now.truncated)

    def action_space(self, actor: Any = SOLE) -> Any:
        """The environment's."""
        del actor
        return getattr(self.env, "action_space", None)

    def observation_space(self, actor: Any = SOLE) -> Any:
        """The environment's."""
        del actor
        return getattr(self.env, "observation_space", None)
