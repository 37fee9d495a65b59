"""What the window remembers from one time to the next: its geometry, its docks, its theme. One small file.

The file is replaced atomically. One that cannot be read, or is nonsense, means the defaults: never an error.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Literal

import msgspec

from mosaic.protocol.ready import ready
from mosaic.runs.files import make_private, read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["Layout", "load", "path_of", "save"]


class Layout(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """desktop.json. `geometry` and `docks` are Qt's own bytes in base64."""

    format: int = 1
    geometry: str = ""
    docks: str = ""
    theme: Literal["system", "light", "dark"] = "system"
    tabs: dict[str, int] = {}
    """Which tab of which group was in front."""
    chosen: list[str] = []
    """The runs that were chosen; the last one was in focus."""
    sort: str = "newest"
    group: str = "none"
    mode: str = "agent"
    """Whether the forms are for a person (`human`), for both (`hybrid`) or for agents."""
    views: dict[str, str] = {}
    """Which view of which environment was chosen: frame, scene, text."""

    @staticmethod
    def text(data: bytes) -> str:
        """Qt's bytes as text."""
        return base64.b64encode(data).decode()

    @staticmethod
    def bytes(text: str) -> bytes:
        """The bytes a text stands for; none when it is damaged."""
        try:
            return base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            return b""


def path_of(root: DataRoot) -> Path:
    """Where it is kept."""
    return root.path / "desktop.json"


def load(root: DataRoot) -> Layout:
    """What was remembered; the defaults when that is nothing, or nonsense."""
    try:
        return read_json(path_of(root), Layout) or Layout()
    except (OSError, ValueError, msgspec.DecodeError):
        return Layout()


def save(root: DataRoot, layout: Layout) -> None:
    """Remember this."""
    make_private(root.path)
    write_json(path_of(root), layout, synced=False)


ready(Layout)
