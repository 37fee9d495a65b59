"""A recorded episode played up to a step, then on by any operators. What a branch is, beside its program.

All operators are ready before anything is played. Refuses to go on from a state that is not the recorded one.
"""

from __future__ import annotations

import functools
import math
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional

import mosaic_worker
from mosaic_worker.drivers.kit.stopping import Insisted, Stop
from mosaic_worker.operators import gathering
from mosaic_worker.operators.seating import listed
from mosaic_worker.replay.build import Builder
from mosaic_worker.replay.stage import make_sim
from mosaic_worker.replay.units import Unit
from mosaic_worker.session.attended import Attended, usual_pace
from mosaic_worker.session.control import Cut
from mosaic_worker.session.failing import STOP, Guarded
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.operator import OperatorError
from mosaic_worker.session.outcome import SOLE

if TYPE_CHECKING:
    from mosaic_worker.replay.sims import Found, Sim
    from mosaic_worker.session.worlds import World

__all__ = ["Plan", "play_on"]

Gather = Callable[[List[Any], Dict[str, Dict[str, Any]]], Dict[Any, Guarded]]


class Plan(NamedTuple):
    """What is played."""

    env: Dict[str, Any]
    """How the environment was made, as recorded."""
    units: List[Dict[str, Any]]
    """What is played as recorded; the last of them only in part."""
    turn: int
    """How many turns of the last one are."""
    seats: Dict[str, Dict[str, Any]]
    """Who decides then, by actor; `*` for all that are not named. Each as `operators.seating` reads it."""
    told: Dict[str, Any]
    """Where it comes from: `parent`, `episode`, `episode_id`, `step`. Recorded."""
    seed: int = 0
    max_steps: int = 10_000
    """How many steps are played on, at most."""
    fps: Optional[float] = None
    on_failure: str = STOP
    deadline_secs: float = 30.0
    allowed: List[str] = []  # noqa: RUF012  (never changed)
    path: List[str] = []  # noqa: RUF012  (as above)

    @property
    def env_id(self) -> str:
        """What the environment is called."""
        return str(self.env.get("id") or self.env.get("module") or self.env.get("entry_point") or "it")

    @property
    def how(self) -> Dict[str, Any]:
        """How operators are made: as `gathering` takes it."""
        return {name: getattr(self, name) for name in ("env_id", "on_failure", "deadline_secs")}


def play_on(plan: Plan) -> int:
    """Play; 0 when all was played, 2 when it cannot be, 1 when an operator failed or the past differs."""
    return gathering.answered(_Branch(plan, Stop()).hold)


