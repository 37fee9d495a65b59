"""Building an environment again from its recorded description. Imports only what is known or was allowed.

Known are the environment libraries everyone installs as such. Any other module runs code of whoever wrote the
run: it is imported when the user allowed it by name, and refused otherwise.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from mosaic_worker.arguments import NotPlainError, decoded
from mosaic_worker.common import redact
from mosaic_worker.layers import layers as _layers
from mosaic_worker.replay import script
from mosaic_worker.replay.decode import LostError, argument

__all__ = ["KNOWN", "Builder", "ConsentError", "RebuildError"]

KNOWN = frozenset(
    {
        "Box2D", "ale_py", "dm_control", "gym", "gymnasium", "gymnasium_robotics", "magent2", "minigrid",
        "miniworld", "momaland", "mpe2", "mujoco", "numpy", "pettingzoo", "shimmy", "stable_baselines3",
        "supersuit",
    }
)  # fmt: skip
"""Top-level packages that may be imported without asking."""
_MAIN = "__main__"
_VECTOR_ONLY = ("num_envs", "vectorization_mode", "vector_kwargs", "wrappers")
_FRAMES = "rgb_array"
_MAX_SOURCE_BYTES = 4 << 20  # as in hooks.describe


class RebuildError(Exception):
    """The environment cannot be built again; says why."""


class ConsentError(Exception):
    """A module would have to be imported that nobody allowed. The message is its name."""


class Builder:
    """Makes environments of one description.

    Args:
        env: the description, as recorded.
        allowed: modules that may be imported besides the known ones.
        path: folders to look for allowed modules in.
        argv: the words after the script's name on the recorded command line.
        frames: make environments that can be rendered, where they can.
    """

    def __init__(
        self,
        env: Dict[str, Any],
        *,
        allowed: Sequence[str] = (),
        path: Sequence[str] = (),
        argv: Sequence[str] = (),
        frames: bool = True,
    ) -> None:
        self.env = env
        self.api = str(env.get("api") or "")
        self.frames = frames
        self.notes: List[str] = []
        self._allowed = frozenset(allowed)
        self._path = [folder for folder in path if folder]
        self._argv = list(argv)
        self._script: Any = None

    @property
    def kind(self) -> str:
        """How its episodes are played: single, vector, aec, parallel, or dicts by agent."""
        if self.api.startswith("pettingzoo"):
            return "aec" if self.api.endswith("aec") else "parallel"
        if self.env.get("vector"):
            return "vector"
        return "single" if self.env.get("agents") is None else "dicts"

    def make(self) -> Any:
        """A new environment.

        Raises:
            ConsentError: a module would have to be imported that nobody allowed.
            RebuildError: it cannot be built.
        """
        if not self.api:
            raise RebuildError("how its environment was made was not recorded")
        if self.kind in ("aec", "parallel"):
            return self._made(self._zoo)
        self._import(self.api)
        module = str(self.env.get("module") or "")
        if module and (module != _MAIN or not self._entry_is_elsewhere):
            self._import(module)
        if self.env.get("id") is None:
            return self._made(self._construct)
        return self._made(self._from_id)

    @property
    def _entry_is_elsewhere(self) -> bool:
        """Whether the script registered something that is defined in a module of its own."""
        return str(self.env.get("entry_point") or _MAIN).partition(":")[0] != _MAIN

    # ---- ways to make one ----

    def _made(self, way: Any) -> Any:
        """Make it so that it can be rendered; where that fails, as it was recorded."""
        if self.frames:
            try:
                env = self._changed(way(_FRAMES))
            except (ConsentError, RebuildError):
                raise
            except Exception as error:  # noqa: BLE001  (an environment may refuse in any way it likes)
                self.frames = False
                self.notes.append(f"it cannot be made for frames ({type(error).__name__}: {error})"[:300])
            else:
                return env
        try:
            return self._changed(way(None))
        except (ConsentError, RebuildError):
            raise
        except Exception as error:
            lost = self.env.get("unrecorded")
            why = f"; arguments that could not be recorded: {', '.join(lost)}" if lost else ""
            raise RebuildError(
                f"making {self._name()} failed: {type(error).__name__}: {error}{why}"[:2000]
            ) from error

    def _changed(self, env: Any) -> Any:
        """The environment, with the attributes the script had changed before its first reset."""
        changed = self.env.get("attributes") or {}
        core = _layers(env)[-1] if self.api.startswith("pettingzoo") else getattr(env, "unwrapped", env)
        for name, value in changed.items():
            _check_for_secrets(f"attribute {name!r}", value)
            setattr(core, name, decoded(value))
        return env

    def _name(self) -> str:
        return str(self.env.get("id") or self.env.get("entry_point") or self.env.get("module"))

    def _kwargs(self, frames: Optional[str]) -> Dict[str, Any]:
        kwargs = self._decoded(self.env.get("kwargs") or {}, typed=bool(self.env.get("coded")))
        if frames is not None:
            kwargs["render_mode"] = frames
        elif kwargs.get("render_mode") == "human":
            kwargs.pop("render_mode")
        return kwargs

    def _decoded(self, given: Dict[str, Any], *, typed: bool) -> Dict[str, Any]:
        """Recorded arguments as they were.

        Raises:
            RebuildError: one could not be recorded; says which.
        """
        found = {}
        for name, value in given.items():
            _check_for_secrets(f"argument {name!r}", value)
            try:
                found[name] = decoded(value) if typed else argument(value)
            except (NotPlainError, LostError) as error:
                raise RebuildError(
                    f"its argument {name!r} is not plain data and could not be recorded ({error})"
                ) from error
        return found

    def _from_id(self, frames: Optional[str]) -> Any:
        api = importlib.import_module(self.api)
        env_id, kwargs = str(self.env["id"]), self._kwargs(frames)
        if ":" in env_id:
            self._import(env_id.partition(":")[0])
        self._check_entry_point(api, env_id)
        limit = self.env.get("max_episode_steps")
        if self.kind == "vector":
            count = kwargs.pop("num_envs", self.env.get("num_envs"))
            return api.make_vec(env_id, num_envs=count, **kwargs)
        for name in _VECTOR_ONLY:
            kwargs.pop(name, None)
        accepted = inspect.signature(api.make).parameters
        if limit is not None and "max_episode_steps" in accepted:
            kwargs["max_episode_steps"] = limit
        if "disable_env_checker" in accepted:
            kwargs["disable_env_checker"] = True
        return self._wrapped(api.make(env_id, **kwargs))

    def _check_entry_point(self, api: Any, env_id: str) -> None:
        """`make` imports the module of the id's entry point: it has to be a known or an allowed one."""
        registry = (
            getattr(api, "registry", None)
            or importlib.import_module(f"{self.api}.envs.registration").registry
        )
        spec = (
            registry.get(env_id)
            if hasattr(registry, "get")
            else getattr(registry, "env_specs", {}).get(env_id)
        )
        if spec is None:
            self._register_again(api, env_id)
            return
        for entry in (getattr(spec, "entry_point", None), getattr(spec, "vector_entry_point", None)):
            module = entry.partition(":")[0] if isinstance(entry, str) else getattr(entry, "__module__", None)
            if module and module not in sys.modules:
                self._consent(str(module))

    def _register_again(self, api: Any, env_id: str) -> None:
        """The id is unknown here: the script registered it in a place that a replay does not run."""
        entry = self.env.get("entry_point")
        if not entry or self.kind == "vector":
            known = "" if self.env.get("module") else " and which module registered it was not recorded"
            raise RebuildError(f"{self.api} here knows no environment {env_id!r}{known}")
        made = self.env.get("made")
        factory = self._find(str(entry)) if made is None else self._factory(made)
        api.register(id=env_id, entry_point=factory, max_episode_steps=self.env.get("max_episode_steps"))

    def _factory(self, made: Dict[str, Any]) -> Any:
        """Stands in for a function that cannot be found again: constructs what it made, as it made it."""
        kind = self._find(str(made["entry_point"]))
        if made.get("kwargs") is None:
            self._note("the arguments it was constructed with were not recorded; it was made without any")
        self._note_unrecorded(made)
        args = [decoded(value) for value in made.get("args") or ()]

        def construct(**given: Any) -> Any:
            return kind(*args, **{**self._decoded(made.get("kwargs") or {}, typed=True), **given})

        return construct

    def _wrapped(self, env: Any) -> Any:
        for wrapper in self.env.get("additional_wrappers") or ():
            kind = self._find(wrapper["entry_point"])
            kwargs = self._decoded(wrapper.get("kwargs") or {}, typed=bool(self.env.get("coded")))
            env = kind(env=env, **kwargs)
        return env

    def _construct(self, frames: Optional[str]) -> Any:
        kind = self._find(str(self.env.get("entry_point")))
        if self.env.get("kwargs") is None:
            self._note("the arguments it was constructed with were not recorded; it was made without any")
        self._note_unrecorded(self.env)
        if self.env.get("around"):
            return kind(*self._args(), **self._kwargs(None), **self._below(frames))
        return kind(*self._args(), **self._kwargs(frames))

    def _below(self, frames: Optional[str]) -> Dict[str, Any]:
        """For an adapter: the environment of another library it stands around, as the argument it came as."""
        inner = str(self.env.get("inner"))
        if inner.startswith("number "):
            raise RebuildError("it was given another environment by position, which cannot be repeated")
        below = Builder(self.env["around"], allowed=list(self._allowed), path=self._path, argv=self._argv)
        made = below._zoo(frames)
        for note in below.notes:
            self._note(note)
        return {inner: made}

    def _args(self) -> List[Any]:
        typed = bool(self.env.get("coded"))
        _check_for_secrets("arguments", self.env.get("args") or ())
        return [decoded(value) if typed else argument(value) for value in self.env.get("args") or ()]

    def _note_unrecorded(self, built: Dict[str, Any]) -> None:
        lost = built.get("unrecorded")
        if lost:
            self._note(
                f"arguments that are not plain data were not recorded and are left out: {', '.join(lost)}"
            )

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _zoo(self, frames: Optional[str]) -> Any:
        module = self._import(str(self.env.get("module")))
        factory: Any = module
        for part in str(self.env.get("function")).split("."):
            if not hasattr(factory, part):
                raise RebuildError(f"{self.env['module']} has no {self.env['function']}")
            factory = getattr(factory, part)
        if self.env.get("function") == "make":
            raise RebuildError("it was made by pettingzoo.make in a way that cannot be repeated")
        self._note_unrecorded(self.env)
        return self._wrapped_zoo(factory(*self._args(), **self._kwargs(frames)))

    def _wrapped_zoo(self, env: Any) -> Any:
        """What the script put around it, the innermost first; records of old have only the names."""
        wrapping = self.env.get("wrapping")
        if wrapping is None and self.env.get("wrappers"):
            self._note(f"the script put {', '.join(self.env['wrappers'])} around it; they are left out")
        for layer in reversed(wrapping or ()):
            lost = layer.get("unrecorded")
            if lost or layer.get("inner") is None or layer.get("args"):
                named = layer["entry_point"].partition(":")[2]
                self._note(
                    f"the script put {named} around it, whose arguments were not all recorded; it is left out"
                )
                continue
            kind = self._find(str(layer["entry_point"]))
            env = kind(**{layer["inner"]: env, **self._decoded(layer.get("kwargs") or {}, typed=True)})
        return env

    # ---- imports ----

    def _find(self, entry_point: str) -> Any:
        module_name, _, qualname = entry_point.partition(":")
        found: Any = self._import(module_name)
        for part in qualname.split("."):
            if part == "<locals>" or not hasattr(found, part):
                raise RebuildError(f"{entry_point} cannot be found again: its module has no such name")
            found = getattr(found, part)
        return found

    def _consent(self, name: str) -> None:
        top = name.split(".", maxsplit=1)[0]
        if top in KNOWN or name in self._allowed or top in self._allowed:
            return
        if name == _MAIN:
            file = str(self.env.get("file") or "")
            if os.path.basename(file) in self._allowed or file in self._allowed:
                return
        raise ConsentError(name)

    def _import(self, name: str) -> Any:
        self._consent(name)
        if name == _MAIN:
            return self._import_script()
        top = name.split(".", maxsplit=1)[0]
        if top not in KNOWN:
            sys.path.extend(folder for folder in self._path if folder not in sys.path)
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise RebuildError(f"cannot import {name} in {sys.executable}: {error}") from error

    def _import_script(self) -> Any:
        """What the environment needs of the recorded script, as a module; the script is not run."""
        if self._script is not None:
            return self._script
        file = str(self.env.get("file") or "")
        if not os.path.isfile(file):
            raise RebuildError(
                f"the environment is defined in the script, and {file or 'its file'} is not there"
            )
        sys.path.append(os.path.dirname(os.path.abspath(file)))
        sys.path.extend(folder for folder in self._path if folder not in sys.path)
        named = [self.env.get("entry_point"), f"{self.env.get('module')}:{self.env.get('function') or ''}"]
        named += [layer.get("entry_point") for layer in self.env.get("wrapping") or ()]
        names = _of_script(named)
        try:
            self._script = script.load(
                file,
                names + _of_script([(self.env.get("made") or {}).get("entry_point")]),
                registered=None if names else self.env.get("id"),
                package=self.env.get("package"),
                argv=self._argv,
            )
        except script.ScriptError as error:
            raise RebuildError(str(error)) from error
        return self._script

    # ---- what is different here ----

    def versions(self) -> Tuple[Dict[str, str], Dict[str, str]]:
        """Versions then and now, of what was recorded."""
        import platform

        then = {str(name): str(version) for name, version in (self.env.get("versions") or {}).items()}
        now = {}
        for name in then:
            version = platform.python_version() if name == "python" else _version(name)
            if version is not None:
                now[name] = version
        return then, now

    def source_changed(self) -> str:
        """The file that defines the environment, when it is not what it was; empty otherwise."""
        source = self.env.get("source") or {}
        file = str(source.get("file") or "")
        try:
            with open(file, "rb") as opened:
                now = hashlib.sha256(opened.read(_MAX_SOURCE_BYTES)).hexdigest()
        except OSError:
            return ""
        return file if now != source.get("sha256") else ""


def _check_for_secrets(what: str, value: Any) -> None:
    if redact.marked(value):
        raise RebuildError(f"its {what} held a secret, and secrets are not recorded")


def _of_script(entry_points: Sequence[Any]) -> List[str]:
    """Which names of the script itself are among these."""
    ours = [str(one).partition(":")[2] for one in entry_points if str(one).startswith(f"{_MAIN}:")]
    return [name for name in (one.split(".")[0] for one in ours) if name.isidentifier()]


def _version(name: str) -> Optional[str]:
    version = getattr(sys.modules.get(name), "__version__", None)
    if isinstance(version, str):
        return version
    try:
        from importlib import metadata

        return metadata.version(name)
    except (ImportError, ValueError):
        return None
