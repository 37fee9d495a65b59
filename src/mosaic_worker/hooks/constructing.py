"""The arguments an environment was constructed with, and what a script changed of it before a reset.

`__init__` is replaced on each environment class, once; what is learned hangs on the instance as plain data,
so that copies and pickles of it mean the same without us. Only plain data is kept, up to a bound; of the rest
the name and type. Nothing of an environment is called.
"""

from __future__ import annotations

import functools
import json
import sys
import types
import zlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Type

from mosaic_worker import report
from mosaic_worker.arguments import NotPlainError, coded
from mosaic_worker.hooks import on_import

if TYPE_CHECKING:
    from types import ModuleType

    from mosaic_worker.recorder import Recorder

__all__ = ["attributes", "built", "given", "register", "settle"]

_BUILT = "_mosaic_built"
_WHERE = "constructing an environment"
_BASES = (
    ("gymnasium.core", ("Env",)),
    ("gym.core", ("Env",)),
    ("gymnasium.vector.vector_env", ("VectorEnv",)),
    ("pettingzoo.utils.env", ("AECEnv", "ParallelEnv")),
)
_MAX_ATTRIBUTES = 256
_MAX_CHANGED_BYTES = 16_384
_OWN = ("_mosaic", "_np_random", "np_random", "spec", "_spec", "_cached_spec", "_ezpickle")
"""Attributes that begin so are set by libraries after the construction, or are restored in another way."""


def register(recorder: Recorder) -> None:
    """Watch the constructors of every environment class, each library when the script imports it."""
    del recorder
    for module_name, names in _BASES:
        on_import(module_name, functools.partial(_install, names=names))


def _install(module: ModuleType, names: Tuple[str, ...]) -> None:
    for name in names:
        _watch_subclasses(getattr(module, name))


def _watch_subclasses(base: Type[Any]) -> None:
    own = vars(base).get("__init_subclass__")

    def born(cls: Type[Any], /, **kwargs: Any) -> None:
        if own is not None:
            own.__func__(cls, **kwargs)
        else:
            super(base, cls).__init_subclass__(**kwargs)
        with report.guard(_WHERE):
            _watch(cls)

    patched: Any = base
    patched.__init_subclass__ = classmethod(born)


def _watch(cls: Type[Any]) -> None:
    raw = vars(cls).get("__init__")
    if not isinstance(raw, types.FunctionType) or hasattr(raw, "_mosaic_hook"):
        return
    import inspect  # slow, and only needed once there is an environment

    @functools.wraps(raw)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  (it is one)
        note = None
        if type(self).__init__ is __init__:  # not the constructor of a base class of its own
            with report.guard(_WHERE):
                note = _begun(self, raw, args, kwargs)
        raw(self, *args, **kwargs)
        if note is not None:
            with report.guard(_WHERE):
                note["fresh"] = _prints(self)

    ours: Any = __init__
    ours._mosaic_hook = True  # noqa: SLF001  (our own mark)
    ours.__signature__ = inspect.signature(raw)  # `getfullargspec` does not follow `__wrapped__`
    cls.__init__ = ours


