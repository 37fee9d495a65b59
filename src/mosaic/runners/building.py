"""Building a runner's environment: in place, proved, and only then marked complete. One builder at a time.

The lock is inherited by the installer's processes: when we are killed and they live on, the next builder
waits for them. What an interrupted build left is thrown away; the installer's cache has the downloads.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.ready import ready
from mosaic.runners import environments
from mosaic.runners.children import child_environment
from mosaic.runners.probe import probe
from mosaic.runs.files import make_private, write_atomically, write_json
from mosaic.runs.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import RunnerCard

__all__ = ["Complete", "build", "find_uv", "installer", "installer_environment", "prove"]

Progress = "Callable[[str, float | None], None]"

PROOF_STEPS = 200
_POLL_SECS = 0.2
_LAST_LINES = 12


class Complete(msgspec.Struct, frozen=True, kw_only=True):
    """The file `complete`: what was installed, with what, when, and that it was proved."""

    runner: str
    pins: list[str]
    python: str
    installer: str
    t: float
    proved_env: str
    proved_steps: int
    extras: list[str] = []


def build(
    root: DataRoot,
    card: RunnerCard,
    *,
    progress: Callable[[str, float | None], None],
    force: bool = False,
    extras: Sequence[str] = (),
) -> str:
    """Make the environment of a card and prove it, unless it is there and `force` is not set.

    Args:
        root: the data root.
        card: whose environment.
        progress: told what is done now, and how far it is or None.
        force: whether to build it anew.
        extras: more packages to add; the pins stay as they are. They are remembered and added again when the
            environment is built anew.

    Raises:
        UsageError: the card asks for none, the installer failed, or what it made does not work.
    """
    if not card.requirements:
        raise UsageError(f"runner {card.id} needs no environment of its own")
    folder = environments.folder_of(root, card)
    if folder.parent == root.envs:
        make_private(root.path)
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(folder.with_name(folder.name + ".lock"), progress) as lock:
        done = environments.marker(folder)
        known = _extras(folder)
        wanted = [*known, *(one for one in extras if one not in known)]
        if done.exists() and not force and os.access(folder / "bin" / "python", os.X_OK):
            if wanted != known:
                _add(card, folder, wanted, progress, lock)
            return str(folder / "bin" / "python")
        done.unlink(missing_ok=True)  # SYNC: first, so that nobody takes what is being rebuilt for ready
        progress("making room", None)
        shutil.rmtree(folder, ignore_errors=True)
        return _make(card, folder, wanted, progress, lock)


def _locked(path: Path, progress: Callable[[str, float | None], None]) -> Lock:
    fraction: float | None = 0.0
    while True:
        try:
            return Lock(path, inheritable=True)
        except BlockingIOError:  # noqa: PERF203  (the lock is asked for again, five times a second)
            progress("another installation of it is at work; waiting", fraction)
            fraction = None  # said once where every phase is a line
            time.sleep(_POLL_SECS)


def _extras(folder: Path) -> list[str]:
    try:
        return environments.extras_file(folder).read_text(encoding="utf-8").split("\n")[:-1]
    except FileNotFoundError:
        return []


def _make(
    card: RunnerCard,
    folder: Path,
    extras: list[str],
    progress: Callable[[str, float | None], None],
    lock: Lock,
) -> str:
    tool, create, add = installer(folder)
    env = installer_environment(os.environ)
    progress(f"creating the environment with {tool}", 0.0)
    _call(create, env, lock, progress)
    with _constraint(folder, [environments.TORCH] if card.torch else []) as held_back:
        if card.torch:
            progress(f"installing {environments.TORCH}", 0.1)
            _call([*add, *held_back, environments.TORCH], env, lock, progress)
        progress(f"installing {', '.join(card.requirements)}", 0.5 if card.torch else 0.2)
        _call([*add, *held_back, *card.requirements], env, lock, progress)
    return _add(card, folder, extras, progress, lock)


def _add(
    card: RunnerCard,
    folder: Path,
    extras: list[str],
    progress: Callable[[str, float | None], None],
    lock: Lock,
) -> str:
    """What the user wants besides, then the proof, then the mark."""
    python = str(folder / "bin" / "python")
    tool, _, add = installer(folder)
    if extras:
        progress(f"adding {', '.join(extras)}", 0.7)
        with _constraint(folder, environments.pins(card)) as held_back:
            _call([*add, *held_back, *extras], installer_environment(os.environ), lock, progress)
    environments.marker(folder).unlink(missing_ok=True)  # SYNC: what was changed counts once it is proved
    progress("proving it: imports, an environment, 200 steps", 0.9)
    env_id = prove(card, python)
    if extras:
        text = "".join(f"{one}\n" for one in extras)
        write_atomically(environments.extras_file(folder), text.encode())
    write_json(
        environments.marker(folder),
        Complete(
            runner=card.id,
            pins=environments.pins(card),
            python=sys.version.split()[0],
            installer=tool,
            t=time.time(),
            proved_env=env_id,
            proved_steps=PROOF_STEPS if env_id else 0,
            extras=extras,
        ),
    )
    progress("ready", 1.0)
    return python


@contextlib.contextmanager
def _constraint(folder: Path, pins: list[str]) -> Iterator[list[str]]:
    """Options that keep the installer from replacing pinned packages. A constraint has no brackets."""
    file = folder.with_name(folder.name + ".constraint")
    lines = [re.sub(r"\[[^]]*\]", "", pin) for pin in pins if "@" not in pin]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    try:
        yield ["--constraint", str(file)]
    finally:
        file.unlink(missing_ok=True)


def prove(card: RunnerCard, python: str) -> str:
    """Really try an interpreter: import what the card names, make an environment, step it. The id it tried.

    Raises:
        UsageError: something of it does not work.
    """
    env_id = next((algorithm.default_env for algorithm in card.algorithms), "CartPole-v1")
    env_id = env_id if card.needs_env else ""
    found = probe(python, env_id=env_id, imports=card.imports, steps=PROOF_STEPS)
    wrong = [f"import {name}: {why}" for name, why in found.missing.items()]
    if env_id and (found.env is None or found.env.kind != "ok" or found.steps < PROOF_STEPS):
        why = found.step_error or (found.env.text if found.env else "") or "it could not be made"
        wrong.append(f"{env_id}: {why}")
    if found.trouble:
        wrong.append(found.trouble)
    if wrong:
        raise UsageError(f"runner {card.id} does not work with {python}: {'; '.join(wrong)}")
    return env_id


def installer(folder: Path) -> tuple[str, list[str], list[str]]:
    """What installs: its name, the command that creates the environment, and the one that adds to it."""
    python = str(folder / "bin" / "python")
    uv = find_uv()
    if uv:
        add = [uv, "pip", "install", "--python", python]
        add += ["--no-index"] if _no_index(os.environ) else []
        return "uv", [uv, "venv", "--quiet", "--no-project", "--python", sys.executable, str(folder)], add
    add = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    return "pip", [sys.executable, "-m", "venv", str(folder)], add


def find_uv() -> str | None:
    """The program uv: beside our interpreter, or on the path."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("uv")


