"""Expressions are read, never run."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.runners.own.constants import UNKNOWN, constant


def read(text: str) -> object:
    return constant(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5e-4", 2.5e-4),
        ("-10", -10),
        ("int(1e6)", 1_000_000),
        ("1024 * 8", 8192),
        ("10**6", 1_000_000),
        ("10_000 // 3", 3333),
        ("None", None),
        ("not True", False),
        ("('a', 'b')", ["a", "b"]),
        ("float('inf')", float("inf")),
    ],
)
def test_plain_expressions_are_worth_what_python_says(text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "os.path.basename(__file__)[: -len('.py')]",
        "open('/etc/passwd').read()",
        "__import__('os').system('true')",
        "9**9**9",
        "(1 << 70) ** 64",
        "'a' * 10**9",
        "1 / 0",
        "int('x')",
        "int(float('nan'))",
        "int(1, 2)",
        "[x for x in range(3)]",
        "1" + " + 1" * 200,
        "lambda: 1",
    ],
)
def test_what_needs_running_is_unknown(text: str) -> None:
    assert read(text) is UNKNOWN


@given(st.one_of(st.integers(), st.floats(allow_nan=False), st.text(), st.booleans(), st.none()))
def test_a_literal_comes_back(value: object) -> None:
    assert read(repr(value)) in (value, UNKNOWN)  # `inf` is a name, not a literal
