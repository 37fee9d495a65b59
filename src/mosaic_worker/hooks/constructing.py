"""The arguments an environment was constructed with, and what a script changed of it before its first reset.

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


# ---- at the first reset ----


def settle(env: Any) -> None:
    """An environment is about to be reset for the first time: note what changed since its construction."""
    with report.guard(_WHERE):
        note = vars(env).get(_BUILT)
        if note is not None and "fresh" in note and "changed" not in note:
            _settle(env, note)


def _settle(env: Any, note: Dict[str, Any]) -> None:
    fresh = note["fresh"]
    note["fresh"] = {}
    note["changed"], note["changed_lost"] = {}, []
    size = 0
    for name, now in _prints(env).items():
        if fresh.get(name) == now:
            continue
        value = vars(env)[name]
        try:
            kept = coded(value)
        except NotPlainError as error:
            if name in fresh and not (fresh[name] == _NONE or name.startswith(_DRAWING)):
                note["changed_lost"].append(f"{name} ({error})")
            continue
        size += len(json.dumps(kept))
        if size > _MAX_CHANGED_BYTES:
            note["changed_lost"].append(f"{name} (too much data)")
        else:
            note["changed"][name] = kept


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
