"""Values as people read them."""

from __future__ import annotations

import errno
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.text import (
    age,
    amount,
    count,
    fit,
    in_json,
    number,
    number_or_dash,
    os_words,
    size,
    span,
    speed,
    visible,
    width,
)


@pytest.mark.parametrize(
    ("past", "text"),
    [
        (0, "just now"),
        (12, "12 s ago"),
        (185, "3 min ago"),
        (7300, "2 h ago"),
        (86400 * 3, "3 days ago"),
        (-50, "just now"),
    ],
)
def test_ages_are_in_the_unit_people_would_use(past: float, text: str) -> None:
    assert age(1000.0 - past, now=1000.0) == text


def test_an_unknown_age_is_a_dash() -> None:
    assert age(None, now=0) == "-"


@pytest.mark.parametrize(
    ("secs", "text"), [(None, "-"), (0.25, "0.2 s"), (42, "42 s"), (63, "1 min 03 s"), (3900, "1 h 05 min")]
)
def test_spans_have_two_units_at_most(secs: float | None, text: str) -> None:
    assert span(secs) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-3.0, "-3"),
        (199.5, "199.50"),
        (123456.0, "123456"),
        (1e-9, "1.000e-09"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
    ],
)
def test_numbers_stay_short(value: float, text: str) -> None:
    assert number(value) == text


def test_an_unknown_number_is_a_dash() -> None:
    assert number_or_dash(None) == "-"
    assert number_or_dash(1.0) == "1"


def test_speeds_are_whole_once_they_are_large() -> None:
    assert [speed(value) for value in (None, 3.25, 12345.6, math.inf)] == ["-", "3.25", "12,346", "Infinity"]


def test_counts_and_sizes_can_be_read_at_a_glance() -> None:
    assert count(1234567) == "1,234,567"
    assert size(512) == "512 bytes"
    assert size(3 << 20) == "3.0 MiB"
    assert size(5 << 30) == "5.0 GiB"


def test_terminal_escapes_become_visible() -> None:
    assert visible("\x1b[31mred\x07") == "\\x1b[31mred\\x07"
    assert visible("a\u202eb\u2028c") == "a\\u202eb\\u2028c"
    assert visible("tab\tstays", keep="\t") == "tab\tstays"


@given(st.text())
def test_no_control_character_survives(text: str) -> None:
    shown = visible(text)
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_fitted_text_never_takes_more_cells_than_there_are(text: str, cells: int) -> None:
    assert width(fit(visible(text), cells)) <= cells


def test_arrays_are_shown_by_their_shape() -> None:
    assert in_json({"nd": "<f4", "shape": [4], "b64": "AA=="}) == "<4 <f4>"
    assert in_json({"crc32": 1, "nd": "|u1", "shape": [84, 84, 3]}) == "<84x84x3 |u1>"


def test_values_are_rounded_for_reading() -> None:
    assert in_json(1) == "1"
    assert in_json([0.123456789, {"a\x1b": None}]) == "[0.1235, {a\\x1b: None}]"


def test_an_amount_is_read_as_the_count_the_rate_or_the_number_it_is() -> None:
    assert amount(12345) == "12,345"
    assert amount(1234.5, rate=True) == "1,234"
    assert amount(0.12345678) == number(0.12345678)
    assert (amount(None), amount(None, rate=True)) == ("-", "-")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOENT, "No such file or directory", "/x"), "/x: No such file or directory"),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "No space left on device: the disk is full. Free some",
        ),
        (
            OSError(errno.EROFS, "Read-only file system", "/x"),
            "/x: Read-only file system: that file system is",
        ),
        (OSError("just words"), "just words"),
    ],
)
def test_what_the_system_refused_is_said_with_the_way_out(error: OSError, words: str) -> None:
    assert os_words(error).startswith(words)
    assert "None" not in os_words(error)
