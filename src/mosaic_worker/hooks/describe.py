"""How to rebuild an environment, in plain values. Reads what it says of itself; changes nothing."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Optional

from mosaic_worker.arguments import NotPlainError, coded
from mosaic_worker.hooks import constructing
from mosaic_worker.layers import layers as zoo_layers
from mosaic_worker.pixels import frames_per_sec
from mosaic_worker.values import plain, text

__all__ = ["complete_zoo", "core", "describe", "describe_vector", "note_registration"]

_MAX_SPACE_REPR = 2000
_MAX_SOURCE_BYTES = 4 << 20
_MAINS = ("__main__", "__mp_main__")
"""The script, as itself and as multiprocessing calls it in the processes it spawns."""
_registrants: Dict[str, str] = {}


def note_registration(env_id: str, module: str) -> None:
    """Remember which module registered an id: importing it is what makes the id known again."""
    _registrants[env_id] = module


def describe(env: Any, api: str) -> Dict[str, Any]:
    """The `env` of a reset event for a single environment."""
    base = core(env, api)
    return {
        **_of_spec(env, base, api),
        **_added_by_spec(env),
        **constructing.attributes(env.unwrapped),
        "wrappers": _wrappers(env),
        "spaces": {
            "observation": _shown(getattr(env, "observation_space", None)),
            "action": _shown(getattr(env, "action_space", None)),
        },
        "versions": _versions(api, type(base).__module__),
        **_pace(env),
        **_source(base),
    }


def describe_vector(env: Any, api: str) -> Dict[str, Any]:
    """The `env` of a reset event for an environment that is vectorised in itself."""
    base = env.unwrapped
    mode = (getattr(base, "metadata", None) or {}).get("autoreset_mode")
    return {
        **_of_spec(env, base, api),
        "vector": True,
        "num_envs": int(base.num_envs),
        "autoreset": getattr(mode, "value", None),
        "spaces": {
            "observation": _shown(getattr(env, "single_observation_space", None)),
            "action": _shown(getattr(env, "single_action_space", None)),
        },
        "versions": _versions(api, type(base).__module__),
        **_pace(env),
        **_source(base),
    }


def complete_zoo(env: Any, found: Dict[str, Any]) -> None:
    """Add to a PettingZoo environment's description how it, and what a script put around it, was constructed.

    `found` has the factory that made it, or its class when none was seen, and the names of its `wrappers`.
    """
    stack = zoo_layers(env)
    base = stack[-1]
    if "function" in found and found["function"] == type(base).__qualname__:
        found.update(constructing.built(base) or {})
    around = stack[: len(found.get("wrappers") or ())]
    if around:
        found["wrapping"] = [
            {
                "entry_point": _named_main(f"{type(layer).__module__}:{type(layer).__qualname__}"),
                **(constructing.built(layer, around=True) or {"kwargs": {}, "unrecorded": ["all of them"]}),
            }
            for layer in around
        ]
    constructing.settle(base)  # it is described just before its first reset
    found.update({**constructing.attributes(base), **_pace(env), **_source(base)})
    found["module"] = _named_main(found["module"])
    if found["module"] == _MAINS[0]:
        found.update(_main_file())


def core(env: Any, api: str) -> Any:
    """The innermost layer that is still an environment of this API.

    An adapter may stand around one of another library, and say that this is what it is unwrapped.
    """
    kind = getattr(sys.modules.get(api), "Env", None)
    base = env.unwrapped
    if kind is None or isinstance(base, kind):
        return base
    return next((layer for layer in reversed(_layers(env)) if isinstance(layer, kind)), base)


def _named_main(name: str) -> str:
    """A module, or something in it, by the name the script itself has."""
    module, colon, rest = name.partition(":")
    return f"{_MAINS[0] if module in _MAINS else module}{colon}{rest}"


def _main_file() -> Dict[str, Any]:
    main = sys.modules.get("__main__")
    found: Dict[str, Any] = {"file": text(os.path.abspath(str(getattr(main, "__file__", ""))))}
    if not getattr(main, "__file__", ""):
        found["file"] = ""
    package = getattr(main, "__package__", None)
    if package:
        found["package"] = text(str(package))
    return found


def _pace(env: Any) -> Dict[str, Any]:
    asked = frames_per_sec(getattr(env, "metadata", None))
    return {} if asked is None else {"render_fps": asked}


def _source(base: Any) -> Dict[str, Any]:
    """A checksum of the file that defines it, where it has no version of its own to tell it by."""
    module = sys.modules.get(type(base).__module__)
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or "site-packages" in file or not file.endswith(".py"):
        return {}
    try:
        with open(file, "rb") as opened:
            data = opened.read(_MAX_SOURCE_BYTES)
    except OSError:
        return {}
    import hashlib  # slow, and only needed once there is an environment

    return {"source": {"file": text(os.path.abspath(file)), "sha256": hashlib.sha256(data).hexdigest()}}


def _arguments(given: Dict[str, Any]) -> Any:
    """Keyword arguments with their types; as far as they can be shown where they are not plain data."""
    found = {}
    for name, value in given.items():
        try:
            found[text(str(name))] = coded(value)
        except NotPlainError:
            found[text(str(name))] = plain(value)
    return found


def _of_spec(env: Any, base: Any, api: str) -> Dict[str, Any]:
    kind = type(base)
    found: Dict[str, Any] = {
        "api": api,
        "id": None,
        "kwargs": None,
        "entry_point": _named_main(_global_name(kind)),
    }
    spec = getattr(base, "spec", None) or getattr(env.unwrapped, "spec", None)
    if spec is None:
        found["module"] = found["entry_point"].partition(":")[0]
        found.update(constructing.built(base) or {})
    else:
        found["id"] = text(str(spec.id))
        found["kwargs"] = _arguments(
            dict(getattr(spec, "kwargs", None) or getattr(spec, "_kwargs", None) or {})
        )
        found["coded"] = True
        entry = getattr(spec, "entry_point", None)
        if isinstance(entry, str):
            found["entry_point"] = _named_main(text(entry))
        elif entry is not None:
            found["entry_point"] = _named_main(
                f"{entry.__module__}:{getattr(entry, '__qualname__', type(entry).__qualname__)}"
            )
        module = _registrants.get(spec.id)
        if module is not None and module.split(".")[0] != api:
            found["module"] = _named_main(module)
        found["max_episode_steps"] = _time_limit(env, spec)
        if callable(entry) and not _is_global(entry):
            # A lambda, or a partial as RLlib registers them: it may be impossible to find again, and then
            # what it made is constructed.
            name = _named_main(_global_name(kind))
            found["made"] = {"entry_point": name, **(constructing.built(base) or {})}
    named = (found["entry_point"], (found.get("made") or found)["entry_point"])
    if _MAINS[0] in (found.get("module"), *(name.partition(":")[0] for name in named)):
        found.update(_main_file())
    return found


def _is_global(made: Any) -> bool:
    """Whether a class or function can be found in its module under its own name."""
    found: Any = sys.modules.get(getattr(made, "__module__", None) or "")
    for part in str(getattr(made, "__qualname__", "")).split("."):
        found = getattr(found, part, None)
    return found is made


def _global_name(cls: Any) -> str:
    """Where a class is found; one that a function made may be kept in any module, under any name."""
    own = f"{cls.__module__}:{cls.__qualname__}"
    if _is_global(cls):
        return own
    for module_name, module in list(sys.modules.items()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is cls:
                return f"{module_name}:{name}"
    return own


def _added_by_spec(env: Any) -> Dict[str, Any]:
    """Wrappers that `make` itself put on because the spec it was given says so."""
    added = getattr(getattr(env, "spec", None), "additional_wrappers", None)
    if not added:
        return {}
    return {
        "additional_wrappers": [
            {"entry_point": text(str(one.entry_point)), "kwargs": _arguments(dict(one.kwargs or {}))}
            for one in added
        ]
    }


def _layers(env: Any) -> List[Any]:
    layers: List[Any] = []
    while "env" in getattr(env, "__dict__", {}) and len(layers) < 64:
        layers.append(env)
        env = env.__dict__["env"]
    return layers


def _wrappers(env: Any) -> List[str]:
    return [f"{type(layer).__module__}:{type(layer).__qualname__}" for layer in _layers(env)]


def _time_limit(env: Any, spec: Any) -> Optional[int]:
    for layer in _layers(env):
        limit = layer.__dict__.get("_max_episode_steps")
        if isinstance(limit, int):
            return limit
    limit = getattr(spec, "max_episode_steps", None)
    return limit if isinstance(limit, int) else None


def _shown(space: Any) -> Optional[str]:
    return None if space is None else text(repr(space)[:_MAX_SPACE_REPR])


def _versions(api: str, module: str) -> Dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    own = module.split(".", maxsplit=1)[0]
    for name in (api, "numpy", *(("torch",) if "torch" in sys.modules else ()), own):
        version = _version(name)
        if version is not None:
            found[name] = version
    return found


def _version(name: str) -> Optional[str]:
    version = getattr(sys.modules.get(name), "__version__", None)
    if isinstance(version, str):
        return version
    try:
        from importlib import metadata

        return metadata.version(name)
    except (ImportError, ValueError):  # PackageNotFoundError is an ImportError
        return None
