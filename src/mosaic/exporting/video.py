"""Frames as files: PNG, animated GIF, MP4 (H.264). Each file appears whole or not at all.

PNG needs nothing. GIF needs Pillow and MP4 PyAV: `pip install "mosaic-workbench[video]"`.
"""

from __future__ import annotations

import struct
import zlib
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mosaic.errors import ReplayError, UsageError
from mosaic.exporting.whole import appearing
from mosaic.runs.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mosaic.replay.cache import Frame

__all__ = ["png_bytes", "write_gif", "write_mp4", "write_png"]

_INSTALL = 'Install it with: pip install "mosaic-workbench[video]"'
_QUALITY = "18"  # of x264: hardly a difference to be seen
_MOST_COLOURS = 256


def png_bytes(frame: Frame) -> bytes:
    """A frame as a PNG file."""
    rows = frame.array()
    lines = np.zeros((frame.height, 1 + frame.width * 3), np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = rows.reshape(frame.height, -1)
    head = struct.pack(">IIBBBBB", frame.width, frame.height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


def write_png(frames: Iterable[Frame], target: Path, *, one: bool = False) -> int:
    """One file per frame in a folder, named by its step; of `one` just the file. How many there are."""
    (target.parent if one else target).mkdir(parents=True, exist_ok=True)
    count = 0
    for frame in frames:
        path = target if one else target / f"step-{frame.step:06d}.png"
        write_atomically(path, png_bytes(frame), synced=False)
        count += 1
    return count


def write_gif(frames: Iterable[Frame], path: Path, *, fps: float) -> int:
    """An animated GIF. How many frames it has."""
    try:
        from PIL import Image
    except ImportError as error:
        raise UsageError(f"writing a GIF needs Pillow. {_INSTALL}") from error
    images = [
        Image.fromarray(frame.array()).quantize(_MOST_COLOURS, dither=Image.Dither.NONE) for frame in frames
    ]
    if not images:
        raise ReplayError("there are no frames to write")
    # A GIF counts in hundredths of a second, and viewers slow down what claims to take less than two.
    pause = max(20, round(1000 / fps / 10) * 10)
    with appearing(path) as temporary:
        images[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=pause,
            loop=0,
            optimize=False,
        )
    return len(images)


def write_mp4(frames: Iterable[Frame], path: Path, *, fps: float) -> int:
    """A video, H.264. How many frames it has.

    Raises:
        UsageError: PyAV is not installed.
        ReplayError: the frames are not all of one size.
    """
    try:
        import av
    except ImportError as error:
        raise UsageError(f"writing a video needs PyAV. {_INSTALL}") from error
    count = 0
    with appearing(path) as temporary, av.open(str(temporary), "w", format="mp4") as container:
        stream = None
        for frame in frames:
            # H.264 halves the colours in both directions: odd sizes get their last line or column twice.
            odd = ((0, frame.height % 2), (0, frame.width % 2), (0, 0))
            pixels = np.ascontiguousarray(np.pad(frame.array(), odd, mode="edge"))
            if stream is None:
                stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1000))
                stream.height, stream.width = pixels.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.options = {"crf": _QUALITY, "preset": "veryfast"}
            elif pixels.shape[:2] != (stream.height, stream.width):
                raise ReplayError(f"the frames change their size at step {frame.step}: a video cannot")
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
            count += 1
        if stream is None:
            raise ReplayError("there are no frames to write")
        container.mux(stream.encode(None))
    return count
