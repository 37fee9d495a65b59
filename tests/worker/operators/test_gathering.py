"""Operators for every actor: made from descriptions, started together, waited for, closed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from mosaic_worker.common.words import Refused
from mosaic_worker.operators import gathering
from mosaic_worker.session.worlds import SingleWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RANDOM = {"kind": "random", "name": "random"}
NOOP = {"kind": "noop", "name": "noop"}


@pytest.fixture
def world() -> Iterator[SingleWorld]:
    found = SingleWorld(gym.make("CartPole-v1"))
    yield found
    found.close()


def gathered(world: SingleWorld, actors: list[str], seats: dict[str, Any], **how: Any) -> dict[Any, Any]:
    return gathering.gathered(world, actors, seats, env_id="CartPole-v1", **how)


def test_whoever_is_not_named_has_everybodys_operator(world: SingleWorld) -> None:
    found = gathered(world, ["a", "b", "c"], {"*": RANDOM, "b": NOOP})
    assert {actor: operator.name for actor, operator in found.items()} == {
        "a": "random",
        "b": "noop",
        "c": "random",
    }


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ({"*": RANDOM, "z": NOOP}, "CartPole-v1 has no agent 'z'; it has: a, b"),
        ({"a": RANDOM}, "nobody decides for b: add --seat b=random"),
        ({"*": {"kind": "python", "name": "python:x.py", "path": "/nowhere/x.py"}}, "operator 'python:x.py'"),
    ],
)
def test_what_cannot_be_seated_is_refused(world: SingleWorld, seats: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        gathered(world, ["a", "b"], seats)


def test_all_are_started_before_the_first_is_waited_for(world: SingleWorld, tmp_path: Path) -> None:
    """Each program is ready only once the other one has started."""
    program = tmp_path / "mind.py"
    program.write_text(
        "import pathlib, sys, time\n"
        "here = pathlib.Path(__file__).parent\n"
        "(here / sys.argv[1]).touch()\n"
        "while not (here / sys.argv[2]).exists():\n    time.sleep(0.01)\n"
        "sys.stdin.readline()\nprint('{\"ready\": true}', flush=True)\nsys.stdin.read()\n"
    )
    seats = {
        mine: {"kind": "cmd", "name": mine, "argv": [sys.executable, str(program), mine, other]}
        for mine, other in (("a", "b"), ("b", "a"))
    }
    found = gathered(world, ["a", "b"], seats)
    try:
        gathering.wait_ready(found)
    finally:
        gathering.close(found)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "mind.py"}


def test_one_that_will_never_be_ready_is_named(world: SingleWorld) -> None:
    seats = {"a": {"kind": "cmd", "name": "cmd:false", "argv": [sys.executable, "-c", "raise SystemExit(3)"]}}
    found = gathered(world, ["a"], seats)
    try:
        with pytest.raises(Refused, match="operator 'cmd:false' of a cannot play: it ended with code 3"):
            gathering.wait_ready(found)
    finally:
        gathering.close(found)
