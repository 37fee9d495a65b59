"""When an agent's step is complete, in an environment that returns a value per agent. Touches no file.

An agent's step is complete when it is given an observation again, or when it is over for it; what it is paid
until then is the reward of that step. The recorder and the replay ask the same rule: one keeps a journal of
what it hears, the other compares it with that journal.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from mosaic_worker.rewards import Reward, paid
from mosaic_worker.shapes import ALL, flag, numbers, per_agent

__all__ = ["Listener", "Settling"]


class Listener:
    """Who hears what happens to each agent. `turn` counts the calls of the environment's `step`."""

    turn: int

    @property
    def open(self) -> List[Any]:
        """The agents whose episode is running, in the order they joined."""
        raise NotImplementedError

    def track(self, agent: Any) -> Optional[Any]:
        """Where a running agent stands (`acted`: an action waits for its reward); None: it takes no part."""
        raise NotImplementedError

    def join(self, agent: Any, obs: Any, *, again: bool = False) -> Optional[Any]:
        """An agent takes part from here on; with `again`, also one that has been and gone."""
        raise NotImplementedError

    def act(self, agent: Any, action: Any, turn: int) -> None:
        """An agent acts in this turn."""
        raise NotImplementedError

    def step(self, agent: Any, reward: Reward, obs: Any, *, terminated: bool, truncated: bool) -> None:
        """What came of an agent's waiting action is complete."""
        raise NotImplementedError


class Settling:
    """The agents of one environment, from its resets and steps."""

    def __init__(self, agents: Listener) -> None:
        self._agents = agents
        self._owed: Dict[Any, Reward] = {}

    def begin(self, obs: Any) -> None:
        """The environment was reset: whoever is given an observation joins."""
        self._owed = {}
        if isinstance(obs, dict):
            for agent, seen in obs.items():
                self._agents.join(agent, seen)

    def stepped(self, action: Any, obs: Any, reward: Any, terminated: Any, truncated: Any) -> None:
        """The environment was stepped: whoever acted, was paid, sees something or is over."""
        agents = self._agents
        many = len(numbers(reward) or ())
        rewards = per_agent(reward, range(many) if many > 1 else agents.open)
        names = list(rewards)
        observations = per_agent(obs, names)
        self._act(per_agent(action, names))
        ends, cuts = _flags(terminated, names), _flags(truncated, names)
        for agent, given in rewards.items():
            self._owed[agent] = self._owed.get(agent, Reward(0.0)).plus(paid(given))
        for agent in agents.open:
            is_over, is_cut = _says(ends, agent), _says(cuts, agent)
            if agent in observations or is_over or is_cut:
                owed = self._owed.pop(agent, Reward(0.0))
                agents.step(agent, owed, observations.get(agent), terminated=is_over, truncated=is_cut)
        agents.turn += 1
        for agent, seen in observations.items():
            if agents.track(agent) is None and not (_says(ends, agent) or _says(cuts, agent)):
                # By name it was called back; in a list its place is filled whether it lives or not.
                agents.join(agent, seen, again=isinstance(obs, dict))

    def settle(self) -> None:
        """Nothing more will come: an action that waits gets what has come of it so far."""
        for agent in self._agents.open:
            track = self._agents.track(agent)
            if track is not None and track.acted:
                self._settle(agent)

    def _act(self, actions: Dict[Any, Any]) -> None:
        agents = self._agents
        for agent, given in actions.items():
            track = agents.track(agent) or agents.join(agent, None)
            if track is None:
                continue  # it has been and gone
            if track.acted:
                self._settle(agent)  # it was asked again without having been shown anything
            agents.act(agent, given, agents.turn)

    def _settle(self, agent: Any) -> None:
        owed = self._owed.pop(agent, Reward(0.0))
        self._agents.step(agent, owed, None, terminated=False, truncated=False)


def _flags(flags: Any, agents: List[Any]) -> Dict[Any, Any]:
    """End flags by agent; one flag for all of them stands under `__all__`."""
    found = per_agent(flags, agents)
    if isinstance(flags, dict):
        return found
    return found if hasattr(flags, "__len__") else {ALL: flags}


def _says(flags: Dict[Any, Any], agent: Any) -> bool:
    return flag(flags.get(ALL, False)) or flag(flags.get(agent, False))
