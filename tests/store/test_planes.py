"""Number columns come back bit for bit, and regular ones become small."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store import planes

int64s = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.lists(int64s, max_size=200))
def test_any_integers_come_back(numbers: list[int]) -> None:
    column = np.array(numbers, np.int64)
    assert planes.unpack_ints(planes.pack_ints(column), len(column)).tolist() == numbers


@given(st.lists(st.integers(0, 1), min_size=1, max_size=2000))
def test_ones_and_zeros_take_a_bit_each_at_most(numbers: list[int]) -> None:
    packed = planes.pack_ints(np.array(numbers, np.int64))
    assert planes.unpack_ints(packed, len(numbers)).tolist() == numbers
    assert len(packed) <= 16 + len(numbers) / 8


@given(
    st.sampled_from(["<f4", "<f8", "<f2", "<i4", "<i8", "|u1", "<u2", "|b1", "<c8", "<c16", ">f4", "|S5"]),
    st.integers(1, 40),
    st.integers(1, 20),
    st.data(),
)
def test_matrices_of_any_bytes_come_back(dtype: str, rows: int, columns: int, data: st.DataObject) -> None:
    row_bytes = columns * np.dtype(dtype).itemsize
    raw = np.frombuffer(data.draw(st.binary(min_size=rows * row_bytes, max_size=rows * row_bytes)), np.uint8)
    matrix = raw.reshape(rows, row_bytes)
    ends = np.array(sorted({*data.draw(st.lists(st.integers(0, rows - 1), max_size=3)), rows - 1}))
    packed = planes.pack_matrix(matrix, dtype=dtype, ends=ends)
    assert (planes.unpack_matrix(packed, count=rows, row_bytes=row_bytes, ends=ends) == matrix).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [2, 5, 40])
def test_smooth_columns_and_their_speeds_come_back_and_are_small(dtype: type, columns: int) -> None:
    time = np.arange(1024)
    place = np.stack([np.sin(time / 50 + j) for j in range(columns)], axis=1)
    place[1::2] += 1e-3
    matrix: npt.NDArray[np.floating] = place.astype(dtype)
    if columns == 5:
        matrix[:-1, 1] = ((matrix[1:, 0].astype(np.float64) - matrix[:-1, 0]) * 50).astype(dtype)
    raw = matrix.view(np.uint8).reshape(1024, -1)
    ends = np.array([511, 1023])
    packed = planes.pack_matrix(raw, dtype=matrix.dtype.str, ends=ends)
    assert (planes.unpack_matrix(packed, count=1024, row_bytes=raw.shape[1], ends=ends) == raw).all()
    assert len(packed) < raw.size


def test_specials_survive_beside_ordinary_numbers() -> None:
    column = np.array([[0.0, -0.0, np.inf, -np.inf], [1.0, 5e-324, np.nan, 2.0], [3.0, 4.0, 5.0, 6.0]] * 100)
    column.view(np.uint64)[1, 2] = 0x7FF8DEADBEEF0001
    raw = column.view(np.uint8).reshape(300, 32)
    ends = np.array([299])
    packed = planes.pack_matrix(raw, dtype="<f8", ends=ends)
    assert (planes.unpack_matrix(packed, count=300, row_bytes=32, ends=ends) == raw).all()


def test_a_byte_that_never_changes_is_kept_once() -> None:
    column = np.array([7, 7 + 256] * 20, np.int64)
    packed = planes.pack_ints(column)
    assert len(packed) == 1 + 2 + 1 + 40 / 8  # width, a tag for each byte, the low byte, bits of the high one
    assert planes.unpack_ints(packed, 40).tolist() == column.tolist()


def test_an_unknown_plane_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown form 9"):
        planes.unpack_ints(bytes([1, 9]), 3)
