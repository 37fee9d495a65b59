"""Whether a command starts a Python that can be recorded, and if not, why. Pure: words in, words out.

Recording begins because Python finds our folder on PYTHONPATH. Some options and launchers make it ignore or
lose that. Both sides ask here: a recorded process about its children, `mosaic run` about its command.
"""

from __future__ import annotations

import re
import shlex
from typing import List, NamedTuple, Sequence

__all__ = ["Command", "may_start_python", "names_python", "read", "warnings"]

_PYTHON = re.compile(r"(python|pypy)w?[\d.]*(-dbg|t)?")
_SHELLS = frozenset(("ash", "bash", "dash", "fish", "ksh", "sh", "zsh"))
_LAUNCHERS = _SHELLS.union(
    (
        "accelerate",
        "conda",
        "env",
        "hatch",
        "ionice",
        "mamba",
        "micromamba",
        "mpiexec",
        "mpirun",
        "nice",
        "nohup",
    ),
    (
        "nox",
        "numactl",
        "pdm",
        "pipenv",
        "pixi",
        "poetry",
        "raylet",
        "rye",
        "setsid",
        "srun",
        "stdbuf",
        "sudo",
    ),
    ("taskset", "time", "timeout", "torchrun", "tox", "unbuffer", "uv", "uvx", "xvfb-run"),
)
"""Programs that start others: our variables do no harm in them, and reach the Python they may start."""
_TOOLS = frozenset(("ensurepip", "pip", "venv", "virtualenv", "compileall", "build", "mosaic"))
"""Modules that train nothing: `python -I -m ensurepip` is not a run that is missing."""
_WITH_VALUE = "WX"
_OURS = ("MOSAIC_RUN_DIR", "PYTHONPATH")
_SHOWN = 120


class Command(NamedTuple):
    """What can be said of a command without running it."""

    obstacle: str = ""
    """Why the Python it starts cannot be recorded, and what to do; empty: nothing is in the way."""
    shown: str = ""
    """The command up to its script, without the script's own arguments."""
    tool: bool = False
    """It is one of Python's own tools, or one of ours."""


def names_python(program: str) -> bool:
    """Whether a program's name is that of a Python."""
    return _PYTHON.fullmatch(program.rpartition("/")[2]) is not None


def may_start_python(program: str, *, first_line: bytes = b"") -> bool:
    """Whether a program is a Python, a launcher, or a script for one: `first_line` is of its file."""
    name = program.rpartition("/")[2]
    if names_python(program) or name in _LAUNCHERS:
        return True
    if not first_line.startswith(b"#!"):
        return False
    words = [word.rpartition("/")[2] for word in first_line[2:].decode("latin-1").split()]
    return any(names_python(word) or word in _LAUNCHERS for word in words)


def read(words: Sequence[str]) -> Command:
    """What stands in the way of recording the Python that a command starts, itself or through launchers."""
    left = list(words)
    while left:
        name = left[0].rpartition("/")[2]
        if names_python(name):
            return _of_python(left)
        if name in _SHELLS:
            text = _shell_text(left[1:])
            return _of_shell(text) if text else Command()
        if name not in _LAUNCHERS:
            return Command()
        found = _of_launcher(name, left)
        if found.obstacle:
            return found
        rest = [index for index in range(1, len(left)) if may_start_python(left[index])]
        left = left[rest[0] :] if rest else []
    return Command()


def warnings(words: Sequence[str]) -> List[str]:
    """What to tell people about a command whose Python cannot be recorded; nothing about any other."""
    found = read(words)
    return [f"{found.shown} could not be recorded: {found.obstacle}"] if found.obstacle else []


def _of_python(words: Sequence[str]) -> Command:
    flags = ""
    for index, word in enumerate(words[1:], start=1):
        if index > 1 and words[index - 1] in ("-W", "-X", "--check-hash-based-pycs"):
            continue
        if not word.startswith("-") or word == "-":
            return _judged(flags, words[: index + 1])
        for at, letter in enumerate(word[1:], start=1):
            if letter in "cm-":
                value = [word[at + 1 :]] if word[at + 1 :] else list(words[index + 1 : index + 2])
                if letter == "-":
                    break
                tool = letter == "m" and "".join(value).partition(".")[0] in _TOOLS
                shown = [*words[: index + 1], *(value if letter == "m" else ["…"])]
                return _judged(flags, shown, tool=tool)
            if letter in _WITH_VALUE:
                break
            flags += letter
    return _judged(flags, words)


def _judged(flags: str, shown: Sequence[str], *, tool: bool = False) -> Command:
    why = next((why for flag, why in _WHY.items() if flag in flags), "")
    return Command(why, _short(shown), tool)


_WHY = {
    "I": "-I ignores PYTHONPATH, through which recording begins. Start it without -I",
    "E": "-E ignores PYTHONPATH, through which recording begins. Start it without -E",
    "S": "-S leaves out the module `site`, which starts recording. Start it without -S",
}


def _of_launcher(name: str, words: Sequence[str]) -> Command:
    options = words[1 : next((n for n in range(1, len(words)) if names_python(words[n])), len(words))]
    starts = len(options) + 1 < len(words)
    given = {word.partition("=")[0] for word in options if "=" in word}
    if name == "env" and starts:
        if any(word in ("-i", "-", "--ignore-environment") for word in options) and not given >= set(_OURS):
            keep = " ".join(f'{one}="${one}"' for one in _OURS)
            return Command(f"env -i clears the environment. Hand ours on: env -i {keep} …", _short(words))
        taken = any(word in ("-uPYTHONPATH", "--unset=PYTHONPATH") for word in options)
        if taken or _replaced(options):
            return Command(_REPLACED, _short(words))
    if name == "sudo" and starts and not any(word.startswith(("-E", "--preserve-env")) for word in options):
        return Command(
            f"sudo clears the environment. Hand ours on: sudo --preserve-env={','.join(_OURS)} …",
            _short(words),
        )
    return Command()


_REPLACED = "PYTHONPATH, through which recording begins, is replaced. Keep it: PYTHONPATH=src:$PYTHONPATH"


def _replaced(words: Sequence[str]) -> bool:
    """Whether one of these words gives PYTHONPATH another value than one that holds the old."""
    return any(
        word.startswith("PYTHONPATH=") and not re.search(r"\$\{?PYTHONPATH|/worker/[0-9a-f]{16}", word)
        for word in words
    )


def _shell_text(words: Sequence[str]) -> str:
    for index, word in enumerate(words):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[index + 1] if index + 1 < len(words) else ""
        if not word.startswith("-"):
            break
    return ""


def _of_shell(text: str) -> Command:
    """Of the commands in a shell's text, the first that something is in the way of."""
    for line in re.split(r"[\n;&|()]+", text):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:  # an open quotation mark: cut apart in the wrong place
            continue
        given: List[str] = []
        while words and re.match(r"[A-Za-z_]\w*=", words[0]):
            given.append(words.pop(0))
        while words and words[0] in ("exec", "command", "if", "then", "do", "while", "!"):
            words.pop(0)
        if given and words and _replaced(given) and may_start_python(words[0]):
            return Command(_REPLACED, _short([*given, *words[:2]]))
        found = read(words)
        if found.obstacle:
            return found
    return Command()


def _short(words: Sequence[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