class _Branch:
    def __init__(self, plan: Plan, stop: Stop) -> None:
        self._plan = plan
        self._stop = stop
        self._operators = _Company(self._gathered, plan.seats)
        self._taken = 0

    def hold(self) -> int:
        """Play it to its end, or until somebody stops it. The exit code."""
        plan = self._plan
        sim = make_sim(Builder(plan.env, allowed=plan.allowed, path=plan.path, frames=False))
        self._world = sim.world
        try:
            self._operators.update(self._gathered(_actors(plan, sim.world), plan.seats))
            self._record()
            with self._attended(sim.world) as attended:
                gathering.wait_ready(self._operators)
                found = self._as_recorded(sim)
                if found:
                    return _refused(sim.turn, found)
                with self._stop.gently():
                    self._go_on(sim.world, attended)
        except Insisted:
            return self._stop.exit_code
        except OperatorError:
            if not self._stop.asked:  # a stop reaches the operators' processes too, and they may be quicker
                raise
            return self._stop.exit_code
        finally:
            gathering.close(self._operators)
            sim.close()
        if plan.on_failure != STOP:
            gathering.tell_failures(self._operators)
        sys.stdout.write(f"played {plan.turn} steps as recorded, then {self._taken} more\n")
        sys.stdout.flush()
        return self._stop.exit_code

    def _attended(self, world: World) -> Attended:
        plan = self._plan
        person = any(operator.person for operator in self._operators.values())
        make = functools.partial(gathering.guarded, world, **plan.how)
        return Attended(
            world,
            self._operators,
            env_id=plan.env_id,
            pace=usual_pace(world, person=person, fps=plan.fps),
            fps=plan.fps,
            stop=lambda: bool(self._stop.asked),
            make=make,
            put=self._operators.__setitem__,
            cuts=("quit",),
        )

    def _gathered(self, actors: List[Any], seats: Dict[str, Dict[str, Any]]) -> Dict[Any, Guarded]:
        return gathering.gathered(self._world, actors, seats, **self._plan.how)

    def _record(self) -> None:
        plan = self._plan
        names = {
            str(actor) if actor != SOLE else "operator": operator.name
            for actor, operator in self._operators.items()
        }
        args = {name: getattr(plan, name) for name in ("fps", "max_steps", "on_failure", "deadline_secs")}
        mosaic_worker.config(algo="branch", seed=plan.seed, branch=plan.told, seats=names, **args)

    def _as_recorded(self, sim: Sim) -> Found:
        """Play what comes before the step, and the episode up to it; how it differs from the record."""
        plan = self._plan
        units = [Unit.from_json(unit) for unit in plan.units]
        for unit in units[:-1]:
            sim.reset(unit)
            while sim.turn < len(unit.turns):
                sim.step(unit)
        found = sim.reset(units[-1])
        while sim.turn < plan.turn and not found:
            found = sim.step(units[-1])
        return found

    def _go_on(self, world: World, attended: Attended) -> None:
        plan = self._plan
        if world.over:
            return
        until = Until(
            episodes=None if world.restarts else 1,
            ticks=int(min(plan.max_steps, self._listed_steps())),
            stop=lambda: bool(self._stop.asked),
        )
        seed = plan.units[-1]["reset"].get("seed")
        control = attended.control
        control.begin(episode=0, seed=seed if isinstance(seed, int) else plan.seed)
        control.tick += plan.turn  # people are told the step of the episode, not of the branch
        try:
            played = play(
                world,
                attended.seats,
                until=until,
                seed=plan.seed,
                reset=False,
                ledger=Ledger(),
                pace=attended.pace,
            )
            self._taken = played.ticks
            attended.ended(played.episodes)
        except Cut:
            self._taken = max(self._taken, control.tick - plan.turn)

    def _listed_steps(self) -> float:
        """How many steps a list of actions is for, where it decides for the one actor; else no bound."""
        told = self._plan.seats.get(SOLE) or self._plan.seats.get(gathering.EVERYBODY)
        if SOLE not in self._operators or told is None or told["kind"] != "actions":
            return math.inf
        return len(listed(told["path"]))


class _Company(Dict[Any, Guarded]):
    """Operators by actor. Whoever turns up later than all others has an operator made for it then."""

    def __init__(self, gather: Gather, seats: Dict[str, Dict[str, Any]]) -> None:
        super().__init__()
        self._gather, self._seats = gather, seats

    def __missing__(self, actor: Any) -> Guarded:
        seats = {
            name: told for name, told in self._seats.items() if name in (str(actor), gathering.EVERYBODY)
        }
        self.update(self._gather([actor], seats))
        gathering.wait_ready({actor: self[actor]})
        return self[actor]


def _actors(plan: Plan, world: World) -> List[Any]:
    """For whom somebody decides, as far as that is known before the first reset."""
    if plan.env.get("vector"):
        return list(range(int(world.env.num_envs)))
    if plan.env.get("agents") is None and not str(plan.env.get("api")).startswith("pettingzoo"):
        return [SOLE]
    return list(getattr(world.env, "possible_agents", None) or plan.env.get("agents") or ())


def _refused(turn: int, found: Found) -> int:
    whose, one = found[0]
    sys.stderr.write(
        f"cannot branch here: turn {turn} differs from the record{' of ' + whose if whose else ''}: "
        f"{one['what']} was {one['recorded']}, is {one['now']}\n"
    )
    return 1
