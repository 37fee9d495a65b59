"""Plays a session: an environment, an operator for each of its actors, episode by episode.

Its one argument is a JSON object (`Plan`). Every episode has a seed of its own, so any of them can be played
again alone. All operators are ready before the first reset. Recorded by the same hooks as any script. People
reach it through a socket in the run's folder (`session.attended`).
"""

from __future__ import annotations

import functools
import json
import math
import sys
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

import mosaic_worker
from mosaic_worker.drivers.kit import envs
from mosaic_worker.drivers.kit.command import Refused, Words, say
from mosaic_worker.drivers.kit.stopping import Insisted, Stop, leave
from mosaic_worker.operators import gathering
from mosaic_worker.operators.gathering import EVERYBODY
from mosaic_worker.session.attended import Attended, usual_pace
from mosaic_worker.session.control import Cut
from mosaic_worker.session.failing import STOP, Guarded
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.operator import OperatorError
from mosaic_worker.session.outcome import SOLE
from mosaic_worker.session.worlds import World, world_of
from mosaic_worker.session.worlds.copies import CopiesWorld

if TYPE_CHECKING:
    from mosaic_worker.session.played import Episode

__all__ = ["Plan", "main", "table"]

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
    pace: Optional[str] = None
    """`free`, `tick` or `turn`; None for what suits the environment and who plays."""
    fps: Optional[float] = None
    max_steps: Optional[int] = None
    on_failure: str = STOP
    deadline_secs: float = 30.0
    seatings: List[Dict[str, str]] = []  # noqa: RUF012  (never changed)
    """Who sits where, by names in `seats`: every seed is played with each, seed by seed. Empty: `seats` is by
    actor, and nobody changes."""
    games_before: int = 0
    """How many of these games were played by the run that this one goes on from."""

    @property
    def how(self) -> Dict[str, Any]:
        """How operators are made: as `gathering` takes it."""
        return {name: getattr(self, name) for name in ("env_id", "on_failure", "deadline_secs")}


def main(words: List[str]) -> int:
    """Play; 0 when all was played, 2 when it cannot be, 1 when an operator failed."""
    return gathering.answered(_Session(Plan(**json.loads(words[0])), Stop()).hold)


class _Session:
    def __init__(self, plan: Plan, stop: Stop) -> None:
        self._plan = plan
        self._stop = stop
        self._episodes: Dict[str, List[Episode]] = {}
        self._operators: Dict[str, Guarded] = {}
        """By actor; where seatings change by the operator's name, with a number for one that sits twice."""
        self._seatings: List[Dict[Any, str]] = []
        """By actor: who of `_operators` decides."""

    def hold(self) -> int:
        """Play it to its end, or until somebody stops it. The exit code."""
        plan = self._plan
        world = _world(plan)
        try:
            self._operators, self._seatings = gathering.seated_in_turn(
                world,
                _actors(plan, world),
                plan.seats,
                plan.seatings,
                **plan.how,
            )
            self._record()
            with self._attended(world) as attended:
                gathering.wait_ready(self._operators)
                with self._stop.gently():
                    self._play(world, attended)
        except Insisted:
            pass
        except OperatorError:
            if not self._stop.asked:  # a stop reaches the operators' processes too, and they may be quicker
                raise
        finally:
            gathering.close(self._operators)
            world.close()
        self._tell()
        return self._stop.exit_code

    def _attended(self, world: World) -> Attended:
        plan = self._plan
        person = any(operator.person for operator in self._operators.values())
        make = functools.partial(gathering.guarded, world, **plan.how)
        return Attended(
            world,
            self._sitting(self._seatings[0]),
            env_id=plan.env_id,
            pace=plan.pace or usual_pace(world, person=person, fps=plan.fps),
            fps=plan.fps,
            stop=lambda: bool(self._stop.asked),
            make=make if len(self._seatings) == 1 else None,
            put=self._put,
        )

    def _sitting(self, seating: Dict[Any, str]) -> Dict[Any, Guarded]:
        return {actor: self._operators[name] for actor, name in seating.items()}

    def _put(self, actor: Any, operator: Guarded) -> None:
        """Another operator was put into a seat: it is closed and counted with the others."""
        self._operators[self._seatings[0][actor]] = operator

    def _record(self) -> None:
        plan = self._plan
        names = {actor or "operator": operator.name for actor, operator in self._operators.items()}
        args = {name: value for name, value in plan._asdict().items() if name not in _NOT_ARGUMENTS}
        mosaic_worker.config(algo="session", env_id=plan.env_id, seed=plan.seeds[0][0], seats=names, **args)

    def _play(self, world: World, attended: Attended) -> None:
        plan = self._plan
        seeds = [seed for first, last in plan.seeds for seed in range(first, last + 1)]
        games = [(seed, seating) for seed in seeds for seating in self._seatings]
        ledger = Ledger()
        attended.control.episodes = len(games)
        for number, (seed, seating) in enumerate(games):
            if number < plan.games_before:
                continue
            if len(self._seatings) > 1:
                sitting = self._sitting(seating)
                for operator in sitting.values():
                    operator.game = number % len(self._seatings)
                attended.sit(sitting)
            while not self._stop.asked:
                try:
                    attended.control.begin(episode=number, seed=seed)
                    self._game(world, attended, ledger, number, seed)
                    break
                except Cut as cut:
                    if cut.quit:
                        return
                    seed = seed if cut.seed is None else cut.seed  # noqa: PLW2901  (the same game, begun anew)
            if self._stop.asked:
                return

    def _game(self, world: World, attended: Attended, ledger: Ledger, number: int, seed: int) -> None:
        plan, seating = self._plan, self._seatings[number % len(self._seatings)]
        until = Until(
            episodes=1,
            ticks=plan.max_steps if plan.api in _ZOO else None,
            stop=lambda: bool(self._stop.asked),
        )
        played = play(world, attended.seats, until=until, seed=seed, ledger=ledger, pace=attended.pace)
        for episode in played.episodes:
            who = seating[episode.actor]
            self._episodes.setdefault(who, []).append(episode)
            name = "session/return" + (f"/{who}" if who else "")
            mosaic_worker.metric(name, episode.returned, number)
        total = attended.control.episodes
        if total <= _MOST_LINES or (number + 1) % math.ceil(total / 10) == 0:
            say(f"{number + 1} of {total}, seed {seed}: {_line(played.episodes, seating)}")
        attended.ended(played.episodes)

    def _tell(self) -> None:
        rows = [
            (name, operator.name, self._episodes.get(name, [])) for name, operator in self._operators.items()
        ]
        say(table(rows))
        if self._plan.on_failure != STOP:  # else the first failure ended it, and was told; or the stop did
            gathering.tell_failures(self._operators)


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


def _made(plan: Plan) -> Any:
    arguments = dict(plan.env_arguments)
    if plan.api in _ZOO:
        return envs.make_zoo(plan.env_id, arguments, parallel=plan.api == "parallel")
    if plan.max_steps is not None:
        arguments["max_episode_steps"] = plan.max_steps  # gymnasium's own limit: the episode is truncated
    return envs.make(Words("play", env=plan.env_id, env_arguments=arguments))


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
    for actor, name, episodes in rows:
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
