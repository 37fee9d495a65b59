"""How to rebuild an environment, in plain values. Reads what it says of itself; changes nothing."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional

from mosaic_worker.values import plain, text

__all__ = ["describe", "describe_vector", "note_registration"]

_MAX_SPACE_REPR = 2000
_registrants: Dict[str, str] = {}


def note_registration(env_id: str, module: str) -> None:
    """Remember which module registered an id: importing it is what makes the id known again."""
    _registrants[env_id] = module


def describe(env: Any, api: str) -> Dict[str, Any]:
    """The `env` of a reset event for a single environment."""
    base = env.unwrapped
    return {
        **_of_spec(env, base, api),
        **_added_by_spec(env),
        "wrappers": _wrappers(env),
        "spaces": {
            "observation": _shown(getattr(env, "observation_space", None)),
            "action": _shown(getattr(env, "action_space", None)),
        },
        "versions": _versions(api, type(base).__module__),
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
    }


def _of_spec(env: Any, base: Any, api: str) -> Dict[str, Any]:
    kind = type(base)
    found: Dict[str, Any] = {
        "api": api,
        "id": None,
        "kwargs": None,
        "entry_point": f"{kind.__module__}:{kind.__qualname__}",
    }
    spec = getattr(base, "spec", None)
    if spec is None:
        found["module"] = kind.__module__
    else:
        found["id"] = text(str(spec.id))
        found["kwargs"] = plain(dict(getattr(spec, "kwargs", None) or getattr(spec, "_kwargs", None) or {}))
        entry = getattr(spec, "entry_point", None)
        if isinstance(entry, str):
            found["entry_point"] = text(entry)
        elif entry is not None:
            found["entry_point"] = (
                f"{entry.__module__}:{getattr(entry, '__qualname__', type(entry).__qualname__)}"
            )
        module = _registrants.get(spec.id)
        if module is not None and module.split(".")[0] != api:
            found["module"] = module
        found["max_episode_steps"] = _time_limit(env, spec)
    if found.get("module") == "__main__":
        found["file"] = text(str(getattr(sys.modules.get("__main__"), "__file__", "")))
    return found


def _added_by_spec(env: Any) -> Dict[str, Any]:
    """Wrappers that `make` itself put on because the spec it was given says so."""
    added = getattr(getattr(env, "spec", None), "additional_wrappers", None)
    if not added:
        return {}
    return {
        "additional_wrappers": [
            {"entry_point": text(str(one.entry_point)), "kwargs": plain(dict(one.kwargs or {}))}
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
    for name in (api, "numpy", module.split(".", maxsplit=1)[0]):
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
