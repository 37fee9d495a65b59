from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from mosaic.protocol.sessions import Seat
from mosaic_worker.operators.seating import KINDS, Sitter, seated
from mosaic_worker.session.operator import OperatorError

if TYPE_CHECKING:
    from pathlib import Path

SITTER = Sitter("CartPole-v1", "", gym.spaces.Discrete(3), gym.spaces.Discrete(2), 5.0)


def test_every_kind_bears_the_name_that_was_typed() -> None:
    for kind in ("random", "noop"):
        assert seated({"kind": kind, "name": f"my {kind}"}, SITTER).name == f"my {kind}"
    for kind in ("cmd", "policy"):
        assert seated({"kind": kind, "name": "x", "argv": ["true"]}, SITTER).name == "x"


def test_kinds_are_those_the_workbench_knows() -> None:
    assert set(typing.get_args(typing.get_type_hints(Seat)["kind"])) == set(KINDS)


def test_a_list_of_actions_is_fitted_to_the_space(tmp_path: Path) -> None:
    file = tmp_path / "path.json"
    file.write_text("[1, 0.0]")
    found: Any = seated({"kind": "actions", "name": "a", "path": str(file)}, SITTER)
    assert [found.act(None).action, found.act(None).action] == [1, 0]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"kind": "nobody", "name": "n"}, "no operator of kind 'nobody'"),
        ({"kind": "actions", "name": "a", "path": "/no/such"}, "'a'.*No such file"),
        ({"kind": "python", "name": "p", "path": "/no/such.py"}, "'p'.*No such file"),
    ],
)
def test_what_cannot_be_made_says_who_and_why(told: Any, said: str) -> None:
    with pytest.raises(OperatorError, match=said):
        seated(told, SITTER)


def test_a_file_that_is_not_a_list_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "path.json"
    file.write_text("{}")
    with pytest.raises(OperatorError, match="operator 'a': the file must hold a JSON list"):
        seated({"kind": "actions", "name": "a", "path": str(file)}, SITTER)


def test_a_file_that_raises_is_refused_with_what_it_raised(tmp_path: Path) -> None:
    file = tmp_path / "mind.py"
    file.write_text("raise RuntimeError('no mind')")
    with pytest.raises(OperatorError, match="'p': RuntimeError: no mind"):
        seated({"kind": "python", "name": "p", "path": str(file)}, SITTER)


def test_a_process_is_told_its_seat() -> None:
    told = SITTER.told()
    assert (told["env"], told["actor"], told["action_space"]["n"]) == ("CartPole-v1", "", 2)
