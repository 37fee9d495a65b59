from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mosaic_worker.pixels import frames_per_sec, pixels


@pytest.mark.parametrize("shape", [(4, 6), (4, 6, 1), (4, 6, 3), (4, 6, 4)])
def test_arrays_of_bytes_are_frames(shape: tuple[int, ...]) -> None:
    found = pixels(np.zeros(shape, np.uint8))
    assert found.shape == (4, 6, shape[2] if len(shape) == 3 else 1)


def test_of_a_list_of_frames_the_last_counts() -> None:
    assert pixels([np.zeros((1, 1, 3), np.uint8), np.ones((1, 1, 3), np.uint8)]).max() == 1


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (None, "NoneType, not an array of uint8"),
        ([], "list, not an array of uint8"),
        (np.zeros((4, 6, 3)), "float64, not an array of uint8"),
        (np.zeros((4, 6, 2), np.uint8), r"shape \(4, 6, 2\)"),
        (np.zeros((0, 6, 3), np.uint8), r"shape \(0, 6, 3\)"),
        (np.zeros(3, np.uint8), r"shape \(3,\)"),
        (np.broadcast_to(np.uint8(0), (1 << 14, (1 << 12) + 1, 3)), "4097 x 16384 pixels; at most 67108864"),
    ],
)
def test_anything_else_is_refused_with_what_it_is(drawn: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        pixels(drawn)


@pytest.mark.parametrize(
    ("metadata", "asked"),
    [
        ({"render_fps": 50}, 50),
        ({"render_fps": np.int64(20)}, 20),
        ({"video.frames_per_second": 12.5}, 12.5),
        ({"render_fps": None}, None),
        ({"render_fps": True}, None),
        ({"render_fps": float("nan")}, None),
        ({"render_fps": -1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_an_environment_may_ask_for_so_many_frames_a_second(metadata: Any, asked: Any) -> None:
    assert frames_per_sec(metadata) == asked
