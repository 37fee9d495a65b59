"""Plays a session: an environment, an operator for each of its actors, episode by episode.

Its one argument is a JSON object (`Plan`). Every episode has a seed of its own, so any of them can be played
again alone. All operators are ready before the first reset. Recorded by the same hooks as any script.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, List, NamedTuple, Optional, Tuple

import mosaic_worker
from mosaic_worker.drivers.kit import envs
from mosaic_worker.drivers.kit.command import Refused, Words, say
from mosaic_worker.drivers.kit.stopping import Insisted, Stop, leave
from mosaic_worker.operators.noop import Noop
from mosaic_worker.operators.random import Random
from mosaic_worker.operators.seating import TRUSTED, Sitter, seated
from mosaic_worker.session.failing import STOP, Guarded
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.operator import Operator, OperatorError
from mosaic_worker.session.outcome import SOLE
from mosaic_worker.session.pace import Pace
from mosaic_worker.session.worlds import World, world_of
from mosaic_worker.session.worlds.copies import CopiesWorld

if TYPE_CHECKING:
    from mosaic_worker.session.played import Episode

__all__ = ["EVERYBODY", "Plan", "main", "table"]

EVERYBODY = "*"
"""The seat of whoever has none of its own."""
_INSTEAD: Dict[str, Callable[[], Operator]] = {"noop": Noop, "random": Random}
_MOST_LINES = 100
_ZOO = ("aec", "parallel")
_NOT_ARGUMENTS = ("env_id", "seats", "seeds", "seatings")


class Plan(NamedTuple):
    """What is played."""

    env_id: str
    seats: Dict[str, Dict[str, Any]]
    """Who decides, by actor; `*` for all that are not named. Each as `operators.seating` reads it."""
    seeds: List[Tuple[int, int]]
    """One episode with each: ranges, first and last included."""
    env_arguments: Dict[str, Any] = {}  # noqa: RUF012  (never changed)
    api: str = "single"
    """The interface of the environment: `single`, `aec` or `parallel`; or `copies`, one for each seat."""
    fps: Optional[float] = None
    max_steps: Optional[int] = None
    on_failure: str = STOP
    deadline_secs: float = 30.0
    seatings: List[Dict[str, str]] = []  # noqa: RUF012  (never changed)
    """Who sits where, by names in `seats`: every seed is played with each, seed by seed. Empty: `seats` is by
    actor, and nobody changes."""
    games_before: int = 0
    """How many of these games were played by the run that this one goes on from."""


def main(words: List[str]) -> int:
    """Play; 0 when all was played, 2 when it cannot be, 1 when an operator failed."""
    stop = Stop()
    try:
        return _Session(Plan(**json.loads(words[0])), stop).hold()
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OperatorError as error:
        sys.stderr.write(f"{error}\n")
        return 1


class _Session:
    def __init__(self, plan: Plan, stop: Stop) -> None:
        self._plan = plan
        self._stop = stop
        self._episodes: Dict[str, List[Episode]] = {}
        self._operators: Dict[str, Guarded] = {}
        """By actor; where seatings change by the operator's name, with a number for one that sits twice."""
        self._spaces: Dict[str, Any] = {}
        """What each of them sees and does, as a process of its own is told of it."""
        self._seatings: List[Dict[Any, str]] = []
        """By actor: who of `_operators` decides."""

    def hold(self) -> int:
        """Play it to its end, or until somebody stops it. The exit code."""
        plan = self._plan
        world = _world(plan)
        try:
            self._seat(world)
            self._record()
            self._wait()
            with self._stop.gently():
                self._play(world)
        except Insisted:
            pass
        except OperatorError:
            if not self._stop.asked:  # a stop reaches the operators' processes too, and they may be quicker
                raise
        finally:
            for operator in self._operators.values():
                operator.close()
            world.close()
        self._tell()
        return self._stop.exit_code

    def _seat(self, world: World) -> None:
        """Give every actor its operator, in every seating."""
        plan = self._plan
        actors = _actors(plan, world)
        for seating in plan.seatings or [_as_named(plan, actors)]:
            unknown = [name for name in seating if name not in map(str, actors)]
            if unknown:
                raise Refused(
                    f"{plan.env_id} has no agent {unknown[0]!r}; it has: {', '.join(map(str, actors))}"
                )
            found: Dict[Any, str] = {}
            for actor in actors:
                found[actor] = self._operator_of(actor, seating, world, taken=found.values())
            self._seatings.append(found)

    def _operator_of(
        self, actor: Any, seating: Dict[str, str], world: World, *, taken: Collection[str]
    ) -> str:
        """Who of `_operators` decides for an actor: one that sat in such a seat before, or a new one."""
        plan = self._plan
        who = seating.get(str(actor), str(actor))
        told = plan.seats.get(who) or plan.seats.get(EVERYBODY)
        if told is None:
            raise Refused(f"nobody decides for {actor}: add --seat {actor}=random, or another operator")
        sitter = Sitter(
            plan.env_id,
            actor,
            world.observation_space(actor),
            world.action_space(actor),
            plan.deadline_secs,
        )
        about = {**sitter.told(), "actor": ""}
        names = (who if number == 1 else f"{who} ({number})" for number in itertools.count(1))
        name = next(name for name in names if name not in taken and self._spaces.get(name, about) == about)
        if name not in self._operators:
            self._spaces[name] = about
            self._operators[name] = self._guarded(told, sitter)
        return name

    def _guarded(self, told: Dict[str, Any], sitter: Sitter) -> Guarded:
        plan = self._plan
        instead = _INSTEAD[plan.on_failure]() if plan.on_failure != STOP else None
        if instead is not None:
            instead.name = plan.on_failure
        try:
            operator = seated(told, sitter)
        except OperatorError as error:
            raise Refused(str(error)) from None
        return Guarded(operator, instead=instead, tell=_warn, trusted=told["kind"] in TRUSTED)

    def _wait(self) -> None:
        """Start all operators, then wait for each: loading a framework can take half a minute."""
        for step in ("start", "wait_ready"):
            for actor, operator in self._operators.items():
                try:
                    getattr(operator, step)()
                except OperatorError as error:
                    who = f" of {actor}" if actor not in ("", operator.name) else ""
                    raise Refused(f"operator {operator.name!r}{who} cannot play: {error}") from None

    def _record(self) -> None:
        plan = self._plan
        names = {actor or "operator": operator.name for actor, operator in self._operators.items()}
        args = {name: value for name, value in plan._asdict().items() if name not in _NOT_ARGUMENTS}
        mosaic_worker.config(algo="session", env_id=plan.env_id, seed=plan.seeds[0][0], seats=names, **args)

    def _play(self, world: World) -> None:
        plan = self._plan
        seeds = [seed for first, last in plan.seeds for seed in range(first, last + 1)]
        games = [(seed, seating) for seed in seeds for seating in self._seatings]
        total = len(games)
        pace, ledger = Pace(plan.fps), Ledger()
        for number, (seed, seating) in enumerate(games):
            if number < plan.games_before:
                continue
            if self._stop.asked:
                return
            until = Until(
                episodes=1,
                ticks=plan.max_steps if plan.api in _ZOO else None,
                stop=lambda: bool(self._stop.asked),
            )
            operators = {actor: self._operators[name] for actor, name in seating.items()}
            for operator in operators.values():
                operator.game = number % len(self._seatings)
            played = play(world, operators, until=until, seed=seed, ledger=ledger, pace=pace)
            for episode in played.episodes:
                who = seating[episode.actor]
                self._episodes.setdefault(who, []).append(episode)
                name = "session/return" + (f"/{who}" if who else "")
                mosaic_worker.metric(name, episode.returned, number)
            if total <= _MOST_LINES or (number + 1) % math.ceil(total / 10) == 0:
                say(f"{number + 1} of {total}, seed {seed}: {_line(played.episodes, seating)}")

    def _tell(self) -> None:
        rows = [
            (name, operator.name, self._episodes.get(name, []), operator.failures)
            for name, operator in self._operators.items()
        ]
        say(table(rows))
        if self._plan.on_failure == STOP:
            return  # the first failure ended it, and was told; or the stop did
        for actor, name, _, failures in rows:
            if failures:
                who = f" of {actor}" if actor not in ("", name) else ""
                _warn(f"operator {name!r}{who} failed {failures} times")
                mosaic_worker.metric("session/failures" + (f"/{actor}" if actor else ""), failures)


