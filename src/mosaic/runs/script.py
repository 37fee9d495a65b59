"""Which script a command runs: its path, hash and git commit, as they were at submission.

Reads, never executes it. Refuses to wait: a `git` that does not answer in time counts as no git.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from mosaic.protocol.runs import ScriptRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["describe", "find_script"]

_SUFFIXES = (".py", ".sh")


def find_script(command: Sequence[str], cwd: Path, *, path: str | None = None) -> Path | None:
    """The first argument that is a script file; else the program itself; None when neither is there.

    Args:
        command: What is run.
        cwd: Where it is run.
        path: The worker's PATH.
    """
    for argument in command:
        if argument.endswith(_SUFFIXES) and "\0" not in argument and (cwd / argument).is_file():
            return (cwd / argument).absolute()
    found = shutil.which(cwd / command[0] if os.sep in command[0] else command[0], path=path)
    return Path(found).absolute() if found else None


def describe(
    command: Sequence[str], cwd: Path, *, path: str | None = None, git_timeout_secs: float = 2.0
) -> ScriptRecord | None:
    """The script of a command as it is now; None when there is none to read."""
    script = find_script(command, cwd, path=path)
    if script is None:
        return None
    try:
        with script.open("rb") as file:
            digest = _sha256(file)
    except OSError:
        return None
    commit = dirty = None
    if script.name.endswith(_SUFFIXES):
        commit = _git(script.parent, git_timeout_secs, "rev-parse", "HEAD")
    if commit:
        changed = _git(script.parent, git_timeout_secs, "status", "--porcelain", "--untracked-files=no")
        dirty = None if changed is None else bool(changed)
    return ScriptRecord(path=str(script), sha256=digest, git_commit=commit or None, git_dirty=dirty)


def _sha256(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _git(folder: Path, timeout_secs: float, *arguments: str) -> str | None:
    # No hook, pager, prompt or lock: a look that leaves the user's repository as it was.
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            timeout=timeout_secs,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None
