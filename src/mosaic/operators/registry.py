"""The operators there are, by entry point; a broken one is listed with the reason and hurts nobody else."""

from __future__ import annotations

import importlib.metadata
from typing import TYPE_CHECKING, NamedTuple

from mosaic.errors import UsageError
from mosaic.operators.operator import OperatorKind
from mosaic.protocol.sessions import OperatorCard
from mosaic.runners.parameters import near

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["GROUP", "Listed", "find", "listed", "named"]

GROUP = "mosaic.operators"


class Listed(NamedTuple):
    """One entry: the operator, or why it cannot be used."""

    id: str
    operator: OperatorKind | None
    problem: str
    package: str


def listed(*, entries: Iterable[importlib.metadata.EntryPoint] | None = None) -> list[Listed]:
    """Every operator, by name; broken ones with the reason. Never raises for a bad one."""
    points = importlib.metadata.entry_points(group=GROUP) if entries is None else entries
    found: dict[str, Listed] = {}
    for point in sorted(set(points), key=lambda point: (point.name, point.value)):
        one = _load(point)
        if point.name in found:
            owners = f"{found[point.name].package or '?'} and {one.package or '?'}"
            one = Listed(
                point.name, None, f"two packages offer an operator of this name: {owners}", one.package
            )
        found[point.name] = one
    return list(found.values())


def find(operator_id: str) -> OperatorKind:
    """The operator of that name.

    Raises:
        UsageError: there is none (with the nearest), or it is broken.
    """
    every = {one.id: one for one in listed()}
    if operator_id not in every:
        raise UsageError(
            f"there is no operator {operator_id!r}.{near(operator_id, every)} See: mosaic operators ls"
        )
    one = every[operator_id]
    if one.operator is None:
        raise UsageError(f"operator {operator_id!r} is broken: {one.problem}")
    return one.operator


def named(text: str) -> tuple[str, str]:
    """The operator's id and its argument in what people type; the id is empty for a run or a file."""
    ids = {point.name for point in importlib.metadata.entry_points(group=GROUP)}
    head, _, rest = text.partition(":")
    return (head, rest) if head in ids else ("", text)


def _load(point: importlib.metadata.EntryPoint) -> Listed:
    package = point.dist.name if point.dist is not None else ""
    try:
        operator = point.load()
        if not isinstance(operator, OperatorKind) or not isinstance(operator.card, OperatorCard):
            why = f"{point.value} is a {type(operator).__name__} without a card and 'seat'"
            return Listed(point.name, None, why, package)
        if operator.card.id != point.name:
            why = f"its card says {operator.card.id!r}, its entry point {point.name!r}"
            return Listed(point.name, None, why, package)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (a stranger's module may raise anything)
        return Listed(
            point.name, None, f"{point.value} cannot be used: {type(error).__name__}: {error}", package
        )
    return Listed(point.name, operator, "", package)
