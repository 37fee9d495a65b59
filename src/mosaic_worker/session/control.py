"""How a session stands in the hands of people: who has which seat, what they do there, how fast it goes.

Pure: orders in, refusals out. It knows no socket, no clock and no environment: `hands` carries orders to it,
`relief` asks it for a person's action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, List, Mapping, NamedTuple, Optional

from mosaic_worker.common.hands import PERSON
from mosaic_worker.session.fitting import checked, fitted
from mosaic_worker.session.operator import OperatorError

if TYPE_CHECKING:
    from mosaic_worker.session.view import View

__all__ = ["NOTHING", "Control", "Cut", "Hand", "RefusedError"]

NOTHING: Any = object()
"""Where a person has done nothing; None may be an action."""
_MOST_LEGAL = 1000  # of legal actions that are told
_FPS_BOUNDS = (0.01, 10_000.0)


class RefusedError(Exception):
    """An order that is not obeyed. The text says why, and what would be."""


class Cut(Exception):  # noqa: N818  (it is an order that was obeyed)
    """The episode is left where it stands.

    Args:
        seed: the seed of the one that is begun instead; None for the same again.
        quit: whether the session ends with it.
    """

    def __init__(self, *, seed: Optional[int] = None, quit: bool = False) -> None:
        super().__init__("the episode was cut")
        self.seed = seed
        self.quit = quit


class _Owner(NamedTuple):
    """A client that has taken a seat."""

    client: int
    name: str


class Hand:
    """One seat, as far as people are concerned.

    Args:
        actor: whose seat it is.
        operator: who decides there, as people typed it.
        space: the actor's action space.
        rest: what is done under a tick while a person holds no key; `NOTHING` to wait for one.
        person: whether the seat is a person's, so that nobody decides there while nobody has taken it.
    """

    def __init__(
        self, actor: Any, *, operator: str, space: Any, rest: Any = NOTHING, person: bool = False
    ) -> None:
        self.actor, self.operator, self.space, self.rest, self.person = actor, operator, space, rest, person
        self.owner: Optional[_Owner] = None
        self.waits = False
        self.loading = self.trouble = ""
        self.view: Optional[View] = None
        self.known: Optional[Dict[str, Any]] = None
        self.begin()
        self.let_go()

    @property
    def played(self) -> bool:
        """Whether a person decides here now."""
        return self.owner is not None or self.person

    def let_go(self) -> None:
        """No key is down, and none was pressed."""
        self.pressed = self.held = self.tapped = NOTHING

    def begin(self) -> None:
        """An episode begins: nothing was decided in it."""
        self.step, self.returned, self.over = 0, 0.0, False
        self.next = 0
        """The step that the next decision is for."""
        self.due = False

    def see(self, view: View) -> None:
        """A decision is due."""
        self.view, self.step, self.returned, self.over = view, view.step, view.returned, False
        self.next, self.due = view.step, True

    def pass_by(self) -> None:
        """It is the others' turn: what was due here has been decided."""
        if self.due:
            self.next += 1
        self.due = False

    def legal(self) -> Optional[List[int]]:
        """The actions the rules allow now, of a Discrete space under a mask."""
        rule = None if self.view is None or self.over else self.view.rule
        if rule is None or type(self.space).__name__ != "Discrete":
            return None
        start = int(getattr(self.space, "start", 0))
        return [start + index for index, allowed in enumerate(rule) if allowed][:_MOST_LEGAL]

    def pressed_once(self) -> Any:
        """What was pressed since this was last asked; `NOTHING` if nothing was."""
        found = self.pressed if self.pressed is not NOTHING else self.tapped
        self.pressed = self.tapped = NOTHING
        return found

    def sampled(self) -> Any:
        """What is held down at this tick, or was pressed since the last one; else what stands for rest."""
        pressed = self.pressed_once()  # a key that went down and up between two ticks counts once
        found = self.held if self.held is not NOTHING else pressed
        return self.rest if found is NOTHING else found


