"""A frame as a PNG file's bytes, by the standard library alone. Pure."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["encode"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


def encode(pixels: npt.NDArray[np.uint8], *, level: int = 1) -> bytes:
    """A (height, width, 1, 3 or 4) array of bytes as PNG.

    Raises:
        ValueError: it has another shape or type.
    """
    if (
        pixels.dtype != np.uint8
        or pixels.ndim != 3
        or pixels.shape[2] not in _COLOUR_TYPES
        or not pixels.size
    ):
        raise ValueError(f"not a frame: {pixels.dtype} of shape {pixels.shape}")
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    lines = np.empty((height, 1 + width * channels), dtype=np.uint8)
    lines[:, 0] = 0  # no filter
    lines[:, 1:] = pixels.reshape(height, width * channels)
    data = zlib.compress(lines.tobytes(), level)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
