"""Watching environment classes: the outermost call of a thread is recorded, what it calls inside is not.

Methods are replaced on the *class*, once; what belongs to one environment hangs on the instance as
`_mosaic`. So types, `isinstance`, copying and pickling stay what they were. An instance without `_mosaic`
is just passed through.
"""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, Set, Tuple, Type, Union

from mosaic_worker import importing, report, rng, roles, stack
from mosaic_worker.episodes import SeveralAgentsError, Track
from mosaic_worker.frames import frames
from mosaic_worker.hooks import constructing, pettingzoo_origin, rendering, several
from mosaic_worker.hooks.describe import describe
from mosaic_worker.hooks.several import AgentsTrack
from mosaic_worker.session.outcome import five_values
from mosaic_worker.shapes import numbers

if TYPE_CHECKING:
    from types import CodeType

    from mosaic_worker.recorder import Recorder

__all__ = [
    "EnvHooks",
    "inside",
    "is_inside",
    "is_stepping",
    "local",
    "patch",
    "provides",
    "reset_arguments",
    "watch_steps",
]


class _Local(threading.local):
    busy = False

    def __reduce__(self) -> Tuple[Any, ...]:
        return _the_local, ()  # see Recorder.__reduce__


def _the_local() -> _Local:
    return local


local = _Local()
"""`busy` while a recorded call, or the making of an environment, runs in this thread; or since one was
interrupted: it is a hint, and the stack decides (`is_inside`)."""
_step_codes: Set[CodeType] = set()
_codes: Set[CodeType] = set()
"""The functions whose calls are recorded as a whole: steps, and whatever says `with inside()`."""