class Control:
    """The state of a session that people may change.

    Args:
        hands: the seats, by actor.
        pace: `free`, `tick` or `turn`.
        fps: ticks a second; None for no bound.
        usual_fps: under a tick for which nobody said how fast.
        deploy: makes another operator ready for a seat, from its description; None where seats are fixed.
        cuts: the orders that may cut an episode: none where episodes are counted.
    """

    def __init__(
        self,
        hands: Dict[Any, Hand],
        *,
        pace: str = "free",
        fps: Optional[float] = None,
        usual_fps: float = 30.0,
        deploy: Optional[Callable[[Hand, Dict[str, Any]], None]] = None,
        cuts: Collection[str] = ("reset", "quit"),
    ) -> None:
        self.hands = hands
        self.pace, self.fps = pace, fps
        self._usual_fps = usual_fps
        self._deploy = deploy
        self._cuts = cuts
        self.paused = False
        self.steps = 0
        """Ticks that are let through while it is paused."""
        self.cut: Optional[Cut] = None
        self.changes = 0
        """Counts what clients should be told of."""
        self.episode, self.episodes, self.seed, self.tick = 0, 1, 0, -1
        """`tick`: how often the world was stepped in this episode; -1 before the first decision is due."""

    # ---- what the session asks ----

    def begin(self, *, episode: int, seed: int) -> None:
        """An episode begins; keys that are down stay down."""
        self.episode, self.seed, self.tick = episode, seed, -1
        self.cut = None
        for hand in self.hands.values():
            hand.pressed = hand.tapped = NOTHING
            hand.begin()
        self.changes += 1

    def see(self, due: Mapping[Any, View]) -> None:
        """A tick is due: what those see who will be asked."""
        for actor, hand in self.hands.items():
            view = due.get(actor)
            if view is None:
                hand.pass_by()
            else:
                hand.see(view)
        self.tick += 1
        self.changes += 1

    def answer(self, hand: Hand) -> Any:
        """A person's action for the decision that is due; `NOTHING` to wait for it."""
        found = NOTHING
        if hand.owner is not None:
            # A person's own episode under a tick begins with the first key: nobody is ready before.
            samples = self.pace == "tick" and hand.rest is not NOTHING and (hand.step > 0 or not hand.person)
            found = hand.sampled() if samples else hand.pressed_once()
        if found is not NOTHING and hand.view is not None:
            try:
                checked(found, hand.space, hand.view.rule)
            except OperatorError as error:  # it was legal when it was pressed
                hand.trouble = str(error)
                self.changes += 1
                return NOTHING
        return found

    def wants_on(self) -> bool:
        """Whether somebody has pressed a key since the episode ended."""
        return any(hand.pressed_once() is not NOTHING for hand in self.hands.values())

    def may_tick(self) -> bool:
        """Whether the next tick may come, as far as pausing is concerned."""
        if not self.paused:
            return True
        if self.steps:
            self.steps -= 1
            return True
        return False

    # ---- what clients order ----

    def obey(self, client: int, name: str, order: Dict[str, Any]) -> None:
        """Do what a client asks for.

        Raises:
            RefusedError: says why not.
        """
        doing = getattr(self, f"_do_{order.get('do')}", None) if isinstance(order.get("do"), str) else None
        if doing is None:
            known = ", ".join(sorted(word[4:] for word in dir(self) if word.startswith("_do_")))
            raise RefusedError(f"there is no order {order.get('do')!r}; there are: {known}")
        doing(_Owner(client, name), order)
        self.changes += 1

    def left(self, client: int) -> None:
        """A client is gone: its seats are given back, and no key of it stays down."""
        for hand in self.hands.values():
            if hand.owner is not None and hand.owner.client == client:
                self._free(hand)

    def _free(self, hand: Hand) -> None:
        hand.owner = None
        hand.let_go()
        self.changes += 1

    def _hand(self, order: Dict[str, Any]) -> Hand:
        actor = order.get("actor")
        if actor is None and len(self.hands) == 1:
            return next(iter(self.hands.values()))
        for hand in self.hands.values():
            if actor is not None and str(hand.actor) == actor:
                return hand
        names = ", ".join(str(name) for name in self.hands)
        raise RefusedError(
            f"there is no seat {actor!r}; there are: {names}" if actor else f"say which seat: {names}"
        )

    def _mine(self, owner: _Owner, order: Dict[str, Any]) -> Hand:
        hand = self._hand(order)
        if hand.owner is None or hand.owner.client != owner.client:
            who = f": {hand.owner.name} has it" if hand.owner is not None else ""
            raise RefusedError(f"take the seat first{who}")
        return hand

    def _do_take(self, owner: _Owner, order: Dict[str, Any]) -> None:
        hand = self._hand(order)
        if hand.owner is not None and hand.owner.client != owner.client:
            raise RefusedError(f"{hand.owner.name} has this seat; it can be taken when it is given back")
        hand.owner = owner

    def _do_give(self, owner: _Owner, order: Dict[str, Any]) -> None:
        self._free(self._mine(owner, order))

    def _do_act(self, owner: _Owner, order: Dict[str, Any]) -> None:
        hand = self._mine(owner, order)
        meant = order.get("step")
        if meant is not None and meant != hand.next:
            raise RefusedError(f"that was for step {meant}, and it is step {hand.next} now")
        hand.trouble = ""
        hand.pressed = self._action(hand, order, rule=hand.waits)

    def _do_hold(self, owner: _Owner, order: Dict[str, Any]) -> None:
        hand = self._mine(owner, order)
        if order.get("action") is None:
            hand.held = NOTHING
            return
        hand.trouble = ""
        hand.held = hand.tapped = self._action(hand, order, rule=False)

    @staticmethod
    def _action(hand: Hand, order: Dict[str, Any], *, rule: bool) -> Any:
        action = fitted(order.get("action"), hand.space)
        mask = hand.view.rule if rule and hand.view is not None else None
        try:
            return checked(action, hand.space, mask)
        except OperatorError as error:
            raise RefusedError(str(error).replace("it answered ", "", 1)) from None

    def _do_pause(self, _: _Owner, __: Dict[str, Any]) -> None:
        self.paused, self.steps = True, 0

    def _do_go(self, _: _Owner, __: Dict[str, Any]) -> None:
        self.paused = False

    def _do_step(self, _: _Owner, __: Dict[str, Any]) -> None:
        if not self.paused:
            raise RefusedError("it is not paused: pause it, then go step by step")
        self.steps += 1

    def _do_pace(self, _: _Owner, order: Dict[str, Any]) -> None:
        pace, fps = order.get("pace") or self.pace, order.get("fps", self.fps)
        if pace not in ("free", "tick", "turn"):
            raise RefusedError(f"a pace is free, tick or turn, not {pace!r}")
        if fps is not None and not (
            isinstance(fps, (int, float)) and _FPS_BOUNDS[0] <= fps <= _FPS_BOUNDS[1]
        ):
            raise RefusedError(
                f"ticks a second are between {_FPS_BOUNDS[0]} and {_FPS_BOUNDS[1]:,.0f}, not {fps!r}"
            )
        self.pace = pace
        self.fps = None if pace == "free" else self._usual_fps if fps is None and pace == "tick" else fps

    def _do_reset(self, _: _Owner, order: Dict[str, Any]) -> None:
        self._may_cut("reset")
        seed = order.get("seed")
        if seed is not None and (not isinstance(seed, int) or not 0 <= seed < 1 << 32):
            raise RefusedError(f"a seed is a whole number from 0 to 4294967295, not {seed!r}")
        self.cut = Cut(seed=seed)

    def _do_quit(self, _: _Owner, __: Dict[str, Any]) -> None:
        self._may_cut("quit")
        self.cut = Cut(quit=True)

    def _may_cut(self, do: str) -> None:
        if do not in self._cuts:
            raise RefusedError(f"its episodes are what was asked for: there is no {do} here, only a stop")

    def _do_deploy(self, _: _Owner, order: Dict[str, Any]) -> None:
        hand = self._hand(order)
        told = order.get("seat")
        if self._deploy is None:
            raise RefusedError("the seats of this run are fixed: an operator is put into a seat of a session")
        if not isinstance(told, dict) or not isinstance(told.get("kind"), str) or not told.get("name"):
            raise RefusedError("say who: an operator as `kind`, `name` and what its kind needs")
        if hand.loading:
            raise RefusedError(f"{hand.loading} is being made ready for this seat; wait for it")
        hand.trouble = ""
        try:
            self._deploy(hand, told)
        except OperatorError as error:
            raise RefusedError(str(error)) from None

    # ---- what clients are told ----

    def now(self, client: int) -> Dict[str, Any]:
        """How it stands, for one client: `mosaic.protocol.hands.Now`."""
        return {
            "type": "now",
            "seats": [_told(hand, client) for hand in self.hands.values()],
            "pace": self.pace,
            "fps": self.fps,
            "paused": self.paused,
            "episode": self.episode,
            "episodes": self.episodes,
            "seed": self.seed,
            "tick": max(self.tick, 0),
        }


def _told(hand: Hand, client: int) -> Dict[str, Any]:
    found: Dict[str, Any] = {
        "actor": str(hand.actor),
        "operator": hand.operator,
        "by": (PERSON if hand.person else hand.operator) if hand.owner is None else hand.owner.name,
        "step": hand.step,  # those whose outcome is known, and so are in the record
        "returned": float(hand.returned),
    }
    told = {
        "mine": hand.owner is not None and hand.owner.client == client,
        "waits": hand.waits,
        "over": hand.over,
        "legal": hand.legal(),
        "held": None if hand.held is NOTHING else hand.held,
        "loading": hand.loading,
        "trouble": hand.trouble,
        "known": hand.known,
    }
    found.update(
        (name, value)
        for name, value in told.items()
        if not (value is None or value is False or (isinstance(value, str) and not value))
    )
    return found
