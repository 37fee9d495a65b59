"""Vector environments: made of single ones, or vectorised in themselves. Nothing is counted twice.

Sync and async ones are made of environments that are recorded on their own; here they only learn their
position and what they belong to. One that is vectorised in itself is recorded as a whole, position by
position.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Optional, Type

import mosaic_worker
from mosaic_worker import importing, report, rng, roles
from mosaic_worker.frames import frames
from mosaic_worker.hooks import on_import, rendering
from mosaic_worker.hooks.describe import describe_vector
from mosaic_worker.hooks.envs import (
    EnvHooks,
    inside,
    is_inside,
    is_stepping,
    patch,
    provides,
    reset_arguments,
    watch_steps,
)
from mosaic_worker.hooks.making import replace_function
from mosaic_worker.told import tell, telling
from mosaic_worker.vectors import VectorTrack, autoreset_mode

if TYPE_CHECKING:
    from types import ModuleType

    from mosaic_worker.recorder import Recorder
    from mosaic_worker.told import Told

__all__ = ["Positioned", "VectorHooks", "position_members", "positioned", "register"]

_MADE_OF_SINGLE_ONES = (
    ("gymnasium.vector.sync_vector_env", "SyncVectorEnv"),
    ("gymnasium.vector.async_vector_env", "AsyncVectorEnv"),
    ("gymnasium.experimental.vector.sync_vector_env", "SyncVectorEnv"),
    ("gymnasium.experimental.vector.async_vector_env", "AsyncVectorEnv"),
    ("gym.vector.sync_vector_env", "SyncVectorEnv"),
    ("gym.vector.async_vector_env", "AsyncVectorEnv"),
    ("stable_baselines3.common.vec_env.dummy_vec_env", "DummyVecEnv"),
    ("stable_baselines3.common.vec_env.subproc_vec_env", "SubprocVecEnv"),
    ("ray.rllib.env.vector.sync_vector_multi_agent_env", "SyncVectorMultiAgentEnv"),
)
_NATIVE_BASES = ("gymnasium.vector.vector_env", "gymnasium.experimental.vector.vector_env")
_RECORDED_OTHERWISE = {"SyncVectorEnv", "AsyncVectorEnv", "EnvPoolMixin"}
_ELSEWHERE = {"AsyncVectorEnv", "SubprocVecEnv", "SubprocVectorEnv", "ShmemVectorEnv"}
"""Whose members are in other processes."""
_MAX_LAYERS = 64
_WRAPPERS_OF_MAKE = ("PassiveEnvChecker", "OrderEnforcing", "TimeLimit")


def register(recorder: Recorder) -> None:
    """Watch for vector environments."""
    for module_name, class_name in _MADE_OF_SINGLE_ONES:
        on_import(module_name, functools.partial(_position_class, recorder=recorder, name=class_name))
    hooks = VectorHooks(recorder)
    for module_name in _NATIVE_BASES:
        on_import(module_name, hooks.watch_subclasses)
    on_import("gymnasium.envs.registration", hooks.watch_make_vec)


def _position_class(module: ModuleType, *, recorder: Recorder, name: str) -> None:
    position_members(getattr(module, name), recorder)


class Positioned:
    """A function that makes an environment, and tells it its position. Picklable wherever the function is."""

    def __init__(
        self,
        env_fn: Callable[..., Any],
        index: int,
        group: str,
        role: Optional[str] = None,
        told: Optional[Told] = None,
    ) -> None:
        self.env_fn = env_fn
        self.told = told
        self.role = role
        self.index = index
        self.group = group

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make the environment, in whichever process this is."""
        env = self.env_fn(*args, **kwargs)
        recorder = mosaic_worker.current()
        if recorder is not None:
            with report.guard("telling an environment its position"):
                track = _position(env, recorder, self.index, self.group)
                track.shared.told = self.told
                if self.role is not None:  # known by the name of the whole, perhaps in another process
                    track.shared.name(self.role)
        return env


def _position(env: Any, recorder: Recorder, index: int, group: str) -> Any:
    layers = [env]
    while len(layers) < _MAX_LAYERS:
        below = _inner(layers[-1])
        if below is None:
            break
        layers.append(below)
    for layer in layers:
        track = getattr(layer, "__dict__", {}).get("_mosaic")
        if track is not None:
            break
    else:  # it never passed through `make`
        hooks = EnvHooks(recorder, _api_of(layers[-1]))
        layer = _as_made(layers)
        hooks.watch(type(layer))
        track = hooks.give_track(layer)
    track.env_index = index
    track.group = group
    return track


def _inner(layer: Any) -> Any:
    """What an environment is wrapped around; TorchRL's are modules, which keep their parts apart."""
    own = getattr(layer, "__dict__", {})
    for book in (own, own.get("_modules") or {}):
        for name in ("env", "_env", "base_env"):
            if hasattr(book.get(name), "step"):
                return book[name]
    return None


def _as_made(layers: List[Any]) -> Any:
    """The innermost environment, with those wrappers around it that `make` itself would have put there."""
    chosen = layers[-1]
    for layer in reversed(layers[:-1]):
        if type(layer).__name__ not in _WRAPPERS_OF_MAKE:
            break
        chosen = layer
    return chosen


def _api_of(env: Any) -> str:
    return "gym" if any(base.__module__.startswith("gym.") for base in type(env).__mro__) else "gymnasium"