def _world(plan: Plan) -> World:
    if plan.api != "copies":
        return world_of(_made(plan), plan.api)
    if EVERYBODY in plan.seats:
        raise Refused("copies have a seat each: name all of them")
    return CopiesWorld({name: _made(plan) for name in plan.seats})


def _actors(plan: Plan, world: World) -> List[Any]:
    if plan.api == "copies":
        return list(plan.seats)
    return list(world.env.possible_agents) if plan.api in _ZOO else [SOLE]


def _as_named(plan: Plan, actors: List[Any]) -> Dict[str, str]:
    """Everybody in a seat of its own, and who is named besides."""
    named = [name for name in plan.seats if name != EVERYBODY]
    return {str(name): str(name) for name in (*actors, *named)}


def _made(plan: Plan) -> Any:
    arguments = dict(plan.env_arguments)
    if plan.api in _ZOO:
        return envs.make_zoo(plan.env_id, arguments, parallel=plan.api == "parallel")
    if plan.max_steps is not None:
        arguments["max_episode_steps"] = plan.max_steps  # gymnasium's own limit: the episode is truncated
    return envs.make(Words("play", env=plan.env_id, env_arguments=arguments))


def _warn(text: str) -> None:
    mosaic_worker.note(text, "warning")
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _line(episodes: List[Episode], seating: Dict[Any, str]) -> str:
    if not episodes:
        return "cut before its end"
    parts = [
        (f"{seating[one.actor]} " if seating[one.actor] else "")
        + f"return {one.returned:g} in {one.length} steps"
        for one in episodes
    ]
    return "; ".join(parts)


def table(rows: List[Any]) -> str:
    """The result of each seat in a line: episodes, mean return with its spread, mean length."""
    head = ("seat", "operator", "episodes", "return", "length")
    lines = [head]
    for actor, name, episodes, _ in rows:
        returns = [one.returned for one in episodes]
        count = len(returns)
        mean = sum(returns) / count if count else math.nan
        spread = math.sqrt(sum((one - mean) ** 2 for one in returns) / (count - 1)) if count > 1 else 0.0
        length = sum(one.length for one in episodes) / count if count else math.nan
        told = f"{mean:.2f} ± {spread:.2f}" if count > 1 else (f"{mean:.2f}" if count else "-")
        lines.append((actor or "-", name, str(count), told, f"{length:.1f}" if count else "-"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip()  # noqa: B905  (3.8 has no strict)
        for line in lines
    )


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
