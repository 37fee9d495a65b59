"""Every actor's operator, from its description: made, guarded, started together, waited for, closed.

What sessions and branches share. Plays nothing: `session.loop` does, with what is gathered here.
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple

import mosaic_worker
from mosaic_worker.common.words import Refused
from mosaic_worker.operators.noop import Noop
from mosaic_worker.operators.random import Random
from mosaic_worker.operators.seating import TRUSTED, Sitter, seated
from mosaic_worker.session.failing import STOP, Guarded
from mosaic_worker.session.fitting import described
from mosaic_worker.session.operator import Operator, OperatorError

if TYPE_CHECKING:
    from mosaic_worker.session.worlds import World

__all__ = [
    "EVERYBODY",
    "answered",
    "close",
    "gathered",
    "guarded",
    "seated_in_turn",
    "tell_failures",
    "wait_ready",
    "warn",
]

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


def seated_in_turn(
    world: World,
    actors: Iterable[Any],
    seats: Mapping[str, Mapping[str, Any]],
    seatings: Sequence[Mapping[str, str]],
    **how: Any,
) -> Tuple[Dict[Any, Guarded], List[Dict[Any, str]]]:
    """The operators of a play whose seats change between episodes, and who sits where in each seating.

    One operator serves all seats that look alike to it, and is started once; one that sits twice in a
    seating has a second of its kind (`random (2)`).

    Args:
        world: what is played.
        actors: for whom somebody decides.
        seats: who there is: by any name where there are seatings, else by actor as for `gathered`.
        seatings: by actor, a name in `seats`; empty where everybody stays.
        how: as for `gathered`.

    Raises:
        Refused: as for `gathered`.
    """
    actors = list(actors)
    if not seatings:
        return gathered(world, actors, seats, **how), [{actor: actor for actor in actors}]
    operators: Dict[Any, Guarded] = {}
    spaces: Dict[str, Any] = {}
    found: List[Dict[Any, str]] = []
    for seating in seatings:
        if set(seating) != set(map(str, actors)):
            agents = ", ".join(map(str, actors))
            raise Refused(
                f"a seating names each agent of {how['env_id']} once: {agents}; this is {dict(seating)}"
            )
        sitting: Dict[Any, str] = {}
        for actor in actors:
            who = seating[str(actor)]
            if who not in seats:
                raise Refused(f"there is nobody of the name {who!r}; there are: {', '.join(seats)}")
            alike = (described(world.observation_space(actor)), described(world.action_space(actor)))
            names = (who if number == 1 else f"{who} ({number})" for number in itertools.count(1))
            name = next(
                one for one in names if one not in sitting.values() and spaces.get(one, alike) == alike
            )
            if name not in operators:
                spaces[name] = alike
                try:
                    operators[name] = guarded(world, actor, seats[who], **how)
                except OperatorError as error:
                    raise Refused(str(error)) from None
            sitting[actor] = name
        found.append(sitting)
    return operators, found


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
                who = f" of {actor}" if actor not in ("", operator.name) else ""
                raise Refused(f"operator {operator.name!r}{who} cannot play: {error}") from None


def close(operators: Mapping[Any, Operator]) -> None:
    """Let every operator go. Also those that never started."""
    for operator in operators.values():
        operator.close()


def tell_failures(operators: Mapping[Any, Guarded]) -> None:
    """Say and record how often others had to decide; nothing where nobody failed."""
    for actor, operator in operators.items():
        if operator.failures:
            who = f"operator {operator.name!r}" + (f" of {actor}" if actor not in ("", operator.name) else "")
            warn(f"{who} failed {operator.failures} times")
            mosaic_worker.metric("session/failures" + (f"/{actor}" if actor else ""), operator.failures)


def answered(hold: Callable[[], int]) -> int:
    """Play, by `hold`; the exit code: its own, 2 when it cannot be played, 1 when an operator failed."""
    try:
        return hold()
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OperatorError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def warn(text: str) -> None:
    """A warning, in the record and for whoever reads the run's output."""
    mosaic_worker.note(text, "warning")
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
