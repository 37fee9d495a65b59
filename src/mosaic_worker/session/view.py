"""What an operator and a supervisor may look at when a decision is due. Dear things are made on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Tuple

if TYPE_CHECKING:
    from mosaic_worker.session.outcome import Outcome
    from mosaic_worker.session.worlds import World

__all__ = ["View"]


class View:
    """One decision's view. Made anew for each, so that whoever keeps one keeps that moment's."""

    __slots__ = ("_world", "actor", "info", "observation", "refused", "returned", "step")

    def __init__(self, world: World, actor: Any, now: Outcome, step: int, returned: float) -> None:
        self._world = world
        self.actor = actor
        """Who acts."""
        self.observation = now.observation
        self.info = now.info
        self.step = step
        """How many steps the actor has made in this episode: 0 is the moment to forget the last one."""
        self.returned = returned
        """The sum of its rewards in this episode so far."""
        self.refused: Tuple[Tuple[Any, str], ...] = ()
        """Actions vetoed for this very decision, with the reasons: what an operator is asked again about."""

    @property
    def mask(self) -> Any:
        """Which actions make sense: `action_mask` of the observation or the info; None when nobody says."""
        rule = self.rule
        if rule is not None:
            return rule
        return self.info.get("action_mask") if isinstance(self.info, dict) else None

    @property
    def rule(self) -> Any:
        """The mask outside of which an action breaks the rules: the observation's, as board games have it.

        What stands in the info is advice: Taxi takes the others too, and they change nothing.
        """
        observation = self.observation
        return observation.get("action_mask") if isinstance(observation, dict) else None

    def frame(self) -> Any:
        """An RGB frame of the environment as it stands now; None when it gives none."""
        return self._world.draw(self.actor)