def position_members(cls: Type[Any], recorder: Recorder) -> None:
    """Tell the members of a class that is made from `env_fns` their position and what they belong to."""
    raw = cls.__init__

    @functools.wraps(raw)
    def __init__(self: Any, env_fns: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        told = env_fns
        with report.guard(f"{cls.__name__} members"):
            spoken = telling(self) if cls.__name__ in _ELSEWHERE else None
            told = positioned(env_fns, recorder, spoken)
        raw(self, told, *args, **kwargs)

    cls.__init__ = __init__
    if cls.__name__ in _ELSEWHERE:
        _tell_at_reset(cls)


def _tell_at_reset(cls: Type[Any]) -> None:
    raw = cls.reset

    @functools.wraps(raw)
    def reset(self: Any, *args: Any, **kwargs: Any) -> Any:
        with report.guard(f"{cls.__name__} reset"):
            tell(self, roles.now())
        return raw(self, *args, **kwargs)

    cls.reset = reset


def positioned(
    env_fns: Iterable[Callable[..., Any]], recorder: Recorder, told: Optional[Told] = None
) -> List[Any]:
    """The functions, each with its position; as they are when a derived class has already done it."""
    given = list(env_fns)
    if given and all(isinstance(env_fn, Positioned) for env_fn in given):
        return given
    group, role = recorder.new_group(), roles.stored_as()
    return [Positioned(env_fn, index, group, role, told) for index, env_fn in enumerate(given)]


class VectorHooks:
    """Records environments that are vectorised in themselves."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def watch_make_vec(self, module: ModuleType) -> None:
        """Keep what happens while a vector environment is made out of the record."""
        raw = getattr(module, "make_vec", None)
        if raw is None:
            return

        @functools.wraps(raw)
        def make_vec(*args: Any, **kwargs: Any) -> Any:
            with inside():
                return raw(*args, **kwargs)

        replace_function("gymnasium", module, "make_vec", make_vec)

    def watch_subclasses(self, module: ModuleType) -> None:
        """Notice every class that is a vector environment itself, as it is defined."""
        base = module.VectorEnv
        wrapper = getattr(module, "VectorWrapper", None) or getattr(module, "VectorEnvWrapper", None)
        own = vars(base).get("__init_subclass__")

        def born(cls: Type[Any], /, **kwargs: Any) -> None:
            if own is not None:
                own.__func__(cls, **kwargs)
            else:
                super(base, cls).__init_subclass__(**kwargs)
            with report.guard("vector class"):
                if wrapper is None or not issubclass(cls, wrapper):
                    self._watch(cls, base)

        base.__init_subclass__ = classmethod(born)

    def _watch(self, cls: Type[Any], base: Type[Any]) -> None:
        names = {member.__name__ for member in cls.__mro__}
        if names & _RECORDED_OTHERWISE or not (provides(cls, "reset", base) and provides(cls, "step", base)):
            return
        patch(cls, "reset", self._reset)
        patch(cls, "step", self._step)
        patch(cls, "close", self._close)

    def _reset(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        hooks = self

        def reset(self: Any, *args: Any, **kwargs: Any) -> Any:
            known = self.__dict__.get("_mosaic")
            if is_inside() or (known is None and importing.a_library()):
                return raw(self, *args, **kwargs)
            seed, options = reset_arguments(args, kwargs)
            if isinstance(options, dict):
                options = dict(options)  # the environment may take the mask out
            state = None
            if seed is None:
                with report.guard("vector random state"):
                    state = rng.capture(getattr(self, "np_random", None))
            with inside():
                result = raw(self, *args, **kwargs)
            with report.guard("vector reset"):
                track = hooks.track_of(self)
                if not track.shared.named:
                    track.shared.name(roles.by_name(self))
                track.begin(
                    result[0], seed=seed, options=options, rng=state,
                    describe=lambda: describe_vector(self, "gymnasium"),
                )  # fmt: skip
            with report.guard("listing an environment for viewers"):
                rendering.meet(self, track, track.tracks, vector=True)
            return result

        return reset

    def track_of(self, env: Any) -> VectorTrack:
        """The track of a vector environment; a new one for one never seen, or for a copy."""
        track: Optional[VectorTrack] = env.__dict__.get("_mosaic")
        if track is None or (track.owner != id(env) and not track.dormant):
            track = VectorTrack(
                self.recorder,
                num_envs=int(env.num_envs),
                mode=autoreset_mode(env),
                tuples=(
                    _is_tuple(getattr(env, "single_observation_space", None)),
                    _is_tuple(getattr(env, "single_action_space", None)),
                ),
            )
            env.__dict__["_mosaic"] = track
        track.owner = id(env)
        return track

    def _step(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            track = self.__dict__.get("_mosaic")
            if track is None or (track.busy and is_stepping(self)):
                return raw(self, *args, **kwargs)
            track.busy = True
            try:
                with inside():
                    result = raw(self, *args, **kwargs)
            finally:
                track.busy = False
            with report.guard("vector step"):
                actions = args[0] if args else next(iter(kwargs.values()))
                obs, rewards, terminated, truncated, infos = result
                track.step(actions, obs, rewards, (terminated, truncated), infos)
            if frames.wake[0]:
                frames.stepped(self, track, len(track.tracks))
            return result

        watch_steps(step.__code__)
        return step

    def _close(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        def close(self: Any, *args: Any, **kwargs: Any) -> Any:
            track = self.__dict__.get("_mosaic")
            if track is not None:
                with report.guard("vector close"):
                    track.cut()
                    frames.leave(track)
            return raw(self, *args, **kwargs)

        return close


def _is_tuple(space: Any) -> bool:
    return type(space).__name__ == "Tuple"
