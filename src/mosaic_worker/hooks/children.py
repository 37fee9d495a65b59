"""Keeps the interpreters that a recorded process starts in the run, and says so when that is impossible.

A script may give its children an environment of its own making (`env={}`, another PYTHONPATH). For a Python,
a script for one, or a launcher, our variables and our folder on PYTHONPATH are added to it; everything else
stays as the script asked. An environment that says `MOSAIC_RUN_DIR` itself, also as empty, is left alone: so
a script can keep a child out of the run. Nothing on a command line is ever changed; a Python that its options
forbid to look at PYTHONPATH is named in a warning of the run.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import mosaic_worker
from mosaic_worker.common import interpreters
from mosaic_worker.hooks.standing_in import stand_in

if TYPE_CHECKING:
    from mosaic_worker.recorder import Recorder

__all__ = ["Ours", "completed", "register"]

_NAMES = tuple(f"MOSAIC_{name}" for name in ("RUN_DIR", "RUN_ID", "SOCKET", "TOKEN_FILE", "RECORD", "SHM"))
_MAX_WARNINGS = 8
_Args = Tuple[Any, ...]
_Kwargs = Dict[str, Any]


class Ours(NamedTuple):
    """What makes a Python process a recorded one."""

    site: str
    """The folder that holds our `sitecustomize`."""
    variables: Dict[str, str]


def completed(env: Mapping[str, str], ours: Ours) -> Optional[Dict[str, str]]:
    """A child's environment with ours added; None when nothing is missing, or when it belongs elsewhere."""
    if env.get("MOSAIC_RUN_DIR", ours.variables["MOSAIC_RUN_DIR"]) != ours.variables["MOSAIC_RUN_DIR"]:
        return None
    path = env.get("PYTHONPATH", "")
    has_path = ours.site in path.split(os.pathsep)
    if has_path and "MOSAIC_RUN_DIR" in env:
        return None
    found = {**ours.variables, **env}
    if not has_path:
        found["PYTHONPATH"] = ours.site + os.pathsep + path if path else ours.site
    return found


def register(recorder: Recorder) -> None:
    """Stand before every call that starts a program, when this process came to be recorded by PYTHONPATH."""
    site = os.path.dirname(os.path.dirname(os.path.abspath(mosaic_worker.__file__)))
    variables = {name: os.environ[name] for name in _NAMES if name in os.environ}
    if "MOSAIC_RUN_DIR" not in variables or site not in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        return
    _Children(recorder, Ours(site, variables)).watch()


class _Children:
    def __init__(self, recorder: Recorder, ours: Ours) -> None:
        self._recorder, self._ours = recorder, ours
        self._warned: Set[str] = set()

    def watch(self) -> None:
        import _posixsubprocess  # all of subprocess and multiprocessing goes through it

        stand_in(_posixsubprocess, "fork_exec", self._fork_exec)
        if "subprocess" in sys.modules:
            stand_in(sys.modules["subprocess"], "_fork_exec", self._fork_exec)
        for name in ("posix_spawn", "posix_spawnp"):
            stand_in(os, name, self._posix_spawn)
        # All of `os.exec*` and `os.spawn*` ends in these two.
        execve = os.execve
        stand_in(os, "execve", self._execve)
        stand_in(os, "execv", lambda original, args, kwargs: self._execv(original, execve, args, kwargs))
        stand_in(os, "system", self._system)

    def _fork_exec(self, original: Any, args: _Args, kwargs: _Kwargs) -> Any:
        given = list(args)
        words: List[str] = []
        with self._recorder.guard("children.fork_exec"):
            words = [os.fsdecode(word) for word in given[0]]
            env = None if given[5] is None else dict(_pair(one) for one in given[5])
            found = self._environment(words, [os.fsdecode(path) for path in given[1]], env)
            if found is not None:
                given[5] = [os.fsencode(f"{name}={value}") for name, value in found.items()]
        pid = original(*given, **kwargs)
        self._warn(words, pid)
        return pid

    def _posix_spawn(self, original: Any, args: _Args, kwargs: _Kwargs) -> Any:
        given = list(args)
        words: List[str] = []
        with self._recorder.guard("children.posix_spawn"):
            words = [os.fsdecode(word) for word in given[1]]
            if len(given) > 2:
                found = self._environment(words, [os.fsdecode(given[0])], _decoded(given[2]))
                given[2] = given[2] if found is None else found
        pid = original(*given, **kwargs)
        self._warn(words, pid)
        return pid

    def _execve(self, original: Any, args: _Args, kwargs: _Kwargs) -> Any:
        given = list(args)
        with self._recorder.guard("children.execve"):
            if len(given) == 3 and not isinstance(given[0], int):
                words = [os.fsdecode(word) for word in given[1]]
                self._warn(words, os.getpid())
                found = self._environment(words, [os.fsdecode(given[0])], _decoded(given[2]))
                given[2] = given[2] if found is None else found
        return original(*given, **kwargs)

    def _execv(self, original: Any, execve: Any, args: _Args, kwargs: _Kwargs) -> Any:
        found = None
        with self._recorder.guard("children.execv"):
            if len(args) == 2:
                words = [os.fsdecode(word) for word in args[1]]
                self._warn(words, os.getpid())
                found = self._environment(words, [os.fsdecode(args[0])], None)
        return original(*args, **kwargs) if found is None else execve(*args, found)

    def _system(self, original: Any, args: _Args, kwargs: _Kwargs) -> Any:
        command = args[0] if args else kwargs.get("command")
        found = None
        with self._recorder.guard("children.system"):
            if isinstance(command, str):
                self._warn(["sh", "-c", command], None)
                found = completed(os.environ, self._ours)
        if found is None:
            return original(*args, **kwargs)
        # It takes no environment: the shell that it starts is given ours.
        ours = [f"{name}={shlex.quote(found[name])}" for name in (*self._ours.variables, "PYTHONPATH")]
        return original(f"export {' '.join(ours)}\n{command}")

    def _environment(
        self, words: Sequence[str], programs: Sequence[str], env: Optional[Mapping[str, str]]
    ) -> Optional[Dict[str, str]]:
        """What to start one of these programs with instead of `env` (None: our own); None: leave it."""
        found = completed(os.environ if env is None else env, self._ours)
        if found is None or interpreters.read(words).tool:
            return None
        return found if any(_may_start_python(path) for path in programs) else None

    def _warn(self, words: Sequence[str], pid: Optional[int]) -> None:
        with self._recorder.guard("children.warn"):
            command = interpreters.read(words)
            if not command.obstacle or command.tool or command.shown in self._warned:
                return
            if len(self._warned) >= _MAX_WARNINGS:
                return
            self._warned.add(command.shown)
            which = f"process {pid} ({command.shown})" if pid is not None else command.shown
            self._recorder.note(f"{which} could not be recorded: {command.obstacle}", level="warning")


def _pair(entry: Any) -> Tuple[str, str]:
    name, _, value = os.fsdecode(entry).partition("=")
    return name, value


def _decoded(env: Optional[Mapping[Any, Any]]) -> Optional[Dict[str, str]]:
    return None if env is None else {os.fsdecode(name): os.fsdecode(value) for name, value in env.items()}


def _may_start_python(path: str) -> bool:
    if interpreters.may_start_python(path):
        return True
    try:
        if os.path.samefile(path, sys.executable):
            return True
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # should it be a pipe: wait for nobody
        try:
            return interpreters.may_start_python(path, first_line=os.read(fd, 256).partition(b"\n")[0])
        finally:
            os.close(fd)
    except OSError:
        return False
