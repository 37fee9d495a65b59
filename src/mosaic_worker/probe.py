"""What an interpreter can do with an environment id: tried in a disposable child. Standard library at import.

Run as a program, in the interpreter in question. One JSON request on stdin, one JSON line per finding on what
was stdout: findings made before a crash are known all the same. What the environment prints goes to stderr.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import json
import os
import re
import sys
import time
from typing import Any, Callable, Dict, List, Optional

__all__ = ["main", "prepare"]

_FAMILIES = {"ALE": "ale_py", "MiniGrid": "minigrid", "BabyAI": "minigrid"}
"""Namespaces and first words of ids, and the packages that register them when they are imported."""
_ROM = re.compile(r"\bROMs?\b|Unable to find the game", re.IGNORECASE)
_ZOO = re.compile(r"pettingzoo[./](\w+)[./](\w+_v\d+)")
_GPU_FILES = ("/dev/nvidia0", "/dev/kfd", "/dev/dxg")

Say = Callable[..., None]


def prepare(env_id: str) -> None:
    """Import what registers an id, where the id does not say so itself, as `ALE/Pong-v5`."""
    module = _FAMILIES.get(re.split(r"[/-]", env_id, maxsplit=1)[0])
    if module is not None:
        try:
            package = importlib.import_module(module)
        except ImportError:
            return  # making it says what is missing
        register = getattr(importlib.import_module("gymnasium"), "register_envs", None)
        if register is not None:
            register(package)


def main() -> None:
    """Answer the one request on stdin."""
    request = json.loads(sys.stdin.buffer.read())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # user code may print what it likes

    def say(about: str, **found: Any) -> None:
        answers.write(json.dumps(dict(found, about=about), default=str) + "\n")
        answers.flush()

    say("python", version=list(sys.version_info[:3]), executable=sys.executable)
    _imports(request.get("imports") or [], say)
    if request.get("gpu"):
        say("gpu", **_gpu(bool(request.get("torch"))))
    env_id = request.get("env_id") or ""
    if not env_id:
        return
    kwargs = dict(request.get("kwargs") or {})
    zoo = _ZOO.fullmatch(env_id)
    if zoo:
        _zoo(zoo.group(1), zoo.group(2), kwargs, say)
    else:
        _gymnasium(env_id, kwargs, int(request.get("steps") or 0), say)


def _imports(names: List[str], say: Say) -> None:
    for name in names:
        try:
            module = importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001  (a broken package may raise anything, SystemExit too)
            say("import", name=name, error=_sentence(error))
        else:
            say("import", name=name, version=str(getattr(module, "__version__", "")))


def _gpu(with_torch: bool) -> Dict[str, Any]:
    """Whether a GPU can be used. Importing torch takes seconds: only when the machine has a device at all."""
    if not any(os.path.exists(path) for path in _GPU_FILES):
        return {"usable": False, "text": "this machine has no GPU"}
    if not with_torch:
        return {"usable": True, "text": "the machine has a GPU"}
    try:
        torch = importlib.import_module("torch")
        if torch.cuda.is_available():
            return {"usable": True, "text": str(torch.cuda.get_device_name(0))}
    except Exception as error:  # noqa: BLE001  (drivers fail in many ways, all of them mean CPU)
        return {"usable": False, "text": "torch cannot use the GPU: " + _sentence(error)}
    return {"usable": False, "text": "the installed torch cannot use this machine's GPU"}


def _gymnasium(env_id: str, kwargs: Dict[str, Any], steps: int, say: Say) -> None:
    try:
        gymnasium = importlib.import_module("gymnasium")
    except ImportError as error:
        say("env", kind="no_gymnasium", text=_sentence(error))
        return
    env = None
    try:
        prepare(env_id)
        env = gymnasium.make(env_id, **kwargs)
    except BaseException as error:  # noqa: BLE001  (a constructor may raise anything; it becomes a sentence)
        say("env", **_failure(gymnasium, env_id, error))
        return
    modes = list((getattr(env, "metadata", None) or {}).get("render_modes") or [])
    say("env", kind="ok", id=str(getattr(env.spec, "id", env_id)), render_modes=[str(mode) for mode in modes])
    say("spaces", action=_space(env.action_space), observation=_space(env.observation_space))
    try:
        world = _world(env)
        world.reset(seed=0)
        say("masks", there=_has_masks(env, world.now.info))
        if steps:
            _step(world, steps, say)
        world.close()
    except BaseException as error:  # noqa: BLE001  (as above)
        say("steps", error=_sentence(error))
        return
    if "rgb_array" in modes:
        _render(gymnasium, env_id, kwargs, say)
    else:
        say("render", ok=False, text="it cannot draw itself (no rgb_array mode)")


def _world(env: Any, kind: str = "single") -> Any:
    from mosaic_worker.session.worlds import world_of

    return world_of(env, kind)


def _step(world: Any, steps: int, say: Say) -> None:
    from mosaic_worker.operators import Random
    from mosaic_worker.session.loop import Until, play

    started = time.monotonic()
    play(world, Random(), until=Until(ticks=steps), seed=0, reset=False)
    say("steps", done=steps, secs=time.monotonic() - started)


def _render(gymnasium: Any, env_id: str, kwargs: Dict[str, Any], say: Say) -> None:
    say("render", ok=False, text="drawing it ended the process")  # stays the last word if it does
    try:
        world = _world(gymnasium.make(env_id, **dict(kwargs, render_mode="rgb_array")))
        world.reset(seed=0)
        frame = world.draw()
        world.close()
    except BaseException as error:  # noqa: BLE001  (a missing library, a missing screen: a sentence)
        say("render", ok=False, text=_sentence(error))
        return
    shape = getattr(frame, "shape", None)
    say("render", ok=shape is not None, text="%sx%s pixels" % (shape[1], shape[0]) if shape else "no frame")


def _has_masks(env: Any, info: Any) -> bool:
    if isinstance(info, dict) and "action_mask" in info:
        return True
    if callable(getattr(getattr(env, "unwrapped", env), "action_masks", None)):
        return True
    spaces = getattr(env.observation_space, "spaces", None)
    return isinstance(spaces, dict) and "action_mask" in spaces


def _space(space: Any) -> Dict[str, Any]:
    kind = next((base.__name__ for base in type(space).__mro__ if base.__module__.startswith("gym")), "")
    found = {"kind": kind or type(space).__name__, "text": str(space)[:200], "bytes": _bytes(space)}
    number = getattr(space, "n", None)
    if number is not None and kind == "Discrete":
        found["n"] = int(number)
    return found


def _bytes(space: Any) -> int:
    """How large one value of a space is in memory, about."""
    below = getattr(space, "spaces", None)
    if below is not None:
        return sum(_bytes(one) for one in (below.values() if hasattr(below, "values") else below))
    size = getattr(getattr(space, "dtype", None), "itemsize", 8) or 8
    for length in getattr(space, "shape", None) or ():
        size *= length
    return int(size)


def _failure(gymnasium: Any, env_id: str, error: BaseException) -> Dict[str, Any]:
    errors = gymnasium.error
    names = ("UnregisteredEnv", "NamespaceNotFound", "NameNotFound", "VersionNotFound", "DeprecatedEnv")
    unknown = tuple(kind for name in names if isinstance(kind := getattr(errors, name, None), type))
    text = _sentence(error)
    if isinstance(error, unknown):
        return {"kind": "unknown", "text": text, "near": _near(gymnasium, env_id)}
    if _ROM.search(str(error)):
        return {"kind": "rom", "text": text}
    missing = getattr(errors, "DependencyNotInstalled", ())
    if isinstance(error, ImportError) or (missing and isinstance(error, missing)):
        return {"kind": "dependency", "text": text, "module": getattr(error, "name", None) or ""}
    return {"kind": "error", "text": text}


def _near(gymnasium: Any, env_id: str) -> Optional[str]:
    registry = gymnasium.registry
    known = {str(name).lower(): str(name) for name in getattr(registry, "env_specs", registry)}
    wanted = env_id.rsplit(":", maxsplit=1)[-1].lower()
    found = difflib.get_close_matches(wanted, known, n=1, cutoff=0.6)
    if found:
        name = known[found[0]]
        newest = [one for one in known.values() if one.rpartition("-v")[0] == name.rpartition("-v")[0]]
        return max(newest, key=_version) if wanted != name.lower() else name
    return None


def _version(env_id: str) -> int:
    tail = env_id.rpartition("-v")[2]
    return int(tail) if tail.isdigit() else -1


def _zoo(family: str, name: str, kwargs: Dict[str, Any], say: Say) -> None:
    try:
        importlib.import_module("pettingzoo")
    except ImportError as error:
        say("env", kind="dependency", text=_sentence(error), module="pettingzoo")
        return
    try:
        module = importlib.import_module("pettingzoo.%s.%s" % (family, name))
        env = module.env(**dict({"render_mode": "rgb_array"}, **kwargs))
        world = _world(env, "aec")
        world.reset(seed=0)
        agents = list(env.possible_agents)
    except ImportError as error:
        near = _near_zoo(family, name)
        kind = "unknown" if "pettingzoo.%s" % family in str(error) else "dependency"
        say("env", kind=kind, text=_sentence(error), near=near, module=getattr(error, "name", None) or "")
        return
    except BaseException as error:  # noqa: BLE001  (a constructor may raise anything)
        say("env", kind="error", text=_sentence(error))
        return
    say("env", kind="ok", id="pettingzoo.%s.%s" % (family, name), agents=agents, render_modes=["rgb_array"])
    action, seen = env.action_space(agents[0]), env.observation_space(agents[0])
    say("spaces", action=_space(action), observation=_space(seen))
    say("masks", there="action_mask" in (getattr(seen, "spaces", None) or {}))
    say("render", ok=False, text="drawing it ended the process")
    try:
        frame = world.draw()
        say("render", ok=frame is not None, text="" if frame is not None else "no frame")
    except BaseException as error:  # noqa: BLE001  (as above)
        say("render", ok=False, text=_sentence(error))


def _near_zoo(family: str, name: str) -> Optional[str]:
    try:
        package = importlib.import_module("pettingzoo.%s" % family)
        names = [
            one[:-3] for one in os.listdir(os.path.dirname(package.__file__ or "")) if one.endswith(".py")
        ]
    except (ImportError, OSError):
        return None
    found = difflib.get_close_matches(name, names, n=1)
    return "pettingzoo.%s.%s" % (family, found[0]) if found else None


def _sentence(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return ("%s: %s" % (type(error).__name__, text) if text else type(error).__name__)[:500]


def _find_own_package() -> None:
    """Make `mosaic_worker` importable by its file alone.

    Its folder may be a site-packages: on the path, it would lend this interpreter packages that it has not.
    """
    if "mosaic_worker" in sys.modules:
        return
    here = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "mosaic_worker", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    if spec is None or spec.loader is None:
        raise ImportError("%s is not a package" % here)
    sys.modules["mosaic_worker"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


if __name__ == "__main__":
    sys.path[0] = os.getcwd()  # the user's folder, as for a script there; not this package's own
    _find_own_package()
    main()
