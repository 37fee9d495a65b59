"""Whether a card is one: pure checks, every problem as a sentence. Repairs nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.cards import RunnerCard
from mosaic.runners.parameters import convert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mosaic.protocol.cards import Algorithm, Parameter

__all__ = ["ACTIONS", "OBSERVATIONS", "problems"]

ACTIONS = ("Discrete", "Box", "MultiDiscrete", "MultiBinary")
OBSERVATIONS = (*ACTIONS, "Dict", "Tuple", "Text")

_ID = re.compile(r"[a-z0-9][a-z0-9_.-]*", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_PIN = re.compile(r"(==|@)")


def problems(card: object) -> list[str]:
    """What is wrong with a card; nothing when it is right."""
    if not isinstance(card, RunnerCard):
        return [f"its card is a {type(card).__name__}, not a RunnerCard"]
    try:
        msgspec.convert(msgspec.to_builtins(card), RunnerCard)
    except (msgspec.ValidationError, TypeError) as error:
        return [f"its card does not hold what a card holds: {error}"]
    return list(_of_card(card))


def _of_card(card: RunnerCard) -> Iterator[str]:
    if not _ID.fullmatch(card.id):
        yield f"the id {card.id!r} is not made of letters, digits, '.', '_' and '-'"
    if not card.title:
        yield "it has no title"
    for requirement in card.requirements:
        if not _PIN.search(requirement):
            yield f"the requirement {requirement!r} is not pinned: say which version, with =="
    if card.torch and not card.requirements:
        yield "it asks for torch but has no requirements, so it has no environment of its own to put it in"
    yield from _twice("algorithm", [algorithm.id.lower() for algorithm in card.algorithms])
    for algorithm in card.algorithms:
        for text in _of_algorithm(algorithm):
            yield f"algorithm {algorithm.id!r}: {text}"


def _twice(what: str, names: Sequence[str]) -> Iterator[str]:
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{what} {name!r} is there {names.count(name)} times"


def _of_algorithm(algorithm: Algorithm) -> Iterator[str]:
    if not _ID.fullmatch(algorithm.id):
        yield "its id is not made of letters, digits, '.', '_' and '-'"
    if algorithm.default_steps < 1:
        yield f"default_steps is {algorithm.default_steps}, not at least 1"
    for what, spaces, known in (
        ("actions", algorithm.actions, ACTIONS),
        ("observations", algorithm.observations, OBSERVATIONS),
    ):
        for space in spaces:
            if space not in known:
                yield f"{what}: {space!r} is not a space; known: {', '.join(known)}"
    yield from _twice("parameter", [parameter.name for parameter in algorithm.parameters])
    for parameter in algorithm.parameters:
        for text in _of_parameter(parameter):
            yield f"parameter {parameter.name!r}: {text}"


def _of_parameter(parameter: Parameter) -> Iterator[str]:
    if not _NAME.fullmatch(parameter.name):
        yield "its name is not a word"
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None and low > high:
        yield f"its minimum {low:g} is above its maximum {high:g}"
    if parameter.type == "choice" and not parameter.choices:
        yield "it is a choice among nothing"
    if parameter.type not in ("int", "float") and (low is not None or high is not None):
        yield f"bounds mean nothing for a {parameter.type}"
    if parameter.default is None:
        if not parameter.optional:
            yield "it has no default and is not optional"
        return
    try:
        value = convert(parameter, parameter.default)
    except UsageError as error:
        yield f"its default does not fit: {error}"
        return
    if type(value) is not type(parameter.default):
        yield f"its default {parameter.default!r} is not a {parameter.type}"
