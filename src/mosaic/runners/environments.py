"""Where each runner's Python is: its own environment, MOSAIC's, or one the user names. Looks at files only.

An environment is a folder `<runner>-<hash of its pins>`: other pins, another folder. It counts once its
`complete` file is there, written last, after the environment was proved. `mosaic.runners.building` builds it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from mosaic.errors import UsageError
from mosaic.runs.locks import Lock, held
from mosaic.settings import load

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import RunnerCard
    from mosaic.settings import Settings

__all__ = [
    "TORCH",
    "Readiness",
    "extras_file",
    "folder_of",
    "marker",
    "pins",
    "readiness",
    "remove",
]

TORCH = "torch==2.13.0"
"""Installed before everything else and held by a constraint, where a card asks for torch."""


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a runner can be used now, with which interpreter, and what to do when it cannot.

    `builtin` is ready too: it uses MOSAIC's own interpreter.
    """

    state: Literal["ready", "missing", "broken", "builtin"]
    python: str | None = None
    text: str = ""
    remedy: str = ""
    proved: bool = False
    """Whether what the card imports was imported there when it was built."""

    @property
    def usable(self) -> bool:
        """Whether there is an interpreter to start."""
        return self.python is not None


def pins(card: RunnerCard) -> list[str]:
    """What an environment of this card holds, in the order it is installed."""
    return [*([TORCH] if card.torch else []), *card.requirements]


def folder_of(root: DataRoot, card: RunnerCard, *, settings: Settings | None = None) -> Path:
    """Where the environment of a runner lies, whether it is there or not."""
    made_of = "\n".join((*pins(card), platform.python_version(), platform.machine()))
    return _envs(root, settings) / f"{card.id}-{hashlib.sha256(made_of.encode()).hexdigest()[:12]}"


def marker(folder: Path) -> Path:
    """The file that says an environment is complete and proved."""
    return folder / "complete"


def extras_file(folder: Path) -> Path:
    """Where it is remembered what the user added to an environment; outside of it, so that it outlives it."""
    return folder.with_name(folder.name + ".extras")


def readiness(
    root: DataRoot, card: RunnerCard, *, python: str | None = None, settings: Settings | None = None
) -> Readiness:
    """Whether a runner can be used now. Looks at files only; nothing is started or imported.

    Args:
        root: the data root.
        card: the runner's.
        python: an interpreter to use instead of the one found by itself.
        settings: by default those in force.
    """
    settings = load(root) if settings is None else settings
    named = python or settings.runner_python.get(card.id)
    if named:
        return _named(card, named, by="--python" if python else "the setting runner_python")
    if not card.requirements:
        return _builtin(card)
    return _own(card, folder_of(root, card, settings=settings))


def remove(root: DataRoot, card: RunnerCard) -> list[Path]:
    """Delete every environment of a runner, older pins included. What was removed.

    Raises:
        UsageError: one of them is being built.
    """
    removed = []
    for folder in sorted(_envs(root, None).glob(f"{card.id}-{'?' * 12}")):
        try:
            with Lock(folder.with_name(folder.name + ".lock")):
                marker(folder).unlink(missing_ok=True)  # SYNC: half a folder must not count as ready
                shutil.rmtree(folder)
                extras_file(folder).unlink(missing_ok=True)
        except BlockingIOError:
            raise UsageError(f"{folder} is being built; try again when that is done") from None
        removed.append(folder)
    return removed


def _envs(root: DataRoot, settings: Settings | None) -> Path:
    named = (load(root) if settings is None else settings).envs_dir
    return Path(named).expanduser().absolute() if named else root.envs


def _named(card: RunnerCard, named: str, *, by: str) -> Readiness:
    found = shutil.which(Path(named).expanduser())
    if found is None:
        return Readiness(
            state="broken",
            text=f"{by} names {named}, which is not a program",
            remedy=f"name a Python that has {', '.join(card.imports) or card.title} installed",
        )
    return Readiness(state="ready", python=str(Path(found).absolute()), text=f"your interpreter {found}")


def _builtin(card: RunnerCard) -> Readiness:
    missing = [name for name in card.imports if importlib.util.find_spec(name.partition(".")[0]) is None]
    if missing:
        return Readiness(
            state="missing",
            text=f"MOSAIC's own environment has no {', '.join(missing)}",
            remedy=f'{sys.executable} -m pip install "mosaic-workbench[envs]", or name another with --python',
        )
    return Readiness(state="builtin", python=sys.executable, text="runs in MOSAIC's own environment")


def _own(card: RunnerCard, folder: Path) -> Readiness:
    again = f"mosaic runners install {card.id}"
    if held(folder.with_name(folder.name + ".lock")):
        return Readiness(state="missing", text="it is being installed now", remedy="wait until that is done")
    if not folder.exists():
        return Readiness(state="missing", text="its environment is not installed", remedy=again)
    if not marker(folder).exists():
        return Readiness(state="broken", text="its installation was interrupted", remedy=again)
    python = folder / "bin" / "python"
    if not os.access(python, os.X_OK):
        return Readiness(state="broken", text=f"{python} is gone or cannot be run", remedy=f"{again} --force")
    return Readiness(state="ready", python=str(python), text=f"its own environment {folder}", proved=True)
