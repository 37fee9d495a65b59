"""The one stepping loop: ask all, supervise, step all. Every session of any kind is played by it.

It knows no framework, draws nothing and writes nothing: recording is the hooks' business, as for any script.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from mosaic_worker.operators.base import Choice, Learner, Operator, Seat, seed_of
from mosaic_worker.session.outcome import BEGAN, GONE, RESTARTED, SOLE, Outcome
from mosaic_worker.session.played import Episode, Played
from mosaic_worker.session.supervising import Supervisor, supervise
from mosaic_worker.session.view import View

if TYPE_CHECKING:
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
        self.view: Optional[View] = None
        self.choice: Optional[Choice] = None
        """Its last choice, until the outcome of it is known."""
        self.begin()

    def begin(self) -> None:
        self.running = True
        self.total, self.steps = 0.0, 0


class _Table:
    """The seats of one play, found as their actors turn up."""

    def __init__(
        self, world: World, operators: Operators, *, seed: Optional[int], fresh: bool, played: Played
    ) -> None:
        self._world = world
        self._fresh = fresh
        self._operators = {SOLE: operators} if isinstance(operators, Operator) else operators
        self._seed = seed
        self._played = played
        self.seats: Dict[Any, _Sitting] = {}

    def seat(self, actor: Any, outcome: Outcome) -> _Sitting:
        """A seat for an actor that has turned up."""
        operator = self._operators[actor]
        space = self._world.action_space(actor)
        operator.begin(Seat(actor, space, seed_of(self._seed, len(self.seats))))
        found = self.seats[actor] = _Sitting(operator)
        if not self._fresh:  # its first reward is of a decision made before this play: count it out
            found.total = -float(outcome.reward)
        return found

    def begin(self) -> None:
        for seat in self.seats.values():
            seat.begin()

    def account(self, seen: Mapping[Any, Outcome]) -> List[Tuple[Any, _Sitting, Outcome]]:
        """Count what everybody got; who has to decide now."""
        deciding = []
        for actor, outcome in seen.items():
            seat = self.seats.get(actor) or self.seat(actor, outcome)
            how = outcome.how
            if how == BEGAN:
                seat.begin()
            else:
                seat.total += float(outcome.reward)
            if seat.choice is not None:
                seat.steps += 1
                choice, seat.choice = seat.choice, None
                if seat.learn is not None and seat.view is not None:
                    seat.learn(seat.view, choice, outcome)
            if (outcome.terminated or outcome.truncated or how == GONE) and how != BEGAN:
                self._end(actor, seat, outcome.info)
                if how != RESTARTED:
                    continue
                seat.begin()
            deciding.append((actor, seat, outcome))
        return deciding

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
        reset: False to go on where the world stands.
        ended: called with each episode when it ends.

    Returns:
        What was played.
    """
    played = Played(ended)
    if until.ticks == 0 or until.episodes == 0:
        return played
    table = _Table(world, operators, seed=seed, fresh=reset, played=played)
    if reset:
        world.reset(seed=seed)
    rounds = 0
    ticks, stop = until.ticks, until.stop
    while True:
        deciding = table.account(world.look())
        over = world.over
        if over:
            table.end_all()
            rounds += 1
        if played.ticks == ticks or (stop is not None and stop()):
            return played
        if until.episodes is not None:
            count = len(played.episodes) if world.restarts else rounds
            if count >= until.episodes:
                return played
        if over:
            world.reset()
            table.begin()
            continue
        actions = {}
        for actor, seat, outcome in deciding:
            seat.view = View(world, actor, outcome, seat.steps, seat.total)
            seat.choice = seat.act(seat.view)
            actions[actor] = seat.choice.action
        if supervisors:
            for actor, seat, _ in deciding:
                seat.choice = supervise(supervisors, seat.operator, seat.view, seat.choice)
                actions[actor] = seat.choice.action
        world.step(actions)
        played.ticks += 1
