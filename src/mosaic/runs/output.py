"""What a run printed, read where its oldest part may have been dropped.

A log that passed its quota has a *gap*: whole pages that were given back to the disk (`store/quotas.py`) and
read as NULs, at offsets that did not change. Whoever reads a log by the bytes reads it here: a gap comes out
as one line that says how much is missing, and however large it is, it is passed over, not read. A copy of the
log, in which the gap became NULs like any other, reads the same.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

__all__ = ["GAP", "PAGE_BYTES", "Piece", "dropped_words", "over_gap", "read_piece", "read_span"]

PAGE_BYTES = 4096
GAP = b"\0" * PAGE_BYTES
"""What a line holds only if part of it was dropped: no text has so many NULs in a row."""
_SCAN_BYTES = 1 << 20


class Piece(NamedTuple):
    """Some bytes of a log, what of them to show, and where the next piece begins."""

    data: bytes
    next_offset: int


def read_piece(fd: int, offset: int, most_bytes: int) -> Piece:
    """The bytes at an offset, up to the next gap; the line that stands for a gap where one begins."""
    data = os.pread(fd, max(most_bytes, 2 * PAGE_BYTES), offset)
    if data.startswith(GAP):
        end = _end_of_gap(fd, offset)
        return Piece(dropped_words(end - offset), end)
    if b"\0" in data:
        for at in range(-offset % PAGE_BYTES, len(data), PAGE_BYTES):  # gaps begin and end at pages
            page = data[at : at + PAGE_BYTES]
            if at > 0 and page.count(0) == len(page):  # or the beginning of one: the next piece tells
                data = data[:at]
                break
    data = data[:most_bytes]
    return Piece(data, offset + len(data))


def read_span(fd: int, start: int, stop: int) -> Piece:
    """All pieces from one offset to another, or to the end."""
    parts = []
    while start < stop and (piece := read_piece(fd, start, min(stop - start, _SCAN_BYTES))).data:
        parts.append(piece.data)
        start = piece.next_offset
    return Piece(b"".join(parts), start)


def dropped_words(bytes_: int) -> bytes:
    """The line that stands for what was dropped."""
    return b"\n[MOSAIC: %s of older output dropped, as its quota says]\n" % (
        b"%d MiB" % (bytes_ >> 20) if bytes_ >= 1 << 20 else b"%d KiB" % (bytes_ >> 10)
    )


def over_gap(fd: int, offset: int) -> int:
    """Where a file has data again, `offset` itself if it has some there: gaps of terabytes are not read."""
    try:
        return os.lseek(fd, offset, os.SEEK_DATA)
    except OSError:  # ENXIO: nothing but a gap up to the end
        return max(offset, os.fstat(fd).st_size)


def _end_of_gap(fd: int, offset: int) -> int:
    """Where the first page begins that is not all NUL; in a copy of a log, a gap is data."""
    while True:
        with suppress(OSError):
            offset = over_gap(fd, offset) // PAGE_BYTES * PAGE_BYTES
        data = os.pread(fd, _SCAN_BYTES, offset)
        kept = len(data) - len(data.lstrip(b"\0"))
        offset += kept // PAGE_BYTES * PAGE_BYTES
        if kept < len(data) or len(data) < _SCAN_BYTES:
            return offset
