from __future__ import annotations

import numpy as np
import pytest

from mosaic.fastlane.tiles import rgb, tile


def _frame(
    value: int, *, height: int = 4, width: int = 6, channels: int = 3
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((height, width, channels), value, np.uint8)


def test_one_frame_stays_itself() -> None:
    assert (tile([_frame(9)]) == 9).all()


def test_four_frames_make_a_square_in_reading_order() -> None:
    whole = tile([_frame(n) for n in (1, 2, 3, 4)], gap=2)
    assert whole.shape == (10, 14, 3)
    assert [whole[y, x, 0] for y in (0, 6) for x in (0, 8)] == [1, 2, 3, 4]
    assert (whole[4:6] == 0).all()


def test_frames_of_different_size_and_kind_share_a_grid() -> None:
    whole = tile([_frame(1), _frame(2, height=8, channels=1), _frame(3, width=2, channels=4)], gap=0)
    assert whole.shape == (16, 12, 3)
    assert (whole[:8, 6:] == 2).all()
    assert (whole[8:12, :2] == 3).all()


def test_grey_becomes_colour_and_transparency_goes() -> None:
    assert rgb(_frame(5, channels=1)).shape == (4, 6, 3)
    assert rgb(_frame(5, channels=4)).shape == (4, 6, 3)


def test_no_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="no frame"):
        tile([])
