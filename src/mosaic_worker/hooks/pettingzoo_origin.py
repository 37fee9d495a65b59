"""How a PettingZoo environment was made: noted by its factory, found again below whatever was put around it.

Only looks at instance dictionaries and version strings; never calls an environment.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

from mosaic_worker import hooks, report, rng
from mosaic_worker.hooks import constructing
from mosaic_worker.hooks.describe import complete_zoo, core
from mosaic_worker.hooks.nesting import argument
from mosaic_worker.layers import layers

__all__ = ["around", "describe", "register", "rng_state"]

_FAMILIES = ("pettingzoo", "mpe2", "magent2", "momaland")
_FACTORIES = ("env", "parallel_env")
_MADE = "_mosaic_made"
_WHERE = "pettingzoo"


def register() -> None:
    """Hook the factories, each when the script imports it."""
    hooks.on_import("pettingzoo.env_registry.registration", _hook_make)
    for family in _FAMILIES:
        hooks.on_import_prefix(family + ".", _hook_factories)


def _hook_factories(module: types.ModuleType) -> None:
    for name in _FACTORIES:
        factory = vars(module).get(name)
        if isinstance(factory, types.FunctionType):
            setattr(module, name, _noting(factory, module.__name__, name))


def _noting(factory: Callable[..., Any], module_name: str, function: str) -> Callable[..., Any]:
    @functools.wraps(factory)
    def make(*args: Any, **kwargs: Any) -> Any:
        env = factory(*args, **kwargs)
        with report.guard(_WHERE):
            made = {"module": module_name, "function": function}
            _note(env, {**made, **constructing.given(factory, args, kwargs)})
        return env

    return make


def _hook_make(module: types.ModuleType) -> None:
    original = module.make

    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        env = original(*args, **kwargs)
        with report.guard(_WHERE):
            given = argument(args, kwargs, 1, "id")
            named = getattr(given, "id", given)
            inner = _made(env)[0] or {
                "module": "pettingzoo",
                "function": "make",
                **constructing.given(original, args, kwargs),
            }
            _note(env, dict(inner, id=str(named)))
        return env

    module.make = make  # type: ignore[attr-defined]


def _note(env: Any, made: Dict[str, Any]) -> None:
    vars(env)[_MADE] = made


def _made(env: Any) -> Tuple[Optional[Dict[str, Any]], List[str]]:
    """What a factory noted on this environment or one below it, and the wrappers put around that since."""
    wrappers: List[str] = []
    for layer in layers(env):
        made = vars(layer).get(_MADE)
        if made is not None:
            return made, wrappers
        wrappers.append("{}:{}".format(type(layer).__module__, type(layer).__qualname__))
    return None, wrappers


def describe(env: Any, api: str) -> Dict[str, Any]:
    """What it takes to build this environment again."""
    made, wrappers = _made(env)
    base = layers(env)[-1]
    if made is None:
        wrappers.pop()
        made = {"module": type(base).__module__, "function": type(base).__qualname__}
        kept = vars(base).get("_ezpickle_kwargs"), vars(base).get("_ezpickle_args")
        made.update(constructing.given(type(base), tuple(kept[1] or ()), dict(kept[0] or {})))
    name = getattr(base, "metadata", {}).get("name")
    found = dict({"id": name or type(base).__qualname__}, **made)
    found["api"] = api
    if wrappers:
        found["wrappers"] = wrappers
    packages = {"pettingzoo", "gymnasium", "numpy", found["module"].partition(".")[0]}
    versions = {name: getattr(sys.modules.get(name), "__version__", None) for name in sorted(packages)}
    found["versions"] = {name: version for name, version in versions.items() if isinstance(version, str)}
    found["agents"] = [str(agent) for agent in getattr(env, "possible_agents", ())]
    complete_zoo(env, found)
    return found


def around(env: Any, api: str) -> Dict[str, Any]:
    """For the description of an adapter, an environment of `api` that was given a PettingZoo environment.

    What that one takes to be built again, and as which argument it was given; empty for any other.
    """
    zoo = sys.modules.get("pettingzoo")
    if zoo is None or getattr(env.unwrapped, "spec", None) is not None:
        return {}
    adapter = core(env, api)
    built = constructing.built(adapter, around=True) or {}
    if built.get("inner") is None:
        return {}
    kinds = {"pettingzoo-aec": zoo.AECEnv, "pettingzoo-parallel": zoo.ParallelEnv}
    for held in list(vars(adapter).values()):
        for name, kind in kinds.items():
            if isinstance(held, kind):
                return {"unrecorded": [], **built, "around": describe(held, name)}
    return {}


def rng_state(env: Any) -> Any:
    """The state of the generator at the core, when there is one where Gymnasium's seeding puts it."""
    base = vars(layers(env)[-1])
    for name in ("_np_random", "np_random"):
        found = rng.capture(base.get(name))
        if found is not None:
            return found
    return None
