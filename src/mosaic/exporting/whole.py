"""A file that appears whole or not at all, whoever writes it. Knows no format."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["appearing"]


@contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """A temporary name beside the target; it becomes the target when all went well, else it vanishes."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
