"""What a run printed, read on from where the last reading ended. Never on the window's thread."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mosaic.runs.output import read_span
from mosaic_worker.common.opening import BadFileError, open_regular

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mosaic.ui.logs.model import Stream

__all__ = ["read_on"]

_FIRST_LOOK = 1 << 20


def read_on(
    paths: Mapping[Stream, Path], offsets: Mapping[Stream, int | None], *, most_bytes: int = 1 << 18
) -> dict[Stream, tuple[bytes, int]]:
    """The next bytes of each file, and where they end; from near its end when the offset is None.

    A file that does not exist, and what is no file, has no bytes. One that shrank is read from its start.
    """
    found: dict[Stream, tuple[bytes, int]] = {}
    for stream, path in paths.items():
        try:
            with os.fdopen(open_regular(path), "rb") as file:
                size = file.seek(0, 2)
                offset = offsets.get(stream)
                start = max(0, size - _FIRST_LOOK) if offset is None else offset if offset <= size else 0
                most = _FIRST_LOOK if offset is None else most_bytes
                data, end = read_span(file.fileno(), start, start + most)
        except (FileNotFoundError, BadFileError):
            continue
        if offset is None and start > 0:
            data = data[data.find(b"\n") + 1 :]
        found[stream] = (data, end)
    return found
