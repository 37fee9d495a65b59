"""What counts as a frame: an array of bytes, height x width x 1, 3 or 4. Imports no numpy; refuses the rest.

Both who show frames ask here: the live view and the replay.
"""

from __future__ import annotations

from typing import Any, Optional, Union

from mosaic_worker.common.layout import CHANNELS

__all__ = ["MOST_PIXELS", "frames_per_sec", "pixels"]

MOST_PIXELS = 1 << 26


def pixels(drawn: Any) -> Any:
    """What an environment drew as height x width x channels; of a list of frames the last.

    Raises:
        TypeError: it is not a frame; says what it is.
    """
    if isinstance(drawn, (list, tuple)) and drawn:
        drawn = drawn[-1]
    shape = getattr(drawn, "shape", None)
    if shape is None or str(getattr(drawn, "dtype", "")) != "uint8":
        what = f"{getattr(drawn, 'dtype', type(drawn).__name__)}"
        raise TypeError(f"render gave {what}, not an array of uint8")
    if len(shape) == 2:
        drawn = drawn.reshape(shape[0], shape[1], 1)
    if len(shape) not in (2, 3) or drawn.shape[2] not in CHANNELS or not drawn.size:
        raise TypeError(f"render gave an array of shape {shape}, not (height, width, 1, 3 or 4)")
    if shape[0] * shape[1] > MOST_PIXELS:
        raise TypeError(f"render gave {shape[1]} x {shape[0]} pixels; at most {MOST_PIXELS} are shown")
    return drawn


def frames_per_sec(metadata: Any) -> Optional[Union[int, float]]:
    """How many frames a second an environment's `metadata` asks for; None when it asks for none."""
    if not isinstance(metadata, dict):
        return None
    for name in ("render_fps", "video.frames_per_second"):  # the second is old gym's
        asked: Any = metadata.get(name)
        if hasattr(asked, "item"):  # of numpy
            asked = asked.item()
        if isinstance(asked, (int, float)) and type(asked) is not bool and 0 < asked < 10_000:  # NaN is not
            return asked
    return None
