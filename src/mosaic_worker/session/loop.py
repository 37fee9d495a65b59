"""The one stepping loop: ask all, supervise, step all. Every session of any kind is played by it.

It knows no framework, draws nothing and writes nothing: recording is the hooks' business, as for any script.
"""

from __future__ import annotations

import math
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Union,
)

from mosaic_worker.session.operator import Learner, Operator, Seat, seed_of
from mosaic_worker.session.outcome import BEGAN, GONE, RESTARTED, SOLE, Outcome
from mosaic_worker.session.played import Episode, Played
from mosaic_worker.session.supervising import Supervisor, supervise
from mosaic_worker.session.view import View

if TYPE_CHECKING:
    from mosaic_worker.session.ledger import Ledger
    from mosaic_worker.session.pace import Waits
    from mosaic_worker.session.worlds import World

__all__ = ["Until", "play"]

Operators = Union[Operator, Mapping[Any, Operator]]
"""Who decides for whom; `defaultdict(Random)` gives every actor a `Random` of its own."""


class Until(NamedTuple):
    """When a play is over: at the first bound that is reached. Without any it never is."""

    episodes: Optional[int] = None
    """Episodes of the world; of a world whose actors restart by themselves, episodes of actors."""
    ticks: Optional[int] = None
    """Steps of the world."""
    stop: Optional[Callable[[], bool]] = None
    """Asked before every tick."""


class _Sitting:
    """A seat at the table: its operator, and where its actor stands in its episode."""

    __slots__ = ("act", "choice", "learn", "operator", "running", "steps", "total", "view")

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.act = operator.act
        self.learn = operator.learn if isinstance(operator, Learner) else None
        self.begin()

    def begin(self) -> None:
        """Its actor's next episode begins."""
        self.running = True
        self.total, self.steps = 0.0, 0
        self.view: Any = None
        self.choice: Any = None
        """Its last choice, until the outcome of it is known; and the view it was made on."""


class _Table:
    """The seats of one play, found as their actors turn up."""

    def __init__(
        self,
        world: World,
        operators: Operators,
        supervisors: Sequence[Supervisor],
        *,
        seed: Optional[int],
        fresh: bool,
        played: Played,
        ledger: Optional[Ledger],
    ) -> None:
        self._world = world
        self._fresh = fresh
        self._operators = {SOLE: operators} if isinstance(operators, Operator) else operators
        self._seed = seed
        self._supervisors = supervisors
        self._played = played
        self._ledger = ledger
        self.seats: Dict[Any, _Sitting] = {}

    def seat(self, actor: Any, outcome: Outcome) -> _Sitting:
        """A seat for an actor that has turned up."""
        operator = self._operators[actor]
        space = self._world.action_space(actor)
        operator.begin(Seat(actor, space, seed_of(self._seed, len(self.seats))))
        found = self.seats[actor] = _Sitting(operator)
        if not self._fresh:  # what came of decisions made before this play is not counted: reward, and end
            found.total = -float(outcome.reward)
            found.running = not (outcome.terminated or outcome.truncated or outcome.how == GONE)
        return found

    def begin(self) -> None:
        """The world was reset."""
        for seat in self.seats.values():
            seat.begin()

    def count(self, seen: Mapping[Any, Outcome], *, asks: bool) -> Dict[Any, View]:
        """Count what everybody got; with `asks`, what those see who decide now."""
        due = {}
        seats, world = self.seats, self._world
        for actor, outcome in seen.items():
            seat = seats.get(actor) or self.seat(actor, outcome)
            _, reward, terminated, truncated, _, how, _ = outcome
            if how == BEGAN:
                seat.begin()
            else:
                seat.total += float(reward)
                choice = seat.choice
                if choice is not None:
                    seat.steps += 1
                    seat.choice = None
                    if seat.learn is not None:
                        seat.learn(seat.view, choice, outcome)
                if terminated or truncated or how == GONE:
                    self._end(actor, seat, outcome.info)
                    if how != RESTARTED:
                        continue
                    seat.begin()
            if asks:
                due[actor] = seat.view = View(world, actor, outcome, seat.steps, seat.total)
        return due

    def ask(self, due: Mapping[Any, View]) -> Dict[Any, Any]:
        """The actions of those who decide now."""
        actions = {}
        seats, world = self.seats, self._world
        for actor, view in due.items():
            seat = seats[actor]
            choice = seat.choice = seat.act(view)
            actions[actor] = choice.action
        if self._supervisors:
            self._supervise(actions)
        if self._ledger is not None:
            for actor in actions:
                seat = seats[actor]
                self._ledger.decided(world.env_of(actor), actor, seat.operator.name, seat.choice)
        return actions

    def _supervise(self, actions: Dict[Any, Any]) -> None:
        for actor in actions:
            seat = self.seats[actor]
            seat.choice = supervise(self._supervisors, seat.operator, seat.view, seat.choice)
            actions[actor] = seat.choice.action

    def _end(self, actor: Any, seat: _Sitting, info: Any) -> None:
        if seat.running:
            seat.running = False
            self._played.add(Episode(actor, seat.total, seat.steps, info))

    def end_all(self) -> None:
        """The world is over: whoever it has not said so of has ended all the same."""
        for actor, seat in self.seats.items():
            self._end(actor, seat, None)


def play(
    world: World,
    operators: Operators,
    *,
    supervisors: Sequence[Supervisor] = (),
    until: Until,
    seed: Optional[int] = None,
    reset: bool = True,
    ended: Optional[Callable[[Episode], None]] = None,
    ledger: Optional[Ledger] = None,
    pace: Optional[Waits] = None,
) -> Played:
    """Play a world until a bound is reached.

    No episode is begun that would have no step.

    Args:
        world: the environment.
        operators: an operator for each actor, by actor; or the one of a world with one actor.
        supervisors: who reviews each choice, in this order.
        until: the bounds.
        seed: of the first reset, and of the operators (each has its own, by seed and seat); later episodes
            go on from there.
        reset: False to go on where the world stands; one that is over, or was never reset, is reset anyway.
        ended: called with each episode when it ends.
        ledger: is told every decision, before its step.
        pace: is waited for before every tick; without one it goes as fast as it can.

    Returns:
        What was played.
    """
    played = Played(ended)
    ticks = math.inf if until.ticks is None else until.ticks
    episodes, stop = until.episodes, until.stop
    if ticks <= 0 or (episodes is not None and episodes <= 0):
        return played
    fresh = reset or world.over
    table = _Table(world, operators, supervisors, seed=seed, fresh=fresh, played=played, ledger=ledger)
    if fresh:
        world.reset(seed=seed)
    rounds = 0
    while True:
        over = world.over
        last = played.ticks >= ticks or (stop is not None and stop())
        due = table.count(world.look(), asks=not (over or last))
        if over:
            table.end_all()
            rounds += 1
        if last or (
            episodes is not None and episodes <= (len(played.episodes) if world.restarts else rounds)
        ):
            return played
        if over:
            world.reset()
            table.begin()
        else:
            if pace is not None:
                pace.wait(due)  # before anybody is asked: a key that is held counts at the moment of the step
            world.step(table.ask(due))
            played.ticks += 1
