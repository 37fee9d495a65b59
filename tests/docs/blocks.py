"""The code in a document: named files and commands. A document whose code is tested cannot rot."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["DOCS", "commands", "files"]

DOCS = Path(__file__).parents[2] / "docs"
_FILE = re.compile(r"^\*\*`([^`]+)`\*\*\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files(document: str) -> dict[str, str]:
    """The blocks under a bold file name."""
    return dict(_FILE.findall((DOCS / document).read_text()))


def commands(document: str) -> list[str]:
    """The lines a reader is told to type."""
    blocks = _CONSOLE.findall((DOCS / document).read_text())
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
