"""Frames whose every byte and number follows from their epoch and id, and the check that it does."""

from __future__ import annotations

from typing import Any

import numpy as np

from mosaic.fastlane.reader import Frame
from mosaic.fastlane.ring import RawFrame
from mosaic_worker.common import layout

_ODD = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_BASE = np.arange(1 << 18, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95)


def key_of(epoch: int, frame_id: int) -> int:
    """A number that no other frame of this writer has."""
    return (epoch << 40 | frame_id) * _ODD & _MASK


def shape_of(key: int, pixel_bytes: int) -> tuple[int, int, int, int]:
    """Width, height, channels and flags of the frame with that key, for a ring of that size."""
    channels = layout.CHANNELS[key >> 60 & 1]
    side = max(1, int((pixel_bytes // channels) ** 0.5))
    width = 1 + (key >> 20) % side
    return width, 1 + (key >> 40) % side, channels, key >> 59 & 1


def pixels_of(key: int, length: int) -> Any:
    """The pixels: every eight bytes follow from the key and from where they are."""
    words = _BASE[: -(-length // 8)] + np.uint64(key)
    return words.view(np.uint8)[:length]


def hud_of(key: int) -> dict[str, Any]:
    """Every other number of a frame."""
    return {
        "episode": key,
        "step": key ^ _ODD,
        "reward": float(key & 0xFFFFFFFF),
        "total": -float(key >> 8 & 0xFFFFFFFF),
        "rate": float(key >> 16 & 0xFFFFFFFF),
        "free_rate": float(key >> 24 & 0xFFFFFFFF),
        "render_secs": float(key >> 32),
        "env_index": key & 0xFFFF,
        "row": key >> 16 & 0xFFFF,
        "episode_id": b"%064x" % key,
    }


def length_of(key: int, pixel_bytes: int) -> int:
    """How many bytes the scene with that key has."""
    return 1 + (key >> 20) % pixel_bytes


def publish(writer: Any, epoch: int, *, pixel_bytes: int, mixed: bool = False) -> int:
    """Publish the next frame of a ring; `mixed`: some of them are scenes."""
    key = key_of(epoch, writer.frame_id + 1)
    if mixed and key >> 58 & 1:
        data = pixels_of(key, length_of(key, pixel_bytes))
        return int(writer.publish(data, 0, 0, 0, kind=layout.SCENE, **hud_of(key)))
    width, height, channels, flags = shape_of(key, pixel_bytes)
    pixels = pixels_of(key, width * height * channels)
    return int(writer.publish(pixels, width, height, channels, flags=flags, **hud_of(key)))


def wrong(raw: RawFrame, epoch: int, pixel_bytes: int, *, mixed: bool = False) -> str:
    """What is wrong with a frame; empty when everything is right."""
    key = key_of(epoch, raw.frame_id)
    kind = key >> 58 & 1 if mixed else layout.PIXELS
    shape, length = (0, 0, 0, 0), length_of(key, pixel_bytes)
    if kind == layout.PIXELS:
        shape = shape_of(key, pixel_bytes)
        length = shape[0] * shape[1] * shape[2]
    if (raw.kind, raw.length, len(raw.pixels)) != (kind, length, length):
        return f"frame {raw.frame_id}: kind {raw.kind}, {raw.length} bytes, {len(raw.pixels)} of them there"
    if (raw.width, raw.height, raw.channels, raw.flags) != shape:
        return f"frame {raw.frame_id}: shape {raw.width}x{raw.height}x{raw.channels} flags {raw.flags}"
    if raw.pixels != pixels_of(key, len(raw.pixels)).tobytes():
        return f"frame {raw.frame_id}: pixels of another frame"
    for name, value in hud_of(key).items():
        if getattr(raw, name) != value:
            return f"frame {raw.frame_id}: {name} is {getattr(raw, name)!r}, not {value!r}"
    return ""


def wrong_frame(frame: Frame, pixel_bytes: int) -> str:
    """The same for a frame as viewers get it."""
    key = key_of(frame.epoch, frame.frame_id)
    width, height, channels, flags = shape_of(key, pixel_bytes)
    if frame.pixels.shape != (height, width, channels):
        return f"frame {frame.frame_id}: shape {frame.pixels.shape}"
    lying = frame.pixels.transpose(1, 0, 2) if flags else frame.pixels
    if lying.tobytes() != pixels_of(key, width * height * channels).tobytes():
        return f"frame {frame.frame_id}: pixels of another frame"
    hud = hud_of(key)
    found = frame.hud
    expected = (*(v for k, v in hud.items() if k not in ("row", "episode_id")), hud["episode_id"].decode())
    return "" if tuple(found) == expected else f"frame {frame.frame_id}: {found} is not {expected}"
