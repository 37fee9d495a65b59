"""What a word of a command line stands for."""

from __future__ import annotations

import math

import pytest

from mosaic.protocol.cards import Job
from mosaic.runners.runner import driver_words
from mosaic_worker.common.literals import literal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("False", False), ("none", None), ("3", 3), ("1e-3", 1e-3), ("auto", "auto"),
        ("[1, 2]", [1, 2]), ('{"a": 1}', {"a": 1}), ("[broken", "[broken"), ("4x4", "4x4"), ("", ""),
    ],
)  # fmt: skip
def test_a_text_stands_for_what_it_looks_like(text: str, value: object) -> None:
    assert literal(text) == value
    assert type(literal(text)) is type(value)


@pytest.mark.parametrize(
    "value", [True, None, -7, 0.1 + 0.2, 1e300, 5e-324, "MlpPolicy", [1, [2.5]], {"a": None}]
)
def test_what_a_runner_writes_is_read_as_the_very_same_value(value: object) -> None:
    (_, word) = driver_words(Job(runner="r", parameters={"p": value}))
    read = literal(word.partition("=")[2])
    assert read == value
    assert type(read) is type(value)


def test_numbers_that_are_none_and_quoted_words_are_read_too() -> None:
    assert math.isnan(literal("nan"))
    assert literal("-inf") == -math.inf
    assert literal('"3"') == "3"
