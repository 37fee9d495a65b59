"""EnvPool, in each of its APIs and in async mode: recorded where actions are sent and results received.

`step` is a `send` and a `recv`, `reset` is a `recv` too; scripts of async mode call these two themselves, and
get results of whichever environments are ready. So those two are hooked, on the mixin all of EnvPool's
classes share, and each row of a result goes to the position that its `env_id` names. A position restarts
by itself in the first step after its end. Never imports EnvPool itself.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from mosaic_worker import report, roles
from mosaic_worker.common.layout import SHOWN, WITHOUT_FRAMES
from mosaic_worker.episodes import Shared, Track
from mosaic_worker.frames import frames
from mosaic_worker.hooks import on_import
from mosaic_worker.hooks.envs import is_inside
from mosaic_worker.hooks.nesting import argument
from mosaic_worker.hooks.scalars import plain_items
from mosaic_worker.values import text
from mosaic_worker.vectors import at

if TYPE_CHECKING:
    from types import ModuleType

    from mosaic_worker.recorder import Recorder

__all__ = ["Pool", "Rows", "register", "rows_of"]

_WHERE = "envpool"
_POOL = "_mosaic_pool"
_MADE = "_mosaic_made"
_LAST = 2  # dm_env.StepType.LAST


class Rows(NamedTuple):
    """One result: a row for each environment that `ids` names. After a reset there are only observations."""

    ids: List[int]
    obs: Any
    reward: Any = None
    terminated: Any = None
    truncated: Any = None


def rows_of(result: Any) -> Rows:
    """A result of any API: gymnasium's, old gym's, or dm_env's `TimeStep`.

    Raises:
        ValueError: it is none of these, or does not say whose rows they are.
    """
    if hasattr(result, "step_type"):
        state = result.observation
        over = result.step_type == _LAST
        ended = over & (result.discount == 0)
        return Rows(_ids(state.env_id, result.reward), state.obs, result.reward, ended, over & ~ended)
    if len(result) == 2:
        return Rows(_ids(result[1]["env_id"], None), result[0])
    obs, reward, done, info = result[0], result[1], result[2], result[-1]
    ids = _ids(info["env_id"], reward)
    if len(result) == 5:
        return Rows(ids, obs, reward, done, result[3])
    cut = info.get("TimeLimit.truncated", done & False)
    return Rows(ids, obs, reward, done & ~cut, done & cut)


def _ids(env_ids: Any, rewards: Any) -> List[int]:
    ids = [int(one) for one in env_ids]
    if rewards is not None and len(rewards) != len(ids):
        raise ValueError(
            f"{len(rewards)} rewards for {len(ids)} environments: several players in one are not recorded"
        )
    return ids


class Pool:
    """The episodes of one pool: a track for each position, and the actions whose results are to come."""

    def __init__(self, recorder: Recorder, num_envs: int, describe: Callable[[], Dict[str, Any]]) -> None:
        self._recorder = recorder
        self._describe = describe
        self._num_envs = num_envs
        self._start_afresh()

    def _start_afresh(self) -> None:
        shared, group = Shared(), self._recorder.new_group()
        self._epoch = self._recorder.epoch
        self._sent: Dict[int, Any] = {}
        self._ended = [False] * self._num_envs
        self.tracks = [
            Track(self._recorder, env_index=index, group=group, shared=shared)
            for index in range(self._num_envs)
        ]

    def sent(self, actions: Any, ids: Any) -> None:
        """Actions are on their way to these positions; None: to all."""
        if ids is None and isinstance(actions, dict):
            ids = actions.get("env_id")
        for row, index in enumerate(range(self._num_envs) if ids is None else ids):
            self._sent[int(index)] = _kept(at(_without_ids(actions), row))

    def received(self, rows: Rows, *, is_reset: bool) -> None:
        """Results have come, of a reset or of what was sent before."""
        if self._epoch != self._recorder.epoch:
            self._start_afresh()
        for row, index in enumerate(rows.ids):
            track, obs = self.tracks[index], at(rows.obs, row)
            acted = index in self._sent
            action = self._sent.pop(index, None)
            if is_reset or rows.reward is None or not acted or self._ended[index]:
                self._ended[index] = False
                track.begin(obs, describe=self._describe)
                continue
            ended, cut = bool(rows.terminated[row]), bool(rows.truncated[row])
            self._ended[index] = ended or cut
            track.step(action, obs, rows.reward[row], ended, cut)

    def cut(self) -> None:
        """End every open episode where it stands."""
        for track in self.tracks:
            track.cut()

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(None), ())


def _without_ids(actions: Any) -> Any:
    if isinstance(actions, dict):
        return {name: part for name, part in actions.items() if name not in ("env_id", "players.env_id")}
    return actions


def _kept(action: Any) -> Any:
    """An action as it is now: results may come much later, and scripts reuse their arrays."""
    if isinstance(action, dict):
        return {name: _kept(part) for name, part in action.items()}
    return action.copy() if hasattr(action, "copy") else action


def register(recorder: Recorder) -> None:
    """Hook the mixin and the registry, each when the script imports it."""
    on_import("envpool.python.envpool", functools.partial(_hook_mixin, recorder=recorder))
    on_import("envpool.registration", _hook_registry)


def _hook_registry(module: ModuleType) -> None:
    registry = type(module.registry)
    raw = registry.make

    @functools.wraps(raw)
    def make(self: Any, *args: Any, **kwargs: Any) -> Any:
        env = raw(self, *args, **kwargs)
        with report.guard(_WHERE):
            given = dict(kwargs)
            task_id = args[0] if args else given.pop("task_id", None)
            vars(env)[_MADE] = {"id": text(str(task_id)), "kwargs": plain_items(given)}
        return env

    registry.make = make


def _hook_mixin(module: ModuleType, *, recorder: Recorder) -> None:
    cls = module.EnvPoolMixin
    raw_send, raw_recv, raw_close = cls.send, cls.recv, cls.close if hasattr(cls, "close") else None

    @functools.wraps(raw_send)
    def send(self: Any, *args: Any, **kwargs: Any) -> Any:
        with report.guard(_WHERE):
            if not is_inside():
                actions = argument(args, kwargs, 0, "action")
                _pool_of(self, recorder).sent(actions, argument(args, kwargs, 1, "env_id"))
        return raw_send(self, *args, **kwargs)

    @functools.wraps(raw_recv)
    def recv(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = raw_recv(self, *args, **kwargs)
        pool = None
        with report.guard(_WHERE):
            if not is_inside():
                pool = _pool_of(self, recorder)
                pool.received(_rows(result), is_reset=bool(argument(args, kwargs, 0, "reset", default=False)))
        if pool is not None and frames.wake[0]:
            frames.stepped(self, pool, len(pool.tracks))
        return result

    cls.send, cls.recv = send, recv
    if raw_close is not None:

        @functools.wraps(raw_close)
        def close(self: Any, *args: Any, **kwargs: Any) -> Any:
            with report.guard(_WHERE):
                pool = vars(self).get(_POOL)
                if pool is not None:
                    pool.cut()
                    frames.leave(pool)
            return raw_close(self, *args, **kwargs)

        cls.close = close


def _rows(result: Any) -> Rows:
    """Old versions give the bare observations of a reset unless asked for more; then all were reset."""
    if isinstance(result, tuple):
        return rows_of(result)
    return Rows(list(range(len(result))), result)


def _pool_of(env: Any, recorder: Recorder) -> Pool:
    pool: Optional[Pool] = vars(env).get(_POOL)
    if pool is None:
        pool = vars(env)[_POOL] = Pool(
            recorder, int(env.config["num_envs"]), functools.partial(_described, env)
        )
        with report.guard(_WHERE):
            pool.tracks[0].shared.name(roles.by_name(env))
        with report.guard("listing an environment for viewers"):
            _show(env, pool)
    return pool


def _described(env: Any) -> Dict[str, Any]:
    made = vars(env).get(_MADE) or {"id": None, "kwargs": None}
    return {
        "api": "envpool",
        **made,
        "entry_point": f"{type(env).__module__}:{type(env).__qualname__}",
        "vector": True,
        "num_envs": int(env.config["num_envs"]),
        "autoreset": "NextStep",
        "config": plain_items(env.config),
    }


def _show(env: Any, pool: Pool) -> None:
    if getattr(env, "_render_mode", None) == "rgb_array":
        frames.add(pool, pool.tracks, render=_render, state=SHOWN, note="")
        return
    note = f"{type(env).__name__} was made without render_mode='rgb_array': there is nothing to see"
    frames.add(pool, pool.tracks, render=_render, state=WITHOUT_FRAMES, note=note)


def _render(env: Any) -> List[Any]:
    return list(env.render(env_ids=list(range(int(env.config["num_envs"])))))
