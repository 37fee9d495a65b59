"""A play that people can reach: they may relieve its operators, pause it, and put others into its seats.

What a session, an evaluation and a branch have around the one loop. Decides nothing: `Control` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, Iterable, Mapping, Optional

import mosaic_worker
from mosaic_worker.common.words import Refused
from mosaic_worker.session.control import NOTHING, Control, Hand
from mosaic_worker.session.fitting import as_json, described
from mosaic_worker.session.hands import Hands
from mosaic_worker.session.keymaps import key_map, rest_of
from mosaic_worker.session.operator import Operator, OperatorError
from mosaic_worker.session.relief import Relief

if TYPE_CHECKING:
    from mosaic_worker.session.played import Episode
    from mosaic_worker.session.worlds import World

__all__ = ["Attended", "usual_pace"]

_LIVELY_FPS = 10  # drawn more often than this, an environment is played in time; else move by move
_LINGER_SECS = 1.5

Make = Callable[[Any, Mapping[str, Any]], Operator]


class Attended:
    """The seats and the pace of one play; a context that listens in the run's folder.

    Args:
        world: what is played.
        operators: who decides, by actor; all of them ready or about to be. Asked again for an actor that
            turns up later, whose operator people cannot relieve.
        env_id: what it is called.
        pace: `free`, `tick` or `turn`.
        fps: ticks a second; None for no bound, or under a tick for the environment's own.
        stop: whether the play is to end.
        make: makes an operator for an actor from its description; None where seats stay as they are.
        put: told when an operator that was made was put into an actor's seat. The one before is closed; the
            new one is the caller's, as the others are.
        cuts: the orders that may cut an episode.
    """

    def __init__(
        self,
        world: World,
        operators: Mapping[Any, Operator],
        *,
        env_id: str,
        pace: str = "free",
        fps: Optional[float] = None,
        stop: Callable[[], bool] = lambda: False,
        make: Optional[Make] = None,
        put: Callable[[Any, Any], object] = lambda _, __: None,
        cuts: Collection[str] = ("reset", "quit"),
    ) -> None:
        self._make, self._put = make, put
        self._loading: Dict[Any, Operator] = {}
        keys = {actor: key_map(world.env_of(actor), world.action_space(actor)) for actor in operators}
        own_fps, lively = render_fps(world.env), is_lively(world)
        hands = {}
        for actor, operator in operators.items():
            rest = rest_of(keys[actor], world.action_space(actor), ticks=lively)
            if rest is not None:
                keys[actor]["rest"] = as_json(rest) if hasattr(rest, "tolist") else rest
            hands[actor] = Hand(
                actor,
                operator=operator.name,
                space=world.action_space(actor),
                rest=NOTHING if rest is None else rest,
                person=operator.person,
            )
        self.control = Control(
            hands,
            pace=pace,
            fps=(own_fps or 30.0) if pace == "tick" and fps is None else fps,
            usual_fps=own_fps or 30.0,
            deploy=self._deploy if make is not None else None,
            cuts=cuts,
        )
        offer = {
            "env_id": env_id,
            "keys": {str(actor): found for actor, found in keys.items()},
            "spaces": {str(actor): described(world.action_space(actor)) for actor in operators},
            "render_fps": own_fps,
            "allowed": [*cuts, *(["deploy"] if make is not None else [])],
        }
        self.pace = Hands(self.control, offer=offer, stop=stop)
        self.pace.each_round.append(self._look_at_loading)
        self.reliefs = {
            actor: Relief(operator, hand=hands[actor], wait=self.pace.person)
            for actor, operator in operators.items()
        }
        self.seats: Mapping[Any, Operator] = _Seats(self.reliefs, operators)
        """Who decides, as the loop takes it."""

    def __enter__(self) -> Attended:
        """Listen, if this process belongs to a run.

        Raises:
            Refused: it does not, and a person is to play.
        """
        recorder = mosaic_worker.current()
        if recorder is not None:
            self.pace.open(recorder.run_dir)
        elif any(hand.person for hand in self.control.hands.values()):
            raise Refused("a person plays in a run: start it with `mosaic play`")
        return self

    def __exit__(self, *_: object) -> None:
        """Let everybody go, and whoever was to take a seat. Operators in seats are the caller's."""
        self.pace.close()
        for operator in self._loading.values():
            operator.close()

    def sit(self, operators: Mapping[Any, Operator]) -> None:
        """Everybody changes seats, between two episodes."""
        for actor, operator in operators.items():
            self.reliefs[actor].replace(operator, midway=False)

    def ended(self, episodes: Iterable[Episode]) -> None:
        """An episode of the world is over: its players may look at it for a moment.

        Raises:
            Cut: somebody ordered another one, or the end.
        """
        for episode in episodes:
            hand = self.control.hands.get(episode.actor)
            if hand is not None:
                hand.over, hand.step, hand.returned = True, episode.length, episode.returned
        self.control.tick += 1  # the last step: no decision was due after it
        self.control.changes += 1
        if any(hand.owner is not None for hand in self.control.hands.values()):
            self.pace.linger(_LINGER_SECS)

    # ---- another operator for a seat ----

    def _deploy(self, hand: Hand, told: Mapping[str, Any]) -> None:
        """Make an operator ready beside the one that plays on."""
        assert self._make is not None  # noqa: S101
        operator = self._make(hand.actor, told)
        try:
            operator.start()
        except OperatorError:
            operator.close()
            raise
        self._loading[hand.actor] = operator
        hand.loading = operator.name

    def _look_at_loading(self) -> None:
        for actor, operator in list(self._loading.items()):
            hand, seat = self.control.hands[actor], self.reliefs[actor]
            try:
                if not operator.ready():
                    continue
                before = seat.replace(operator, midway=True)
            except OperatorError as error:
                hand.trouble = f"{operator.name} cannot play here: {error}. {seat.name} goes on"
                mosaic_worker.note(hand.trouble, "warning")
                before = operator
            else:
                self._put(actor, operator)
                mosaic_worker.note(f"{operator.name} took the seat{f' of {actor}' if actor else ''}")
            del self._loading[actor]
            hand.loading = ""
            self.control.changes += 1
            before.close()


class _Seats(Dict[Any, Operator]):
    """Operators that people may relieve; and for whoever turns up later, what others say."""

    def __init__(self, reliefs: Mapping[Any, Operator], others: Mapping[Any, Operator]) -> None:
        super().__init__(reliefs)
        self._others = others

    def __missing__(self, actor: Any) -> Operator:
        return self._others[actor]


def render_fps(env: Any) -> Optional[float]:
    """How often the environment is meant to be drawn; None where it does not say."""
    metadata = getattr(env, "metadata", None)
    found = metadata.get("render_fps") if isinstance(metadata, dict) else None
    return float(found) if isinstance(found, (int, float)) and found > 0 else None


def is_lively(world: World) -> bool:
    """Whether it is played in time: games in turns, and those drawn a few times a second, are not."""
    return not hasattr(world, "selected") and (render_fps(world.env) or 0.0) > _LIVELY_FPS


def usual_pace(world: World, *, person: bool, fps: Optional[float]) -> str:
    """The pace where nobody asked for one: a person is given time, others go as fast as they are let."""
    if person:
        return "tick" if is_lively(world) else "turn"
    return "free" if fps is None else "tick"