def installer_environment(given: Mapping[str, str]) -> dict[str, str]:
    """The user's variables; where pip is told to look, uv is told too."""
    env = child_environment(given)
    for ours, theirs in (
        ("PIP_FIND_LINKS", "UV_FIND_LINKS"),
        ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"),
        ("PIP_EXTRA_INDEX_URL", "UV_INDEX"),
    ):
        if env.get(ours):
            env.setdefault(theirs, env[ours])
    return env


def _no_index(given: Mapping[str, str]) -> bool:
    return given.get("PIP_NO_INDEX", "").lower() in ("1", "true", "yes", "on")


def _call(
    command: list[str],
    env: dict[str, str],
    lock: Lock,
    progress: Callable[[str, float | None], None],
) -> None:
    """Run one step of the installer; what it says is shown as it comes.

    An installer may be silent for minutes: `progress` is then called with no text, so that it can give up.

    Raises:
        UsageError: it failed.
    """
    said: deque[str] = deque(maxlen=_LAST_LINES)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=env,
        pass_fds=(lock.fd,),
        start_new_session=True,
    )
    with process:
        try:
            for line in _lines(process):
                if line:
                    said.append(line)
                progress(line.strip()[:200], None)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        words = "\n".join(f"  {line}" for line in said)
        raise UsageError(f"{' '.join(command[:3])} … ended with {process.returncode}:\n{words}")


def _lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """What a process says, line by line; an empty text whenever it has said nothing for a while."""
    assert process.stdout is not None  # noqa: S101  (narrows the type)
    fd, rest = process.stdout.fileno(), b""
    while True:
        if not select.select([fd], [], [], _POLL_SECS)[0]:
            yield ""
            continue
        block = os.read(fd, 1 << 16)
        *whole, rest = (rest + block).split(b"\n")
        for line in [*whole, *([] if block else [rest])]:
            text = line.decode(errors="replace").rstrip()
            if text.strip():
                yield text
        if not block:
            return


ready(Complete)
