from __future__ import annotations

import json
import math
import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.errors import ProtocolError
from mosaic.protocol import floats


def any_float() -> st.SearchStrategy[float]:
    """Every one of the 2**64 bit patterns, the odd NaNs among them."""
    return st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])


@given(any_float() | st.floats())
def test_every_bit_pattern_survives_the_trip_through_json(value: float) -> None:
    line = msgspec.json.encode(floats.to_json(value))
    assert floats.bits_of(floats.from_json(json.loads(line))) == floats.bits_of(value)


@pytest.mark.parametrize(
    ("value", "wire"),
    [(math.inf, "Infinity"), (-math.inf, "-Infinity"), (math.nan, "NaN"), (-0.0, -0.0), (5e-324, 5e-324)],
)
def test_the_wire_form_is_what_the_documentation_says(value: float, wire: object) -> None:
    assert str(floats.to_json(value)) == str(wire)


@pytest.mark.parametrize(
    "text",
    [
        "nan", "1.0", "NaN:", "NaN:3ff0000000000000", "NaN:zz", "", "NaN:zzzzzzzzzzzzzzzz",
        "NaN:7ff8  0000000000", "NaN:7ff800000000000", "NaN:7ff80000000000010", "xNaN:7ff8000000000001",
    ],
)  # fmt: skip
def test_a_string_that_names_no_float_is_refused_with_the_string(text: str) -> None:
    with pytest.raises(ProtocolError, match="expected a number"):
        floats.from_json(text)
