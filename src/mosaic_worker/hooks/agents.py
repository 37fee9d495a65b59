"""Episodes of the agents of one multi-agent environment: one each, tied together by their group.

Knows no framework and touches no environment: told who joined, acted and ended, it writes the events.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["Agents", "Track"]


class Track:
    """Where one agent stands in its episode. `acted` says that an action waits for its reward."""

    __slots__ = ("acted", "action", "episode_id", "returned", "step", "t_start", "turn")

    def __init__(self, episode_id: str, t_start: float) -> None:
        self.episode_id = episode_id
        self.t_start = t_start
        self.step = 0
        self.returned = 0.0
        self.acted = False
        self.action: Any = None
        self.turn = 0


class Agents:
    """The running episodes of one environment: `begin` starts the next group, agents `join` it."""

    def __init__(self, recorder: Recorder, describe: Dict[str, Any]) -> None:
        self.turn = 0
        self._recorder = recorder
        self._describe = describe
        self._env_key = ""
        self._epoch = -1
        self._count = 0
        self._group: Optional[str] = None
        self._reset: Dict[str, Any] = {}
        self._told = False
        self._open: Dict[Any, Track] = {}
        self._known: Set[Any] = set()

    @property
    def open(self) -> List[Any]:
        """The agents whose episode is running, in the order they joined."""
        if self._epoch != self._recorder.epoch:
            self._forget()
        return list(self._open)

    def _forget(self) -> None:
        """A forked child leaves these episodes to its parent, and records from its own first reset on."""
        self._open, self._group = {}, None

    def begin(self, *, seed: Any, options: Any, rng: Any) -> None:
        """A new episode of the environment: whoever is still in the old one is cut."""
        for agent in self.open:
            self.end(agent, "cut")
        if self._epoch != self._recorder.epoch:
            self._epoch = self._recorder.epoch
            self._env_key = self._recorder.new_env_key()
            self._count, self._told = 0, False
        self._group = "{}.{}.{}".format(self._recorder.producer, self._env_key, self._count)
        self._count += 1
        self._known = set()
        self.turn = 0
        self._reset = {"seeded": seed is not None}
        if seed is not None:
            self._reset["seed"] = seed
        if options is not None:
            self._reset["options"] = options
        if rng is not None:
            self._reset["rng"] = rng

    def track(self, agent: Any) -> Optional[Track]:
        """Where an agent stands, or None when it is not in this episode (yet, or any more)."""
        if self._epoch != self._recorder.epoch:
            self._forget()
        return self._open.get(agent)

    def join(self, agent: Any, obs: Any) -> Optional[Track]:
        """An agent takes part from here on. None when there is no episode, or it has been and gone."""
        if self._group is None or agent in self._known:
            return None
        episode_id = "{}:{}".format(self._group, agent)
        event = {
            "type": "reset",
            "episode_id": episode_id,
            "env_key": self._env_key,
            "agent_id": str(agent),
            "group": self._group,
            "obs": obs,
        }
        event.update(self._reset)
        if not self._told:
            self._told = True
            event["env"] = self._describe
        self._recorder.emit(event)
        self._known.add(agent)
        self._open[agent] = track = Track(episode_id, time.time())
        return track

    def step(self, agent: Any, reward: float, obs: Any, *, terminated: bool, truncated: bool) -> None:
        """The reward of an agent's waiting action is known: its step is done, and the episode may be."""
        track = self._open[agent]
        track.returned += reward
        if track.acted:
            self._recorder.emit(
                {
                    "type": "step",
                    "episode_id": track.episode_id,
                    "step": track.step,
                    "action": track.action,
                    "reward": reward,
                    "terminated": terminated,
                    "truncated": truncated,
                    "obs": obs,
                    "agent_id": str(agent),
                    "turn": track.turn,
                }
            )
            track.step += 1
            track.acted = False
            track.action = None
        if terminated or truncated:
            self.end(agent, "terminated" if terminated else "truncated")

    def act(self, agent: Any, action: Any, turn: int) -> None:
        """An agent acted in the `turn`-th step call of the environment; `step` tells what came of it."""
        track = self._open[agent]
        track.acted, track.action, track.turn = True, action, turn

    def end(self, agent: Any, outcome: str) -> None:
        """An agent's episode is over."""
        track = self._open.pop(agent)
        self._recorder.emit(
            {
                "type": "episode",
                "episode_id": track.episode_id,
                "steps": track.step,
                "return": track.returned,
                "outcome": outcome,
                "t_start": track.t_start,
                "t_end": time.time(),
                "agent_id": str(agent),
            }
        )
