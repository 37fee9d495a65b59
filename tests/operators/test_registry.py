from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from mosaic.errors import UsageError
from mosaic.operators import registry
from mosaic.operators.own import RANDOM


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, registry.GROUP)


def test_ours_are_listed_and_work() -> None:
    found = {one.id: one for one in registry.listed()}
    assert {"random", "noop", "actions", "python", "cmd", "checkpoint"} <= set(found)
    assert all(one.operator is not None for one in found.values())


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (point("bad", "no.such.module:X"), "cannot be used: ModuleNotFoundError"),
        (point("bad", "os:sep"), "is a str without a card"),
        (point("bad", "mosaic.operators.own:RANDOM"), "its card says 'random', its entry point 'bad'"),
    ],
)
def test_a_broken_one_is_listed_with_the_reason_and_hurts_nobody(bad: EntryPoint, why: str) -> None:
    good = point("random", "mosaic.operators.own:RANDOM")
    found = {one.id: one for one in registry.listed(entries=[bad, good])}
    assert found["random"].operator is RANDOM
    assert found["bad"].operator is None
    assert why in found["bad"].problem


def test_two_of_one_name_are_both_refused() -> None:
    two = [point("random", "mosaic.operators.own:RANDOM"), point("random", "mosaic.operators.own:NOOP")]
    (one,) = registry.listed(entries=two)
    assert "two packages offer" in one.problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random", ("random", "")),
        ("python:a:b.py", ("python", "a:b.py")),
        ("cmd:node x.js", ("cmd", "node x.js")),
        ("last:best", ("", "last:best")),
        ("my-run", ("", "my-run")),
        ("./random", ("", "./random")),
    ],
)
def test_what_people_type_is_an_operator_or_else_a_checkpoint(text: str, expected: tuple[str, str]) -> None:
    assert registry.named(text) == expected


def test_a_name_nobody_has_gets_the_nearest() -> None:
    assert registry.find("random") is RANDOM
    with pytest.raises(UsageError, match="Did you mean 'random'"):
        registry.find("rando")
