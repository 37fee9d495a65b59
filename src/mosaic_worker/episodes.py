"""One environment's episodes, from its resets and steps to journal lines. Knows no framework.

A track belongs to one environment object of one process. A copy of it (deepcopy, pickle, fork) is dormant: it
records nothing until its own first reset, which makes it an environment of its own.
"""

from __future__ import annotations

import sys
import time
from binascii import b2a_base64
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple, Type

from mosaic_worker import report, rewards, roles, shapes
from mosaic_worker.arguments import hidden
from mosaic_worker.encode import ArrayHead, dumps, float_bytes, object_bytes, value_bytes
from mosaic_worker.journal import NO_ROOM

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder
    from mosaic_worker.told import Told

__all__ = ["ACTION_BYTES", "SeveralAgentsError", "Shared", "Track"]

_MAX_CACHED_ACTIONS = 1024
ACTION_BYTES = 1 << 20
"""Actions are kept whole up to this size, whatever the limit for observations: replay needs them."""
_now = time.time_ns
_UNKNOWN = object()

Describe = Callable[[], Dict[str, Any]]


class SeveralAgentsError(Exception):
    """A step told of several agents: one track cannot record it, and has recorded nothing of it."""


class Track:
    """The episodes of one environment.

    Args:
        recorder: where lines go, and where unfinished episodes are remembered for the end.
        env_index: the position in a vector environment.
        group: what ties the episodes of one vector environment together.
    """

    __slots__ = (
        "__weakref__",
        "_action_head",
        "_action_type",
        "_actions",
        "_channel",
        "_it",
        "_ndarray",
        "_obs_head",
        "_outcome",
        "_prefix",
        "_push",
        "_recorder",
        "_reward",
        "_reward_bytes",
        "_reward_value",
        "_seed",
        "_t_end",
        "_t_start",
        "busy",
        "dormant",
        "env_index",
        "env_key",
        "episode_id",
        "group",
        "over",
        "owner",
        "shared",
        "step_count",
        "total",
    )  # fmt: skip

    def __init__(
        self,
        recorder: Recorder,
        *,
        env_index: int = 0,
        group: Optional[str] = None,
        shared: Optional[Shared] = None,
    ) -> None:
        self._recorder = recorder
        self.env_index = env_index
        self.group = group
        self.shared = Shared() if shared is None else shared
        self.owner = 0
        self.dormant = self.busy = False
        self._forget()

    def _forget(self) -> None:
        """Start over as a new environment of the present process."""
        limit = self._recorder.inline_bytes
        self.env_key = ""
        self._channel = self._recorder.channel()
        self._push, self._it = self._channel.push, self._channel.it
        self._obs_head, self._action_head = ArrayHead(limit), ArrayHead(max(limit, ACTION_BYTES))
        self._ndarray: Any = getattr(sys.modules.get("numpy"), "ndarray", _UNKNOWN)
        self._action_type: Optional[Type[Any]] = None
        self._actions: Dict[Any, bytes] = {}
        self._reward: Any = _UNKNOWN
        self._reward_value = 0.0
        self._reward_bytes = b"0.0"
        self._prefix: Optional[bytes] = None  # None: no episode is open
        self.over = False  # an episode has ended, and the next one has not begun
        self._outcome = "cut"  # what the open one ends as, if nothing more comes
        self.episode_id = ""
        self.step_count = 0
        self.total = 0.0
        self._seed: Optional[int] = None
        self._t_start = self._t_end = 0

    # ---- the life of an episode ----

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
        """The environment was reset: cut what was open, and start the next episode.

        `describe` says how to rebuild the environment; it is asked at the first reset in a process. `changed`
        are fields about what the script has changed of it since.
        """
        self.cut()
        if self._channel.epoch != self._recorder.epoch:
            self._forget()
        self.dormant = False
        fields = self._name_episode(describe)
        if seed is not None:
            fields["seeded"] = True
            fields["seed"] = self._seed = _integer(seed)
        else:
            self._seed = None
        if options is not None:
            fields["options"] = hidden({"options": options})["options"]
        if rng is not None:
            fields["rng"] = rng
        if changed:
            fields.update(hidden(changed))
        self.over = False
        self._t_start = self._t_end = _now() // 1000
        self.step_count = 0
        self.total = 0.0
        self._outcome = "cut"
        body = object_bytes(fields, self._recorder.inline_bytes)
        prefix = b'{"type":"step","episode_id":%b,"step":' % dumps(self.episode_id)
        self._recorder.opened(self)
        self._write(b'%b,"obs":%b,"t":%de-6' % (body, self._obs_head.bytes_of(obs), self._t_start))
        self._prefix = prefix
        self.shared.described = True

    def _name_episode(self, describe: Optional[Describe]) -> Dict[str, Any]:
        shared = self.shared
        if shared.epoch != self._recorder.epoch:
            shared.start(self._recorder)
        self.env_key = shared.env_key
        self.episode_id = f"{self._recorder.producer}.{self.env_key}.{shared.episodes}"
        shared.episodes += 1
        fields: Dict[str, Any] = {"type": "reset", "episode_id": self.episode_id, "env_key": self.env_key}
        if self.env_index:
            fields["env_index"] = self.env_index
        if self.group is not None:
            fields["group"] = self.group
        role = roles.of_episode(shared.role, None if shared.told is None else shared.told.role)
        if role is not None:
            fields["role"] = role
        if not shared.described and describe is not None:
            with report.guard("describing an environment"):  # failing to say it costs only the description
                fields["env"] = hidden(describe())
        return fields

    def step(self, action: Any, obs: Any, reward: Any, terminated: Any, truncated: Any) -> None:
        """The environment was stepped. The hot path: all of it runs at every step."""
        prefix = self._prefix
        if prefix is None:
            if self.dormant:
                return
            self.begin(None)  # stepped before a reset or after the end: an episode of its own
            prefix = self._prefix or b""
        if reward is not self._reward:
            self._take_reward(reward)
        coded = self._actions.get(action) if type(action) is self._action_type else None
        if coded is None:
            coded = self._code_action(action)
        n = self.step_count
        head = self._obs_head
        now = _now() // 1000
        if type(obs) is self._ndarray and obs.dtype is head.dtype and obs.shape == head.shape and head.quick:
            try:
                data = b2a_base64(obs, newline=False)
            except ValueError:  # not contiguous
                data = b2a_base64(obs.tobytes(), newline=False)
            body = b'%b%d,"action":%b,"reward":%b,"obs":%b%b"},"t":%de-6' % (
                prefix, n, coded, self._reward_bytes, head.start, data, now,
            )  # fmt: skip
        else:
            body = b'%b%d,"action":%b,"reward":%b,"obs":%b,"t":%de-6' % (
                prefix, n, coded, self._reward_bytes, head.bytes_of(obs), now,
            )  # fmt: skip
        try:
            over = terminated or truncated
        except (TypeError, ValueError, RuntimeError):  # several flags in one array or tensor
            over = True
        if over:
            self._finish(body, reward, terminated, truncated, now)
            return
        # Counted before written: an interrupt in between leaves a gap in `step`, never the same step twice.
        self.step_count = n + 1
        self.total += self._reward_value
        self._t_end = now
        self._push(body)
        try:
            next(self._it)
        except NO_ROOM:
            self._again(body)

    def _finish(self, body: bytes, reward: Any, terminated: Any, truncated: Any, now: int) -> None:
        """Write a step whose flags say "over", or are of a kind (lists, dicts) that has to be looked into."""
        if type(terminated) is not bool or type(truncated) is not bool:
            if shapes.several(reward, terminated, truncated):
                raise SeveralAgentsError
            terminated, truncated = shapes.flag(terminated), shapes.flag(truncated)
        self.step_count += 1
        self.total += self._reward_value
        self._t_end = now
        if not (terminated or truncated):
            self._write(body)
            return
        flags = (b',"terminated":true' if terminated else b"") + (b',"truncated":true' if truncated else b"")
        self._outcome = "terminated" if terminated else "truncated"
        self._write(body + flags)
        self.cut()

    @property
    def reward(self) -> float:
        """The reward of the last step."""
        return self._reward_value

    def cut(self) -> None:
        """End the open episode, if any, where it stands."""
        if self._prefix is not None:
            self._close()

    def sleep(self) -> None:
        """Record nothing until the next reset: the environment has become part of another one."""
        self.cut()
        self.dormant = True

    def _close(self) -> None:
        if self._channel.epoch != self._recorder.epoch:
            self._prefix = None  # the episode belongs to the process we were forked from
            return
        seed = b"" if self._seed is None else b',"seed":%d' % self._seed
        line = (
            b'{"type":"episode","episode_id":%b,"steps":%d,"return":%b,"outcome":"%b","t_start":%de-6,"t_end":%de-6'
            b',"env_index":%d%b,"t":%de-6' % ( dumps(self.episode_id), self.step_count,
            float_bytes(self.total), self._outcome.encode(), self._t_start, self._t_end, self.env_index, seed,
            _now() // 1000, )
        )  # fmt: skip
        self._prefix = None  # before it is written: an interrupt must not make two ends of one episode
        self.over = True
        self._write(line)
        self._recorder.closed(self)

    # ---- values ----

    def _take_reward(self, reward: Any) -> None:
        self._reward = _UNKNOWN  # until all three agree: an interrupt may come in between
        # Remembered by identity, so only when the object cannot change: an array could be refilled in place.
        if not hasattr(reward, "__setitem__"):
            try:
                self._reward_value = float(reward)
            except (TypeError, ValueError):
                self._take_odd_reward(reward)
            else:
                self._reward_bytes = float_bytes(self._reward_value)
                self._reward = reward
        else:
            self._take_odd_reward(reward)

    def _take_odd_reward(self, reward: Any) -> None:
        """An array, a list or a tensor; or something that is not made of numbers."""
        if isinstance(reward, dict):
            raise SeveralAgentsError
        found = rewards.paid(reward)
        self._reward_value = found.value
        self._reward_bytes = found.as_json()

    def _code_action(self, action: Any) -> bytes:
        kind = type(action)
        if kind is not int and not _is_numpy_integer(action):
            return self._action_head.bytes_of(action)
        if kind is not self._action_type:
            self._actions = {}
            self._action_type = kind
        coded = value_bytes(int(action), 0)
        if len(self._actions) < _MAX_CACHED_ACTIONS:
            self._actions[action] = coded
        return coded

    # ---- lines ----

    def _write(self, body: bytes) -> None:
        self._channel.append(body)
        self._it = self._channel.it

    def _again(self, body: bytes) -> None:
        if self._channel.epoch != self._recorder.epoch:
            self._prefix = None  # forked in mid-episode: this is a copy, and copies wait for a reset
            self.dormant = True
            return
        self._channel.again(body)
        self._it = self._channel.it

    # ---- copies ----

    def __deepcopy__(self, _: Any) -> Track:
        copy = Track(self._recorder)
        copy.dormant = True
        return copy

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(None), ())  # unpickled elsewhere, perhaps without us: then it is just not recorded

    def __del__(self) -> None:
        with report.guard("an environment's end"):
            self.cut()


class Shared:
    """What the tracks of one environment share: its name in the journal, and the count of its episodes."""

    __slots__ = ("described", "env_key", "episodes", "epoch", "named", "role", "told")

    def __init__(self) -> None:
        self.role: Optional[str] = None  # of its episodes, where no caller says it
        self.told: Optional[Told] = None  # where another process says it, that owns the whole it is part of
        self.named = False  # whether somebody looked for the name it is kept under
        self.epoch = -1
        self.env_key = ""
        self.episodes = 0
        self.described = False  # whether the journal says how the environment was made

    def name(self, role: Optional[str]) -> None:
        """The environment is kept under a name that says its role, or (None) that does not."""
        self.role, self.named = role or self.role, True

    def start(self, recorder: Recorder) -> None:
        """Take a name in the present process."""
        self.env_key = recorder.new_env_key()
        self.episodes = 0
        self.described = False
        self.epoch = recorder.epoch


def _is_numpy_integer(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.integer)


def _integer(value: Any) -> Optional[int]:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
