"""Values in, plain JSON out, nothing lost on the way."""

from __future__ import annotations

import base64
import enum
import math
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.protocol import floats
from mosaic_worker.values import float_to_json, plain, text


@given(st.integers(0, 2**64 - 1))
def test_every_float64_is_encoded_as_the_protocol_does(bits: int) -> None:
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    assert repr(float_to_json(value)) == repr(floats.to_json(value))
    assert floats.bits_of(floats.from_json(float_to_json(value))) == bits


def back(found: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(found["b64"]), found["nd"]).reshape(found["shape"])


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "|u1", "<i8", "|b1", "<c8", "<U3", "<M8[s]"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_arrays_keep_type_shape_and_bits(dtype: str, shape: tuple[int, ...]) -> None:
    array = (
        np.arange(6).astype(dtype)[: int(np.prod(shape))].reshape(shape)
        if dtype != "|b1"
        else np.ones(shape, bool)
    )
    found = plain(array)
    assert found["nd"] == dtype
    assert back(found).tobytes() == array.tobytes()
    assert back(found).shape == shape


def test_arrays_that_are_not_contiguous_are_taken_in_c_order() -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    for view in (array.T, array[::2], np.asfortranarray(array)):
        assert (back(plain(view)) == view).all()


def test_a_large_array_becomes_a_checksum_with_type_and_shape() -> None:
    array = np.random.default_rng(1).integers(0, 255, (84, 84, 4), np.uint8)
    assert plain(array) == {"crc32": zlib.crc32(array.tobytes()), "nd": "|u1", "shape": [84, 84, 4]}
    assert "b64" in plain(array, inline_bytes=100_000)


def test_numpy_scalars_are_plain_numbers() -> None:
    found = plain(
        [np.int64(3), np.uint8(4), np.float64(0.1), np.float32(0.1), np.bool_(True), np.float64("nan")]
    )
    assert found == [3, 4, 0.1, float(np.float32(0.1)), True, "NaN"]
    assert [type(value) for value in found] == [int, int, float, float, bool, str]


def test_integers_over_64_bits_are_strings() -> None:
    assert plain([2**64 - 1, 2**64, -(2**63), -(2**63) - 1]) == [
        2**64 - 1,
        str(2**64),
        -(2**63),
        str(-(2**63) - 1),
    ]


def test_containers_recurse_and_tuples_become_lists() -> None:
    class Colour(enum.IntEnum):
        RED = 1

    value = {"a": (1, [math.inf]), 2: np.zeros(1, np.uint8), None: Colour.RED}
    assert plain(value) == {
        "a": [1, ["Infinity"]],
        "2": {"nd": "|u1", "shape": [1], "b64": "AA=="},
        "None": 1,
    }


def test_what_has_no_json_form_is_marked_and_shown() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise ValueError("no")

    assert plain(object)["type"] == "builtins.type"
    assert plain(Odd())["repr"] == "<no repr: ValueError>"
    assert plain(b"\0\xff") == {"bytes": "AP8="}
    assert plain(np.array([1, "a", None], dtype=object)) == [1, "a", None]
    loop: list[Any] = []
    loop.append(loop)
    assert "repr" in str(plain(loop))


def test_strings_that_no_reader_would_accept_are_made_visible() -> None:
    assert text("ok \u20ac \0") == "ok \u20ac \0"
    assert text("bad \udcff") == "bad \\udcff"


def test_numpy_is_never_imported_for_the_script() -> None:
    code = "import sys, mosaic_worker.values as v; v.plain([1, object()]); sys.exit('numpy' in sys.modules)"
    path = str(Path(__file__).parents[2] / "src")
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": path}, check=False).returncode == 0