def _begun(env: Any, raw: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    if not hasattr(env, "__dict__"):
        return None
    env.__dict__[_BUILT] = note = _noted(*_named(raw, (env,), args, kwargs))
    return note


def _noted(positional: Tuple[Any, ...], named: Dict[str, Any]) -> Dict[str, Any]:
    note: Dict[str, Any] = {"args": [], "kwargs": {}, "lost": [], "inner": None}
    whole = True
    for index, value in enumerate(positional):
        whole = _keep(note, note["args"].append, f"number {index + 1}", value) and whole
    if not whole:
        note["args"] = []  # those after a gap would be taken for others
    for name, value in named.items():
        _keep(note, functools.partial(note["kwargs"].__setitem__, name), name, value)
    return note


def _keep(note: Dict[str, Any], put: Callable[[Any], None], name: str, value: Any) -> bool:
    """Keep an argument where it can be: whether it was."""
    try:
        put(coded(value))
    except NotPlainError as error:
        if note["inner"] is None and hasattr(type(value), "step") and hasattr(type(value), "reset"):
            note["inner"] = name
        else:
            note["lost"].append(f"{name} ({error})")
        return False
    return True


def _named(
    raw: Any, bound: Tuple[Any, ...], args: Tuple[Any, ...], kwargs: Dict[str, Any]
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """The arguments by name, as far as they have one. `bound` go before them and are not among them."""
    import inspect

    try:
        signature = inspect.signature(raw)
        found = signature.bind(*bound, *args, **kwargs).arguments
    except (TypeError, ValueError):
        return args, kwargs  # whoever is called will say what is wrong
    kinds = [parameter.kind for parameter in signature.parameters.values()][len(bound) :]
    if inspect.Parameter.VAR_POSITIONAL in kinds or inspect.Parameter.POSITIONAL_ONLY in kinds:
        return args, kwargs
    by_name = dict(list(found.items())[len(bound) :])
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            by_name.update(by_name.pop(name, {}))
    return (), by_name


def given(function: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The `args` and `kwargs` a function was called with, and which are `unrecorded`."""
    return _shown(_noted(*_named(function, (), args, kwargs)))


def _print(value: Any) -> str:
    """A value in short, to be compared later: plain data by its content, the rest by which object it is."""
    try:
        return f"={zlib.crc32(json.dumps(coded(value), sort_keys=True).encode())}"
    except NotPlainError:
        return f"#{id(value)}"


def _prints(env: Any) -> Dict[str, str]:
    named = [(name, value) for name, value in vars(env).items() if not name.startswith(_OWN)]
    return {name: _print(value) for name, value in named[:_MAX_ATTRIBUTES]}


# ---- at a reset ----


def settle(env: Any) -> Dict[str, Any]:
    """An environment is about to be reset: what the script has changed of it since it was constructed.

    Before its first reset that is noted for `attributes`. Later it is what is no longer the same object as
    when the last episode ended, for the `reset` event; empty when there is nothing. Contents that changed in
    place are not noticed, nor is anything when an episode was cut: nobody looked at its end.
    """
    with report.guard(_WHERE):
        note = vars(env).get(_BUILT)
        if note is None or "fresh" not in note:
            return {}
        if "changed" in note:
            return _settle_later(env, note)
        _settle(env, note)
    return {}


class _Rest:
    """The attributes of an environment between two episodes. Copies and pickles do not take them along."""

    __slots__ = ("held",)

    def __init__(self, held: Dict[str, Any]) -> None:
        self.held = held

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(None), ()

    def __deepcopy__(self, _: Any) -> None:
        return None


def rest(env: Any) -> None:
    """An episode of an environment has ended: remember which objects its attributes are."""
    with report.guard(_WHERE):
        held = vars(env.unwrapped)
        note = held.get(_BUILT)
        if note is not None and "changed" in note:
            note["rest"] = _Rest({name: value for name, value in held.items() if name != _BUILT})


def _settle_later(env: Any, note: Dict[str, Any]) -> Dict[str, Any]:
    ended = note.pop("rest", None)
    names: List[str] = note.setdefault("later", [])
    if ended is not None:
        before = ended.held
        for name, value in vars(env).items():
            was = before.get(name, env)
            if value is not was and not name.startswith(_OWN) and name not in names and _counts(value, was):
                names.append(name)
    if not names:
        return {}
    return _kept({name: vars(env)[name] for name in names[:_MAX_ATTRIBUTES] if name in vars(env)})


def _counts(value: Any, was: Any) -> bool:
    """Whether an attribute that is another object is another value, and not one that drawing put there."""
    now = _print(value)
    return now != _print(was) and (now.startswith("=") or was is not None)


def _kept(values: Dict[str, Any]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    lost: List[str] = []
    size = 0
    for name, value in values.items():
        try:
            kept = coded(value)
        except NotPlainError as error:
            if not name.startswith(_DRAWING):
                lost.append(f"{name} ({error})")
            continue
        size += len(json.dumps(kept))
        if size > _MAX_CHANGED_BYTES:
            lost.append(f"{name} (too much data)")
        else:
            found[name] = kept
    return {**({"attributes": found} if found else {}), **({"attributes_unrecorded": lost} if lost else {})}


def _settle(env: Any, note: Dict[str, Any]) -> None:
    fresh = note["fresh"]
    note["fresh"] = {}
    changed = {
        name: vars(env)[name]
        for name, now in _prints(env).items()
        if now != fresh.get(name) and (now.startswith("=") or fresh.get(name, _NONE) != _NONE)
    }
    kept = _kept(changed)
    note["changed"], note["changed_lost"] = kept.get("attributes", {}), kept.get("attributes_unrecorded", [])


_NONE = _print(None)
_DRAWING = ("screen", "surf", "window", "viewer", "clock", "render", "mujoco_renderer")


def built(env: Any, *, around: bool = False) -> Optional[Dict[str, Any]]:
    """The `args` and `kwargs` an environment was constructed with, and which are `unrecorded`.

    None when nobody saw it being constructed. With `around` it is a wrapper: the environment it was given is
    the one below it, and `inner` says by which name.
    """
    note = vars(env).get(_BUILT)
    if note is None:
        takes_nothing = type(env).__init__ in (object.__init__, *_base_constructors())
        return {"kwargs": {}, "coded": True} if takes_nothing else None
    return _shown(note, around=around)


def _shown(note: Dict[str, Any], *, around: bool = False) -> Dict[str, Any]:
    found: Dict[str, Any] = {"kwargs": dict(note["kwargs"]), "coded": True}
    lost = list(note["lost"])
    if around:
        found["inner"] = note["inner"]
    elif note["inner"] is not None:
        lost.append(f"{note['inner']} (another environment)")
    if note["args"]:
        found["args"] = list(note["args"])
    if lost:
        found["unrecorded"] = lost
    return found


def _base_constructors() -> List[Any]:
    """The constructors of the base classes themselves: they take nothing."""
    found = []
    for module_name, names in _BASES:
        module = sys.modules.get(module_name)
        found += [getattr(module, name).__init__ for name in names if hasattr(module, name)]
    return found


def attributes(env: Any) -> Dict[str, Any]:
    """`attributes` that were changed between construction and first reset, and `attributes_unrecorded`."""
    note = vars(env).get(_BUILT) or {}
    found: Dict[str, Any] = {}
    if note.get("changed"):
        found["attributes"] = dict(note["changed"])
    if note.get("changed_lost"):
        found["attributes_unrecorded"] = list(note["changed_lost"])
    return found
