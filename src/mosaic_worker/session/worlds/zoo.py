"""PettingZoo environments: all agents at once (parallel), or one after the other (AEC)."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from mosaic_worker.layers import layers
from mosaic_worker.session.outcome import GONE, SOLE, Outcome, five_values
from mosaic_worker.session.worlds.base import World

__all__ = ["AecWorld", "ParallelWorld"]


class _ZooWorld(World):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._begun = False  # before a reset an environment may have agents already, or refuse to name them

    @property
    def core(self) -> Any:
        """The innermost environment."""
        return layers(self.env)[-1]

    @property
    def over(self) -> bool:
        """Whether no agent is left, or none has begun."""
        return not (self._begun and self.env.agents)

    def action_space(self, actor: Any = SOLE) -> Any:
        """An agent's; None where the environment does not say."""
        return self._space("action_space", actor)

    def observation_space(self, actor: Any = SOLE) -> Any:
        """An agent's; None where the environment does not say."""
        return self._space("observation_space", actor)

    def _space(self, which: str, actor: Any) -> Any:
        try:
            return getattr(self.env, which)(actor)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None


class ParallelWorld(_ZooWorld):
    """All agents act in every tick."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._now: Dict[Any, Outcome] = {}

    def _reset(self, arguments: Dict[str, Any]) -> None:
        result = self.env.reset(**arguments)
        self._begun = True
        observations, infos = result if isinstance(result, tuple) else (result, {})
        self._now = {
            agent: Outcome(observations.get(agent), info=infos.get(agent)) for agent in self.env.agents
        }

    def look(self) -> Dict[Any, Outcome]:
        """The outcome of everybody who took part in the last step, or has joined since."""
        return self._now

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step with every agent's action."""
        before = list(self.env.agents)
        result = self.env.step(dict(actions))
        observations, rewards, terminations, truncations = result[:4]
        infos = result[-1]
        if len(result) == 4:
            truncations = {}  # before 1.22: observations, rewards, dones, infos
        after = list(self.env.agents)
        self._now = {
            agent: Outcome(
                observations.get(agent),
                rewards.get(agent, 0.0),
                terminations.get(agent, False),
                truncations.get(agent, False),
                infos.get(agent),
                "" if agent in after else GONE,
            )
            for agent in dict.fromkeys([*before, *after])
        }


class AecWorld(_ZooWorld):
    """One agent acts in each tick; a dead one is stepped once more, with nothing, and leaves.

    Values are read when they are asked for, as a script does: observing can be dear, and what is observed is
    recorded.
    """

    def _reset(self, arguments: Dict[str, Any]) -> None:
        self.env.reset(**arguments)
        self._begun = True

    @property
    def selected(self) -> Any:
        """The agent whose turn it is."""
        return self.env.agent_selection

    def look(self) -> Dict[Any, Outcome]:
        """What the selected agent got since its last turn."""
        if not self.env.agents:
            return {}
        return {self.env.agent_selection: Outcome(*five_values(self.env.last()))}

    def step(self, actions: Mapping[Any, Any]) -> None:
        """Step with the selected agent's action; a dead one has none."""
        self.env.step(actions.get(self.env.agent_selection))

    def dead(self, agent: Any) -> bool:
        """Whether an agent's episode has ended."""
        return bool(self.book("terminations").get(agent) or self.book("truncations").get(agent))

    def book(self, name: str) -> Any:
        """A table the environment keeps of its agents, as its outermost layer has it."""
        for layer in layers(self.env):
            if name in vars(layer):
                return vars(layer)[name]
        return getattr(self.env, name, {})

    def observe(self, agent: Any) -> Any:
        """What an agent sees."""
        return self.env.observe(agent)
