"""Environments of gymnasium and gym that return a value per agent: one episode each, tied by their group.

RLlib's `MultiAgentEnv` and its kin return dicts by agent, others lists with one item per agent. Looks like
`episodes.Track` to the hooks, and writes what `agents.Agents` writes for PettingZoo; when an agent's step is
complete is the rule in `settling`.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from mosaic_worker import report
from mosaic_worker.hooks.agents import Agents
from mosaic_worker.settling import Settling

if TYPE_CHECKING:
    from mosaic_worker.episodes import Describe, Shared
    from mosaic_worker.hooks.agents import Shown
    from mosaic_worker.recorder import Recorder

__all__ = ["AgentsTrack", "finish_all", "names_agents"]

_tracks: weakref.WeakSet[AgentsTrack] = weakref.WeakSet()


def names_agents(env: Any, obs: Any) -> bool:
    """Whether an environment's observations are by agent, as far as can be said before its first step."""
    if not isinstance(obs, dict):
        return False
    if any(base.__name__ == "MultiAgentEnv" for base in type(env).__mro__):
        return True
    if type(getattr(env, "observation_space", None)).__name__ == "Dict":
        return False  # one agent that observes several things; if it is not, its rewards will say so
    known = getattr(env, "possible_agents", None) or getattr(env, "agents", None)
    return (
        isinstance(known, (list, tuple, set, frozenset, dict)) and bool(obs) and all(a in known for a in obs)
    )


def finish_all() -> None:
    """The process ends, and all open episodes with it."""
    for track in list(_tracks):
        track.cut()


class AgentsTrack:
    """The episodes of the agents of one environment.

    Args:
        recorder: where lines go.
        env_index: the environment's position in a vector environment.
    """

    def __init__(self, recorder: Recorder, *, env_index: int = 0) -> None:
        self._recorder = recorder
        self.env_index = env_index
        self.group: Optional[str] = None  # each episode of the environment is a group of its own
        self.owner = 0
        self.dormant = self.busy = self.over = False
        self._agents = Agents(recorder, {}, env_index=env_index)
        self._settling = Settling(self._agents)
        _tracks.add(self)

    @property
    def shared(self) -> Shared:
        """What is known of the environment."""
        return self.shown.shared

    @property
    def shown(self) -> Shown:
        """What viewers see beside a frame."""
        return self._agents.shown

    def begin(
        self,
        obs: Any,
        *,
        seed: Any = None,
        options: Any = None,
        rng: Optional[Dict[str, Any]] = None,
        describe: Optional[Describe] = None,
        changed: Optional[Dict[str, Any]] = None,
    ) -> None:
        """The environment was reset: cut what was open; whoever is given an observation joins."""
        del changed  # for a replay, and these are not replayed
        agents = self._agents
        if not agents.description and describe is not None:
            with report.guard("describing an environment"):
                named = sorted(map(str, obs)) if isinstance(obs, dict) else []
                agents.description = {**describe(), "agents": named}
        self.cut()
        self.dormant = False
        agents.begin(seed=seed, options=options, rng=rng)
        self._settling.begin(obs)

    def step(self, action: Any, obs: Any, reward: Any, terminated: Any, truncated: Any) -> None:
        """The environment was stepped: whoever acted, was paid, sees something or is over."""
        if self.dormant:
            return
        agents = self._agents
        if not agents.begun:
            self.begin(None)
        self._settling.stepped(action, obs, reward, terminated, truncated)
        agents.shown.step_count = agents.turn

    def cut(self) -> None:
        """End every open episode where it stands; an action that waits gets what has come of it so far."""
        self._settling.settle()
        for agent in self._agents.open:
            self._agents.end(agent, "cut")

    def standing(self, agent: Any) -> Optional[Tuple[str, int]]:
        """An agent's open episode, and the number its next step will have; None when it has none."""
        return self._agents.standing(agent)

    def sleep(self) -> None:
        """Record nothing until the next reset: the environment has become part of another one."""
        self.cut()
        self.dormant = True

    def __deepcopy__(self, _: Any) -> AgentsTrack:
        copy = AgentsTrack(self._recorder, env_index=self.env_index)
        copy.dormant = True
        return copy

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(None), ())

    def __del__(self) -> None:
        with report.guard("an environment's end"):
            self.cut()
