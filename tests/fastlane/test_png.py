from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from mosaic.fastlane import png


def _decode(data: bytes) -> tuple[int, int, int, bytes]:
    """An own little reader: checks every chunk's checksum, undoes the (absent) filter."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, rest) == (8, [0, 0, 0])
    channels = {0: 1, 2: 3, 6: 4}[colour]
    raw = zlib.decompress(chunks[b"IDAT"])
    stride = 1 + width * channels
    assert {raw[row * stride] for row in range(height)} == {0}
    return width, height, channels, b"".join(raw[r * stride + 1 : (r + 1) * stride] for r in range(height))


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_a_frame_comes_back_byte_for_byte(channels: int) -> None:
    pixels = np.random.default_rng(channels).integers(0, 256, (5, 7, channels), np.uint8)
    assert _decode(png.encode(pixels)) == (7, 5, channels, pixels.tobytes())


def test_a_frame_that_lies_column_by_column_is_turned() -> None:
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(7, 5, 3).transpose(1, 0, 2)
    assert _decode(png.encode(pixels))[3] == np.ascontiguousarray(pixels).tobytes()


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 2), (0, 7, 3)])
def test_what_is_not_a_frame_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="not a frame"):
        png.encode(np.zeros(shape, np.uint8))
