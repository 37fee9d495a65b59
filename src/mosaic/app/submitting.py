"""From a command line to a run spec to a run. Checks what can be checked before anything is started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.app import reading
from mosaic.errors import UsageError
from mosaic.protocol.runs import RunSpec
from mosaic.runs.ids import new_run_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.paths import DataRoot

__all__ = ["CommandNotFoundError", "make_spec", "parse_tag", "secrets_here", "sendable", "shown", "submit"]

_MAX_NAME = 200


class CommandNotFoundError(UsageError):
    """There is no such program. The exit code is the shell's own for that."""

    exit_code = 127


def make_spec(
    command: Sequence[str],
    *,
    name: str = "",
    tags: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> RunSpec:
    """The spec of a new run, with an id of its own.

    Raises:
        UsageError: the command is empty, the folder does not exist, a name cannot be one.
        CommandNotFoundError: the program does not exist or is not executable.
    """
    if isinstance(command, str) or not command:
        raise UsageError("say what to run as a list of words, for example: mosaic run -- python train.py")
    folder = Path(cwd).absolute() if cwd is not None else Path.cwd()
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder} to run in")
    words = [os.fspath(word) for word in command]
    for word in words:
        if "\0" in word or not _is_text(word):
            raise UsageError(f"a word of the command is not text: {word!r}")
    _check_program(words[0], folder, (os.environ if env is None else env).get("PATH", os.defpath))
    _check_name(name)
    return RunSpec(run_id=new_run_id(), command=words, cwd=str(folder), name=name, tags=dict(tags or {}))


def submit(root: DataRoot, spec: RunSpec, env: Mapping[str, str]) -> list[str]:
    """Hand a run to the daemon, which is started if need be; it starts the run, or queues it.

    Args:
        root: the data root.
        spec: the run.
        env: the run's whole environment; kept in memory only.

    Returns:
        The names of the variables that were left out, because they are not UTF-8.

    Raises:
        DaemonError: the daemon cannot be reached or started.
    """
    kept, left = sendable(env)
    with reading.daemon(root) as client:
        client.submit(spec, env=kept)
    return left


def shown(words: Sequence[str]) -> list[str]:
    """A command as it may be shown, on a screen that others see or in a log: without its secrets."""
    from mosaic_worker.common import redact

    return redact.hide_words(words, secrets_here(words))


def secrets_here(words: Sequence[str] = ()) -> list[str]:
    """The secrets in our own variables and in these words."""
    from mosaic_worker.common import redact  # compiles patterns: only for who shows a command

    return redact.known(os.environ, words)


def sendable(env: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """What a worker gets of an environment (and our umask), and the names of what is not UTF-8 and stays."""
    kept = {name: value for name, value in env.items() if _is_text(name) and _is_text(value)}
    kept["MOSAIC_UMASK"] = _umask()  # the daemon's own would close the files a script makes for others
    return kept, sorted(ascii(name) for name in env.keys() - kept.keys())


def _umask() -> str:
    """The umask in force, in octal. Asked of the kernel, because os.umask can only ask by changing it."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next((line.split()[1] for line in lines if line.startswith("Umask:")), "0022")


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:  # bytes that are not UTF-8 reach Python as lone surrogates
        return False
    return True


def _check_program(program: str, folder: Path, path: str) -> None:
    if "/" in program:
        file = folder / program
        if not file.exists():
            raise CommandNotFoundError(f"there is no program {program!r} in {folder}. Nothing was started.")
        if file.is_dir() or not os.access(file, os.X_OK):
            raise CommandNotFoundError(
                f"{program!r} is not executable. Make it so (chmod +x {program}) or name its interpreter: "
                f"mosaic run -- python {program}"
            )
        return
    if shutil.which(program, path=path) is None:
        raise CommandNotFoundError(
            f"there is no command {program!r} on your PATH. Nothing was started.{_hint(program, folder)}"
        )


def _hint(program: str, folder: Path) -> str:
    if (folder / program).is_file():
        interpreter = "python " if program.endswith(".py") else "./"
        return f" Did you mean: mosaic run -- {interpreter}{program}"
    return ""


def _check_name(name: str) -> None:
    if name and (not name.isprintable() or len(name) > _MAX_NAME or name != name.strip()):
        raise UsageError(f"a name is one line of at most {_MAX_NAME} printable characters, got {name[:40]!r}")
    if name == "last":
        raise UsageError("'last' always means the newest run: choose another name")


def parse_tag(text: str) -> tuple[str, str]:
    """A tag from `key=value`.

    Raises:
        UsageError: it has no `=` or no key.
    """
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise UsageError(f"a tag is key=value, got {text!r}")
    return key.strip(), value.strip()