class inside:  # noqa: N801  (a context manager used like a function)
    """What runs in here is part of something bigger: it is not recorded on its own."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = local.busy
        _codes.add(sys._getframe(1).f_code)  # noqa: SLF001  (whoever says `with inside()`)
        local.busy = True

    def __exit__(self, *_: object) -> None:
        local.busy = self._before


def is_inside() -> bool:
    """Whether this call is part of a recorded one: a reset, the making of an environment, or a step.

    The stack says so: no interrupt can leave a call on it. An environment that is reset inside another one
    sleeps from then on, so its steps inside the other's steps are not counted either.
    """
    # A counter or a flag would not do: an exception that Ctrl-C raises between a call's end and the line that
    # resets the flag leaves it set, and from then on nothing of this thread would be recorded. The walk over
    # the stack costs more, but it is made at resets and where `local.busy` hints at it, not at every step.
    if stack.under_way(_codes, above=2):  # above whoever asks: that may be such a function itself
        return True
    local.busy = False  # if it was set, an interrupt left it behind: the next call need not look
    return False


def is_stepping(env: Any) -> bool:
    """Whether a step of this environment is under way in this thread. Asked by another one inside of it."""
    return stack.under_way_for(_step_codes, "self", env, above=2)


def watch_steps(code: CodeType) -> None:
    """A function that records the steps of the environment it calls `self`."""
    _step_codes.add(code)
    _codes.add(code)


class EnvHooks:
    """Records environments of one API (`gymnasium` or `gym`)."""

    def __init__(self, recorder: Recorder, api: str) -> None:
        self.recorder = recorder
        self.api = api
        self._of_several_agents: weakref.WeakSet[type] = weakref.WeakSet()
        recorder.at_close(several.finish_all)

    def adopt(self, env: Any) -> None:
        """Record this environment from now on, at this level: it is what `make` returned."""
        if not (hasattr(env, "step") and hasattr(env, "reset")):
            return
        self.watch(type(env))
        self.give_track(env)

    def give_track(self, env: Any) -> Track:
        """A track for an environment that has none of its own."""
        track = Track(self.recorder)
        track.owner = id(env)
        env.__dict__["_mosaic"] = track
        return track

    def watch(self, cls: Type[Any]) -> None:
        """Replace the methods of a class whose instances we record."""
        patch(cls, "step", self._step)
        patch(cls, "reset", self._reset)
        patch(cls, "close", self._close)
        if not hasattr(cls, "_mosaic"):
            cls._mosaic = None

    def watch_constructed(self, cls: Type[Any], base: Type[Any]) -> None:
        """Notice instances that never pass through `make`: at their first reset they become recorded ones.

        A class may inherit `reset` from something that is not an environment, and so was not noticed.
        """
        if provides(cls, "reset", base):
            patch(cls, "reset", self._first_reset)

    def _step(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        where = f"{self.api} step"
        hooks = self

        def step(self: Any, action: Any) -> Any:
            # This runs at every step of every environment. So no context manager, no `*args`, and the stack
            # is looked at only when `busy` hints that this call is part of another step.
            track = self._mosaic
            if track is None or (track.busy and is_stepping(self)):
                return raw(self, action)
            track.busy = True  # this step may call `step` of its own base class: that is still this step
            try:
                result = raw(self, action)
            finally:
                track.busy = False
            try:
                if len(result) == 5:
                    obs, reward, terminated, truncated, _ = result
                    track.step(action, obs, reward, terminated, truncated)
                else:
                    track.step(action, *_values(result))
            except SeveralAgentsError:
                track = hooks.begin_several(self, track, action, result)
            except Exception as error:  # noqa: BLE001  (the hook boundary, inlined: see report.guard)
                report.caught(where, error)
            if frames.wake[0]:  # somebody watches this process
                frames.stepped(self, track)
            if track.over:
                constructing.rest(self)
            return result

        def step_of_any_signature(self: Any, *args: Any, **kwargs: Any) -> Any:
            track = self._mosaic
            if track is None or (track.busy and is_stepping(self)):
                return raw(self, *args, **kwargs)
            track.busy = True
            try:
                result = raw(self, *args, **kwargs)
            finally:
                track.busy = False
            with report.guard(where):
                action = args[0] if args else next(iter(kwargs.values()), None)
                try:
                    track.step(action, *_values(result))
                except SeveralAgentsError:
                    track = hooks.begin_several(self, track, action, result)
            if frames.wake[0]:
                frames.stepped(self, track)
            if track.over:
                constructing.rest(self)
            return result

        watch_steps(step.__code__)
        watch_steps(step_of_any_signature.__code__)
        return step if _takes_action_alone(raw) else step_of_any_signature

    def _reset(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        hooks = self

        def reset(self: Any, *args: Any, **kwargs: Any) -> Any:
            track = self._mosaic
            if track is None:
                return raw(self, *args, **kwargs)
            return hooks.record_reset(self, track, raw, args, kwargs)

        return reset

    def _first_reset(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        hooks = self

        def reset(self: Any, *args: Any, **kwargs: Any) -> Any:
            track = self.__dict__.get("_mosaic")
            if track is None and not is_inside():
                with report.guard(f"{hooks.api} reset"):
                    hooks.watch(type(self))
                    track = hooks.give_track(self)
            if track is None:
                return raw(self, *args, **kwargs)
            return hooks.record_reset(self, track, raw, args, kwargs)

        return reset

    def record_reset(
        self,
        env: Any,
        track: Union[Track, AgentsTrack],
        raw: Callable[..., Any],
        args: Tuple[Any, ...],
        kwargs: Dict[str, Any],
    ) -> Any:
        """Reset the environment, and begin an episode; or, as part of something bigger, just reset it.

        A library that tries environments out while it is imported is something bigger, too.
        """
        if is_inside() or (not track.shared.named and importing.a_library()):
            with report.guard(f"{self.api} reset"):
                track.sleep()
            return raw(env, *args, **kwargs)
        seed, options = reset_arguments(args, kwargs)
        changed = constructing.settle(env.unwrapped)
        state = None
        if seed is None:
            with report.guard(f"{self.api} random state"):
                state = rng.capture_env(env.unwrapped)
        with inside():
            result = raw(env, *args, **kwargs)
        with report.guard(f"{self.api} reset"):
            if track.owner != id(env):
                track = self._own_track(env, track)
            has_info = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)
            obs = result[0] if has_info else result
            if not track.shared.named:
                track.shared.name(roles.by_name(env))
            if isinstance(track, Track) and self._has_several_agents(env.unwrapped, obs):
                track = self.give_several(env, track)
            track.begin(
                obs,
                seed=seed,
                options=options,
                rng=state,
                describe=lambda: self._describe(env),
                changed=changed,
            )
        with report.guard("listing an environment for viewers"):
            shown: Any = track if isinstance(track, Track) else track.shown
            rendering.meet(env, track, [shown])
        return result

    def _describe(self, env: Any) -> Dict[str, Any]:
        return {**describe(env, self.api), **pettingzoo_origin.around(env, self.api)}

    def _has_several_agents(self, base: Any, obs: Any) -> bool:
        return type(base) in self._of_several_agents or several.names_agents(base, obs)

    def give_several(self, env: Any, track: Track) -> AgentsTrack:
        """Another track for an environment that turned out to have several agents."""
        track.cut()
        self._of_several_agents.add(type(env.unwrapped))
        found = AgentsTrack(self.recorder, env_index=track.env_index)
        found.shared.name(track.shared.role)
        found.owner = id(env)
        env.__dict__["_mosaic"] = found
        return found

    def begin_several(self, env: Any, track: Track, action: Any, result: Any) -> Union[Track, AgentsTrack]:
        """A step says that there are several agents: from here on each of them has its episodes.

        The episode that `reset` had begun for all of them together is cut, without a step.
        """
        with report.guard(f"{self.api} step"):
            agents = self.give_several(env, track)
            agents.begin(None, describe=lambda: self._describe(env))
            agents.step(action, *_values(result))
            return agents
        return track

    def _own_track(self, env: Any, track: Union[Track, AgentsTrack]) -> Union[Track, AgentsTrack]:
        """A copy starts recording: a deep copy's dormant track is its own, a shallow copy's is not."""
        if track.dormant:
            track.owner = id(env)
            return track
        return self.give_track(env)

    def _close(self, raw: Callable[..., Any]) -> Callable[..., Any]:
        where = f"{self.api} close"

        def close(self: Any, *args: Any, **kwargs: Any) -> Any:
            track = self.__dict__.get("_mosaic")
            if track is not None:
                with report.guard(where):
                    track.cut()
                    frames.leave(track)
            return raw(self, *args, **kwargs)

        return close


def patch(cls: Type[Any], name: str, replacing: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace a method of a class, unless what it has or inherits is ours already."""
    raw = getattr(cls, name, None)
    if not callable(raw) or hasattr(raw, "_mosaic_hook"):
        return
    ours: Any = functools.wraps(raw)(replacing(raw))
    ours._mosaic_hook = True  # noqa: SLF001  (our own mark)
    setattr(cls, name, ours)


def _values(result: Any) -> Tuple[Any, Any, Any, Any]:
    """Observation, reward and both flags of a step, each in the shape it came in."""
    if len(result) == 4:
        obs, reward, done, info = result
        flags = () if isinstance(done, dict) else numbers(done) or ()
        if len(flags) != 1:
            return obs, reward, done, False  # of several agents, as old gym gives it
        return five_values((obs, reward, bool(flags[0]), info if isinstance(info, dict) else {}))[:4]
    return five_values(result)[:4]


def provides(cls: Type[Any], name: str, base: Type[Any]) -> bool:
    """Whether a class has a method by itself: its own, or of a mixin that is not a `base`."""
    for owner in cls.__mro__:
        if name in vars(owner):
            return owner is cls or not issubclass(owner, base)
    return False


def reset_arguments(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Any, Any]:
    """The seed and options a reset was called with."""
    return kwargs.get("seed", args[0] if args else None), kwargs.get("options")


def _takes_action_alone(function: Callable[..., Any]) -> bool:
    """Whether it is `step(self, action)` by name and number, so that the quick form can stand in for it."""
    import inspect  # slow, and only needed once there is an environment

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    return (
        len(parameters) == 2
        and parameters[1].name == "action"
        and parameters[1].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    )
