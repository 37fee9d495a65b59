"""What may be submitted, and what a name or a tag may be. Says no before anything is started."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic_worker.common import redact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.protocol.runs import RunSpec

__all__ = ["check", "check_labels"]

_MAX_LABEL = 200


def check(spec: RunSpec, env: Mapping[str, str]) -> None:
    """Refuse what cannot be a run.

    Raises:
        UsageError: says what is wrong.
    """
    if not spec.command or not spec.command[0]:
        raise UsageError("the command is empty. Say what to run, for example: mosaic run -- python train.py")
    if any("\0" in part for part in (*spec.command, spec.cwd, *env, *env.values())):
        raise UsageError("a command, its folder and its variables cannot hold a NUL character")
    if any("=" in name for name in env):
        raise UsageError("the name of an environment variable cannot hold '='")
    if not Path(spec.cwd).is_absolute():
        raise UsageError(f"the folder to run in must be absolute, not {spec.cwd!r}")
    if redact.marked(spec.command):
        raise UsageError(
            f"the command holds {redact.MARK}, which stands where a secret was: secrets are not recorded. "
            "Give it again, or better in an environment variable, which is never recorded"
        )


def check_labels(name: str, tags: Mapping[str, str]) -> None:
    """Refuse what cannot be a name or a tag.

    Raises:
        UsageError: says which one, and what it may be.
    """
    if name and (name == "last" or name != name.strip()):
        raise UsageError(
            f"{name!r} cannot be a name: 'last' always means the newest run, and no name is padded"
        )
    for text in (name, *tags, *tags.values()):
        if len(text) > _MAX_LABEL or not (text.isprintable() or not text):
            raise UsageError(
                f"names and tags are one line of at most {_MAX_LABEL} printable characters, got {text[:40]!r}"
            )
    if any(not key.strip() for key in tags):
        raise UsageError("a tag needs a key, as in algo=ppo")
