"""Episodes of the agents of one multi-agent environment: one each, tied together by their group.

Knows no framework and touches no environment. The hooks say who joined, acted and ended; this writes it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from mosaic_worker import roles
from mosaic_worker.arguments import hidden
from mosaic_worker.encode import ArrayHead, dumps, float_bytes, object_bytes, value_bytes
from mosaic_worker.episodes import ACTION_BYTES, Shared
from mosaic_worker.settling import Listener
from mosaic_worker.values import text

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder
    from mosaic_worker.rewards import Reward

__all__ = ["Agents", "Shown", "Track"]

_MAX_KEYS = 256


class Track:
    """Where one agent stands in its episode. `acted` says that an action waits for its reward."""

    __slots__ = ("acted", "action", "episode_id", "prefix", "returned", "step", "t_start", "turn")

    def __init__(self, episode_id: str, t_start: int) -> None:
        self.episode_id = episode_id
        self.prefix = b'{"type":"step","episode_id":%b,"step":' % dumps(episode_id)
        self.t_start = t_start
        self.step = 0
        self.returned = 0.0
        self.acted = False
        self.action: Any = None
        self.turn = 0


class Shown:
    """What viewers see of a multi-agent environment beside its frame: the numbers of all agents together."""

    __slots__ = (
        "__weakref__",
        "env_index",
        "episode_id",
        "group",
        "last",
        "reward",
        "shared",
        "step_count",
        "total",
    )

    def __init__(self) -> None:
        self.env_index, self.group = 0, None
        self.shared = Shared()
        self.episode_id, self.step_count = "", 0
        self.reward = self.total = 0.0
        self.last: Any = None
        """The last action of an agent, for scenes that mark it; kept only while somebody watches."""


class _Codec:
    """How one agent's values are written: what is the same in every line is made once."""

    __slots__ = ("_action", "_keys", "_limit", "_obs", "agent_id", "suffix")

    def __init__(self, agent: Any, limit: int) -> None:
        self.agent_id = text(str(agent))
        self.suffix = b',"agent_id":%b,"turn":' % dumps(self.agent_id)
        self._limit = limit
        self._obs, self._action = ArrayHead(limit), ArrayHead(max(limit, ACTION_BYTES))
        self._keys: Dict[str, Tuple[bytes, ArrayHead]] = {}

    def action(self, action: Any) -> bytes:
        return self._action.bytes_of(action)

    def obs(self, obs: Any) -> bytes:
        if type(obs) is not dict:
            return self._obs.bytes_of(obs)
        parts = []
        for key, value in obs.items():
            known = self._keys.get(key)
            if known is None:
                if type(key) is not str or len(self._keys) >= _MAX_KEYS:
                    return value_bytes(obs, self._limit)
                known = self._keys[key] = (dumps(text(key)) + b":", ArrayHead(self._limit))
            parts.append(known[0] + known[1].bytes_of(value))
        return b"{%b}" % b",".join(parts)


