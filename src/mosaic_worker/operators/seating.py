"""From an operator's description to the operator: the one table of those that a session can seat.

A description is a dict: `kind`, `name` (as people typed it), and what its kind needs: a `path`, or an `argv`.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping

from mosaic_worker.operators.actions import Actions
from mosaic_worker.operators.noop import Noop
from mosaic_worker.operators.person import Person
from mosaic_worker.operators.python_file import load
from mosaic_worker.operators.random import Random
from mosaic_worker.operators.remote import Framed, Lines
from mosaic_worker.session.fitting import described, fitted
from mosaic_worker.session.operator import Operator, OperatorError

__all__ = ["KINDS", "TRUSTED", "Sitter", "listed", "seated"]

TRUSTED = frozenset({"random", "noop"})
"""Whose actions need no check: they come from the space itself."""


class Sitter:
    """What an operator may need to know of its seat before it is made."""

    __slots__ = ("action_space", "actor", "deadline_secs", "env_id", "observation_space")

    def __init__(
        self, env_id: str, actor: Any, observation_space: Any, action_space: Any, deadline_secs: float
    ) -> None:
        self.env_id = env_id
        self.actor = actor
        self.observation_space = observation_space
        self.action_space = action_space
        self.deadline_secs = deadline_secs

    def told(self) -> Dict[str, Any]:
        """What a process of its own is told of the seat."""
        return {
            "env": self.env_id,
            "actor": str(self.actor),
            "observation_space": described(self.observation_space),
            "action_space": described(self.action_space),
        }


def _random(_: Mapping[str, Any], __: Sitter) -> Operator:
    return Random()


def _noop(_: Mapping[str, Any], __: Sitter) -> Operator:
    return Noop()


def _person(_: Mapping[str, Any], __: Sitter) -> Operator:
    return Person()


def _actions(told: Mapping[str, Any], sitter: Sitter) -> Operator:
    return Actions([fitted(action, sitter.action_space) for action in listed(told["path"])])


def _python(told: Mapping[str, Any], _: Sitter) -> Operator:
    return load(told["path"])


def _framed(told: Mapping[str, Any], sitter: Sitter) -> Operator:
    return Framed(
        list(told["argv"]), name=told["name"], about=sitter.told(), deadline_secs=sitter.deadline_secs
    )


def _lines(told: Mapping[str, Any], sitter: Sitter) -> Operator:
    return Lines(
        list(told["argv"]), name=told["name"], about=sitter.told(), deadline_secs=sitter.deadline_secs
    )


def listed(path: str) -> List[Any]:
    """The actions in a file, as JSON has them.

    Raises:
        OperatorError: it holds something else.
        OSError: it cannot be read.
        ValueError: it is not JSON.
    """
    with open(path, "rb") as file:
        actions = json.load(file)
    if not isinstance(actions, list):
        raise OperatorError("the file must hold a JSON list with one action for each step")
    return actions


KINDS: Dict[str, Callable[[Mapping[str, Any], Sitter], Operator]] = {
    "random": _random,
    "noop": _noop,
    "person": _person,
    "actions": _actions,
    "python": _python,
    "policy": _framed,
    "cmd": _lines,
}


def seated(told: Mapping[str, Any], sitter: Sitter) -> Operator:
    """The operator a description means.

    Raises:
        OperatorError: there is no such kind, or it cannot be made; says why.
    """
    make = KINDS.get(told["kind"])
    if make is None:
        raise OperatorError(f"there is no operator of kind {told['kind']!r}; there are: {', '.join(KINDS)}")
    try:
        operator = make(told, sitter)
    except OperatorError as error:
        raise OperatorError(f"operator {told['name']!r}: {error}") from None
    except Exception as error:
        raise OperatorError(f"operator {told['name']!r}: {type(error).__name__}: {error}") from error
    operator.name = told["name"]
    return operator
