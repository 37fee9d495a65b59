"""The runners there are: entry points of the group `mosaic.runners`, ours and others' by the same door.

A bad one is listed as broken with the reason. Nothing that somebody else's package does can break the list.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import UsageError
from mosaic.paths import data_root
from mosaic.runners import cards
from mosaic.runners.parameters import near
from mosaic.runners.runner import Careful, Discovering, Runner, Telling
from mosaic.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.protocol.cards import Algorithm, Check, Job, RunnerCard

__all__ = ["GROUP", "Listed", "algorithm", "find", "listed"]

GROUP = "mosaic.runners"


@dataclass(frozen=True)
class Listed:
    """One entry point. A broken one has no runner, and the reason."""

    id: str
    runner: Runner | None
    problem: str = ""
    package: str = ""


class _Discovered:
    """A runner together with what was found in the user's checkout."""

    def __init__(self, runner: Runner, card: RunnerCard) -> None:
        self._runner = runner
        self._card = card

    @property
    def card(self) -> RunnerCard:
        return self._card

    def command(self, job: Job, *, python: str) -> list[str]:
        return self._runner.command(job, python=python)

    def discover(self, settings: Settings) -> list[Algorithm]:
        return self._runner.discover(settings) if isinstance(self._runner, Discovering) else []

    def checks(self, job: Job, *, python: str) -> list[Check]:
        return self._runner.checks(job, python=python) if isinstance(self._runner, Careful) else []

    def variables(self, job: Job) -> dict[str, str]:
        return self._runner.variables(job) if isinstance(self._runner, Telling) else {}


def listed(
    settings: Settings | None = None, *, entries: Iterable[importlib.metadata.EntryPoint] | None = None
) -> list[Listed]:
    """Every runner, by name; broken ones with the reason. Never raises for a bad one.

    Args:
        settings: where a checkout is looked for; by default the settings in force.
        entries: the entry points; by default those installed.
    """
    points = importlib.metadata.entry_points(group=GROUP) if entries is None else entries
    settings = load(data_root()) if settings is None else settings
    found: dict[str, Listed] = {}
    for point in sorted(set(points), key=lambda point: (point.name, point.value)):
        one = _load(point, settings)
        if point.name in found:
            owners = f"{found[point.name].package or '?'} and {one.package or '?'}"
            one = Listed(point.name, None, f"two packages offer a runner of this name: {owners}", one.package)
        found[point.name] = one
    return list(found.values())


def find(runner_id: str, settings: Settings | None = None) -> Runner:
    """The runner of that name.

    Raises:
        UsageError: there is none (with the nearest), or it is broken.
    """
    settings = load(data_root()) if settings is None else settings
    points = importlib.metadata.entry_points(group=GROUP)
    mine = [point for point in points if point.name == runner_id]
    if not mine:
        raise UsageError(
            f"there is no runner {runner_id!r}.{near(runner_id, {point.name for point in points})}"
        )
    one = listed(settings, entries=mine)[0]
    if one.runner is None:
        raise UsageError(f"runner {runner_id!r} is broken: {one.problem}")
    return one.runner


def algorithm(runner: Runner, algorithm_id: str) -> Algorithm:
    """The algorithm of that name.

    Raises:
        UsageError: there is none, with the nearest.
    """
    card = runner.card
    for each in card.algorithms:
        if each.id.lower() == algorithm_id.lower():
            return each
    if not algorithm_id and len(card.algorithms) == 1:
        return card.algorithms[0]
    if not card.algorithms and isinstance(runner, Discovering):
        raise UsageError(
            f"runner {card.id} offers the algorithms of a checkout, and none is named. Name it with "
            f"--checkout PATH, or as {card.id} under [checkouts] in settings.toml."
        )
    what = f"runner {card.id} has no algorithm {algorithm_id!r}." if algorithm_id else "which algorithm?"
    raise UsageError(what + near(algorithm_id, [each.id for each in card.algorithms]))


def _load(point: importlib.metadata.EntryPoint, settings: Settings) -> Listed:
    package = point.dist.name if point.dist is not None else ""

    def broken(why: str) -> Listed:
        return Listed(point.name, None, why, package)

    try:
        runner = point.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001  (a stranger's module may raise anything)
        return broken(f"{point.value} cannot be imported: {type(error).__name__}: {error}")
    try:
        if not isinstance(runner, Runner):
            return broken(f"{point.value} is a {type(runner).__name__} without 'card' and 'command'")
        wrong = cards.problems(runner.card)
        if not wrong and runner.card.id != point.name:
            wrong = [f"its card says {runner.card.id!r}, its entry point {point.name!r}"]
        if not wrong and isinstance(runner, Discovering):
            runner = _with_discovered(runner, settings)
            wrong = cards.problems(runner.card)
    except UsageError as error:
        return broken(str(error))
    except Exception as error:  # noqa: BLE001  (as above: a property or `discover` of a stranger)
        return broken(f"{point.value} fails: {type(error).__name__}: {error}")
    return broken("; ".join(wrong)) if wrong else Listed(point.name, runner, "", package)


def _with_discovered(runner: Runner, settings: Settings) -> Runner:
    if not isinstance(runner, Discovering):
        return runner
    algorithms = [*runner.card.algorithms, *runner.discover(settings)]
    return _Discovered(runner, msgspec.structs.replace(runner.card, algorithms=algorithms))