class Agents(Listener):
    """The running episodes of one environment: `begin` starts the next group, agents `join` it."""

    def __init__(self, recorder: Recorder, describe: Dict[str, Any], *, env_index: int = 0) -> None:
        self.turn = 0
        self.shown = Shown()
        self._recorder = recorder
        self.description = describe
        self._position = {"env_index": env_index} if env_index else {}
        self._env_key = ""
        self._epoch = -1
        self._count = 0
        self._group: Optional[str] = None
        self._reset = b""
        self._told = False
        self._channel = recorder.channel()
        self._codecs: Dict[Any, _Codec] = {}
        self._open: Dict[Any, Track] = {}
        self._known: Dict[Any, int] = {}

    @property
    def begun(self) -> bool:
        """Whether an episode of the environment has begun in this process."""
        if self._epoch != self._recorder.epoch:
            self._forget()
        return self._group is not None

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
            self._channel = self._recorder.channel()
        self._group = "{}.{}.{}".format(self._recorder.producer, self._env_key, self._count)
        self._count += 1
        self._known = {}
        self.turn = 0
        shown = self.shown
        shown.shared.episodes, shown.episode_id = self._count, self._group
        shown.reward = shown.total = 0.0
        shown.last = None
        fields: Dict[str, Any] = {**self._position, "seeded": seed is not None}
        role = roles.of_episode(shown.shared.role)
        if role is not None:
            fields["role"] = role
        if seed is not None:
            fields["seed"] = seed
        if options is not None:
            fields["options"] = hidden({"options": options})["options"]
        if rng is not None:
            fields["rng"] = rng
        self._reset = self._fields(fields)

    def _fields(self, fields: Dict[str, Any]) -> bytes:
        """Fields to go on with inside an object."""
        return b"," + object_bytes(fields, self._recorder.inline_bytes)[1:]

    def track(self, agent: Any) -> Optional[Track]:
        """Where an agent stands, or None when it is not in this episode (yet, or any more)."""
        if self._epoch != self._recorder.epoch:
            self._forget()
        return self._open.get(agent)

    def join(self, agent: Any, obs: Any, *, again: bool = False) -> Optional[Track]:
        """An agent takes part from here on. None when there is no episode, or it has been and gone.

        `again`: one that has been and gone may come back, and has another episode in the same group.
        """
        times = self._known.get(agent, 0)
        if self._group is None or (times and not again):
            return None
        codec = self._codec(agent)
        episode_id = self._episode_id(codec, times)
        named = (dumps(episode_id), dumps(self._env_key), dumps(codec.agent_id), dumps(self._group))
        env = b"" if self._told else self._fields({"env": hidden(self.description)})
        now = time.time_ns() // 1000
        body = (
            b'{"type":"reset","episode_id":%b,"env_key":%b,"agent_id":%b,"group":%b%b%b,"obs":%b,"t":%de-6'
            % (*named, self._reset, env, codec.obs(obs), now)
        )
        track = Track(episode_id, now)
        # Everything is made, then noted, then written: an interrupt may lose a line, but no line comes twice.
        self._open[agent] = track
        self._known[agent] = times + 1
        self._channel.append(body)
        self._told = True
        return track

    def standing(self, agent: Any) -> Optional[Tuple[str, int]]:
        """An agent's episode, and the number its next step will have; also just before it joins.

        None when there is no episode, or it has been and gone.
        """
        track = self.track(agent)
        if track is not None:
            return track.episode_id, track.step + (1 if track.acted else 0)
        if self._group is None or self._known.get(agent, 0):
            return None
        return self._episode_id(self._codec(agent), 0), 0

    def _codec(self, agent: Any) -> _Codec:
        codec = self._codecs.get(agent)
        if codec is None:
            codec = self._codecs[agent] = _Codec(agent, self._recorder.inline_bytes)
        return codec

    def _episode_id(self, codec: _Codec, times: int) -> str:
        return "{}:{}".format(self._group, codec.agent_id) + (f"~{times}" if times else "")

    def step(self, agent: Any, reward: Reward, obs: Any, *, terminated: bool, truncated: bool) -> None:
        """The reward of an agent's waiting action is known: its step is done, and the episode may be."""
        track = self._open[agent]
        self.shown.reward = reward.value
        self.shown.total += reward.value
        if track.acted:
            codec = self._codecs[agent]
            body = b'%b%d,"action":%b,"reward":%b%b%b,"obs":%b%b%d,"t":%de-6' % (
                track.prefix,
                track.step,
                codec.action(track.action),
                reward.as_json(),
                b',"terminated":true' if terminated else b"",
                b',"truncated":true' if truncated else b"",
                codec.obs(obs),
                codec.suffix,
                track.turn,
                time.time_ns() // 1000,
            )
            track.returned += reward.value
            track.step += 1
            track.acted = False
            track.action = None
            self._channel.append(body)
        else:
            track.returned += reward.value
        if terminated or truncated:
            self.end(agent, "terminated" if terminated else "truncated")

    def act(self, agent: Any, action: Any, turn: int) -> None:
        """An agent acted in the `turn`-th step call of the environment; `step` tells what came of it."""
        track = self._open[agent]
        track.acted, track.action, track.turn = True, action, turn

    def end(self, agent: Any, outcome: str) -> None:
        """An agent's episode is over."""
        track = self._open[agent]
        now = time.time_ns() // 1000
        body = (
            b'{"type":"episode","episode_id":%b,"steps":%d,"return":%b,"outcome":"%b","t_start":%de-6,"t_end":%de-6'
            b',"agent_id":%b,"t":%de-6'
            % (
                dumps(track.episode_id),
                track.step,
                float_bytes(track.returned),
                outcome.encode(),
                track.t_start,
                now,
                dumps(self._codecs[agent].agent_id),
                now,
            )
        )
        del self._open[agent]
        self._channel.append(body)
