"""Every actor's operator, from its description: made, guarded, started together, waited for, closed.

What sessions and branches share. Plays nothing: `session.loop` does, with what is gathered here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Mapping

import mosaic_worker
from mosaic_worker.common.words import Refused
from mosaic_worker.operators.noop import Noop
from mosaic_worker.operators.random import Random
from mosaic_worker.operators.seating import TRUSTED, Sitter, seated
from mosaic_worker.session.failing import STOP, Guarded
from mosaic_worker.session.operator import Operator, OperatorError

if TYPE_CHECKING:
    from mosaic_worker.session.worlds import World

__all__ = ["EVERYBODY", "close", "gathered", "guarded", "tell_failures", "wait_ready", "warn"]

EVERYBODY = "*"
"""The seat of whoever has none of its own."""
_INSTEAD: Dict[str, Callable[[], Operator]] = {"noop": Noop, "random": Random}


def gathered(
    world: World,
    actors: Iterable[Any],
    seats: Mapping[str, Mapping[str, Any]],
    *,
    env_id: str,
    on_failure: str = STOP,
    deadline_secs: float = 30.0,
) -> Dict[Any, Guarded]:
    """An operator for every actor, none of them started.

    Args:
        world: what is played.
        actors: for whom somebody decides.
        seats: who decides, by actor, `EVERYBODY` for all that are not named; each as `seating` reads it.
        env_id: what the world is called, for operators and people.
        on_failure: `STOP`, or who decides when an operator fails: `noop`, `random`.
        deadline_secs: how long a decision may take.

    Raises:
        Refused: an actor has no operator, a seat no actor, or an operator cannot be made.
    """
    actors = list(actors)
    unknown = [name for name in seats if name not in (*map(str, actors), EVERYBODY)]
    if unknown:
        raise Refused(f"{env_id} has no agent {unknown[0]!r}; it has: {', '.join(map(str, actors))}")
    found = {}
    for actor in actors:
        told = seats.get(str(actor)) or seats.get(EVERYBODY)
        if told is None:
            raise Refused(f"nobody decides for {actor}: add --seat {actor}=random, or another operator")
        try:
            found[actor] = guarded(
                world, actor, told, env_id=env_id, on_failure=on_failure, deadline_secs=deadline_secs
            )
        except OperatorError as error:
            raise Refused(str(error)) from None
    return found


def guarded(
    world: World,
    actor: Any,
    told: Mapping[str, Any],
    *,
    env_id: str,
    on_failure: str = STOP,
    deadline_secs: float = 30.0,
) -> Guarded:
    """The operator a description means, for one actor; as for `gathered`.

    Raises:
        OperatorError: it cannot be made; says why.
    """
    sitter = Sitter(env_id, actor, world.observation_space(actor), world.action_space(actor), deadline_secs)
    instead = _INSTEAD[on_failure]() if on_failure != STOP else None
    if instead is not None:
        instead.name = on_failure
    operator = seated(told, sitter)
    return Guarded(operator, instead=instead, tell=warn, trusted=told["kind"] in TRUSTED)


def wait_ready(operators: Mapping[Any, Operator]) -> None:
    """Start all operators, then wait for each: loading a framework can take half a minute.

    Raises:
        Refused: one of them will never be ready.
    """
    for step in ("start", "wait_ready"):
        for actor, operator in operators.items():
            try:
                getattr(operator, step)()
            except OperatorError as error:
                who = f" of {actor}" if actor != "" else ""
                raise Refused(f"operator {operator.name!r}{who} cannot play: {error}") from None


def close(operators: Mapping[Any, Operator]) -> None:
    """Let every operator go. Also those that never started."""
    for operator in operators.values():
        operator.close()


def tell_failures(operators: Mapping[Any, Guarded]) -> None:
    """Say and record how often others had to decide; nothing where nobody failed."""
    for actor, operator in operators.items():
        if operator.failures:
            who = f"operator {operator.name!r}" + (f" of {actor}" if actor else "")
            warn(f"{who} failed {operator.failures} times")
            mosaic_worker.metric("session/failures" + (f"/{actor}" if actor else ""), operator.failures)


def warn(text: str) -> None:
    """A warning, in the record and for whoever reads the run's output."""
    mosaic_worker.note(text, "warning")
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
