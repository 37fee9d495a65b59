"""JSON columns come back character for character, whatever form they are kept in."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.store import values

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def encoded(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def nd(data: bytes, dtype: str, shape: list[int]) -> bytes:
    return encoded({"nd": dtype, "shape": shape, "b64": base64.b64encode(data).decode()})


@given(st.lists(json_values, min_size=1, max_size=20))
def test_any_mixture_of_json_values_comes_back_as_the_same_text(column: list[object]) -> None:
    texts = [encoded(value) for value in column]
    kept = values.recognise(texts)
    assert kept.texts() == texts
    assert len(kept) == len(texts)


@given(st.lists(st.binary(min_size=12, max_size=12), min_size=1, max_size=30))
def test_arrays_of_one_kind_are_kept_as_bytes_and_come_back_exactly(rows: list[bytes]) -> None:
    texts = [nd(row, "<f4", [3]) for row in rows]
    kept = values.recognise(texts)
    assert isinstance(kept, values.Arrays)
    assert kept.texts() == texts
    assert kept.objects() == [json.loads(text) for text in texts]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 31])
def test_every_base64_padding_is_understood(size: int) -> None:
    texts = [nd(bytes(range(k, k + size)), "|u1", [size]) for k in range(5)]
    kept = values.recognise(texts)
    assert isinstance(kept, values.Arrays)
    assert kept.texts() == texts


@pytest.mark.parametrize(
    "odd",
    [
        b'{"nd":"<f4","shape":[1],"b64":"AAAAAB=="}',  # bits behind the data
        b'{"nd":"<f4","shape":[2],"b64":"AAAAAA=="}',  # wrong size
        b'{"nd":"<f4","shape":[1],"b64":"AAA\\u0041AA=="}',
        b'{"nd":"<f4","shape":[1],"b64":"****AA=="}',
        b'{"nd":"<q9","shape":[1],"b64":"AAAAAA=="}',
        b'{"shape":[1],"nd":"<f4","b64":"AAAAAA=="}',
        b'{"nd":"<f4", "shape":[1],"b64":"AAAAAA=="}',
        b'{"nd":"<f4","shape":[1],"b64":"AAAAAA==","more":1}',
        b'{"nd":"<f4","shape":[0],"b64":""}',
    ],
)
def test_an_array_spelled_in_another_way_stays_as_it_is(odd: bytes) -> None:
    good = b'{"nd":"<f4","shape":[1],"b64":"AAAAAA=="}'
    for texts in ([odd], [good, odd], [odd, good]):
        assert values.recognise(texts).texts() == texts


@pytest.mark.parametrize(
    "form", ['{{"crc32":{0},"nd":"|u1","shape":[84,84]}}', '{{"nd":"|u1","shape":[84,84],"crc32":{0}}}']
)
def test_checksums_are_kept_as_numbers(form: str) -> None:
    texts = [form.format(number).encode() for number in (0, 7, 4294967295)]
    kept = values.recognise(texts)
    assert isinstance(kept, values.Checksums)
    assert kept.texts() == texts
    assert kept.objects() == [json.loads(text) for text in texts]


@pytest.mark.parametrize(
    "texts",
    [
        [b"1", b"-0"],
        [b"9223372036854775807", b"-9223372036854775808"],
        [b"9223372036854775808"],
        [b"123456789012345678901234567890", b"1"],
        [b"1", b"1.0"],
        [b"-0.0"],
        [b'"NaN"', b"1"],
        [b"null", b"null"],
        [b"true", b"1"],
    ],
)
def test_numbers_of_every_kind_keep_their_spelling(texts: list[bytes]) -> None:
    assert values.recognise(texts).texts() == texts


def test_numbers_out_of_range_and_broken_text_still_have_a_value() -> None:
    assert values.parse(b"1e400") == float("inf")
    assert values.parse(b"123456789012345678901234567890") == 123456789012345678901234567890
    assert isinstance(values.parse(b"\xff"), str)


@given(st.lists(st.lists(json_values, min_size=1, max_size=4), min_size=1, max_size=4))
def test_joined_columns_are_the_columns_one_after_the_other(parts: list[list[object]]) -> None:
    texts = [[encoded(value) for value in part] for part in parts]
    joined = values.join([values.recognise(part) for part in texts])
    assert joined.texts() == [text for part in texts for text in part]


@given(st.lists(json_values, min_size=1, max_size=12), st.data())
def test_taking_places_takes_those_values(column: list[object], data: st.DataObject) -> None:
    texts = [encoded(value) for value in column]
    places = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=10))
    kept = values.recognise(texts)
    assert values.take(kept, np.array(places, np.int64)).texts() == [texts[place] for place in places]
    assert values.take(kept, slice(1, 3)).texts() == texts[1:3]


def test_values_handed_out_are_not_shared() -> None:
    first, second = values.Same(b"[]", 2).objects()
    first.append(1)
    assert second == []
