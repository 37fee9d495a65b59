"""What the launch panel remembers between two starts: one small file in the data root.

Losing it costs nothing but typing: a file that cannot be read or written is logged and passed over. Secrets
that were typed are not kept: they must be typed again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import msgspec

from mosaic.app.submitting import secrets_here
from mosaic.errors import DataRootError
from mosaic.runs.files import make_private, read_json, write_json
from mosaic.ui.launch.model.memory import Memory
from mosaic_worker.common import redact

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["memory_file", "recall", "remember"]

_log = logging.getLogger(__name__)


def memory_file(root: DataRoot) -> Path:
    """Where it is kept."""
    return root.path / "desktop" / "launch.json"


def recall(root: DataRoot) -> Memory:
    """What was remembered; nothing when there is no such file or it holds something else."""
    try:
        return read_json(memory_file(root), Memory) or Memory()
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("what the launch form remembered cannot be read: %s", error)
        return Memory()


def remember(root: DataRoot, memory: Memory) -> None:
    """Keep it. Called off the window's thread."""
    file = memory_file(root)
    try:
        make_private(root.path)
        make_private(file.parent)
        plain = redact.hide_values(msgspec.to_builtins(memory), secrets_here())
        write_json(file, msgspec.convert(plain, Memory), synced=False)
    except (OSError, DataRootError) as error:
        _log.warning("what the launch form holds cannot be remembered: %s", error)
