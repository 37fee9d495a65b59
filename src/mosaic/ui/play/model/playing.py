"""One session as a person sees it, and what their keys and buttons ask of it. Qt-free; opens no socket.

Whoever holds the connection hands over what the session says (`heard`) and the way to say something
(`opened`). What a key means is decided by `mosaic.app.keys`; when it is sent, here: under a tick the action
of the keys that are down whenever that changes, otherwise one action for each press.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mosaic.app import keys as held_keys
from mosaic.protocol.hands import Answer, KeyMap, Now, Offer
from mosaic.protocol.sessions import UNTIL_LEFT
from mosaic.text import count, number
from mosaic.ui.shell.model.signal import Signal
from mosaic_worker.common.hands import PERSON

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mosaic.protocol.hands import Doing, Said, SeatNow

__all__ = ["SPEEDS", "Orders", "Playing", "SeatLine"]

SPEEDS = (1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 240.0)
"""Ticks a second, from slower to faster; beyond the last it goes as fast as it can."""
_MOST_OPEN = 64  # orders without an answer; of older ones nobody is told any more
_ALONE = "agent"  # what an actor without a name is called
_SAID = {
    "take": "Taking over", "give": "Giving back", "act": "The action", "hold": "The action",
    "pause": "Pausing", "go": "Going on", "step": "The step", "pace": "The pace", "reset": "The reset",
    "deploy": "The change", "quit": "Stopping",
}  # fmt: skip


class Orders(Protocol):
    """The way to a session: `mosaic.app.hands.Hands.order`."""

    def __call__(self, do: Doing, **more: Any) -> int:
        """Send one order; the number its answer will bear."""


class SeatLine(NamedTuple):
    """One seat in words."""

    actor: str
    operator: str
    by: str
    step: str
    returned: str
    state: str
    mine: bool


class Playing:
    """A session being played. `changed`: anything shown is another one; `stood`: it told how it stands.

    Args:
        sits: whether a person's own seat is taken as soon as nobody has it.
    """

    def __init__(self, *, sits: bool = True) -> None:
        self.changed: Signal[[]] = Signal()
        self.stood: Signal[[]] = Signal()
        self.taken: Signal[[]] = Signal()
        """A seat has just become ours: the keyboard should go where it is played."""
        self.offer: Offer | None = None
        self.now: Now | None = None
        self.trouble = ""
        """Why the last order was refused, or the connection was lost; kept until the next one is done."""
        self.sliders: dict[int, float] = {}
        """What sliders say of the axes of a continuous action."""
        self._order: Orders | None = None
        self._open: dict[int, str] = {}
        self._held: list[str] = []
        self._sent: Any = None  # what was last asked to be held
        self._left = False  # the keyboard was given back, the seat was not
        self._sits, self._seated = sits, False
        self._actor = ""
        self._keys: dict[str, KeyMap] = {}

    # -- the connection ----------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether there is a session to ask."""
        return self._order is not None

    def opened(self, order: Orders) -> None:
        """A session can be asked from now on."""
        self.closed()
        self._order = order
        self.changed.emit()

    def closed(self, why: str = "") -> None:
        """It cannot be asked any more, for this reason."""
        self.offer = self.now = self._order = None
        self.trouble = why
        self._open.clear()
        self._held.clear()
        self._keys.clear()
        self.sliders = {}
        self._sent, self._left, self._seated, self._actor = None, False, False, ""
        self.changed.emit()

    def heard(self, said: Said) -> None:
        """What the session says."""
        if isinstance(said, Offer):
            self.offer = said
        elif isinstance(said, Answer):
            self._answered(said)
        else:
            self._stands(said)
            return
        self.changed.emit()

    def _answered(self, answer: Answer) -> None:
        what = self._open.pop(answer.id, "")
        if answer.refused:
            self.trouble = f"{_SAID.get(what, 'That')} was refused: {answer.refused}"
            if what == "hold":
                self._sent = None  # it holds nothing of ours
        elif what != "hold":
            self.trouble = ""

    def _stands(self, now: Now) -> None:
        before, self.now = self._mine(), now
        after = self._mine()
        if not self._seated:
            self._seated = True
            for seat in now.seats if self._sits else ():
                if seat.operator == seat.by == PERSON and not seat.mine:  # and nobody sits there
                    self._send(do="take", actor=seat.actor)
        if after and not before:
            self._left = False
        if not after:
            self._held.clear()
            self._sent = None
        self.stood.emit()  # before the rest: the frame is what is waited for
        self.changed.emit()
        if after and not before:
            self.taken.emit()

    # -- seats -------------------------------------------------------------------------------------

    def _mine(self) -> list[SeatNow]:
        return [] if self.now is None else [seat for seat in self.now.seats if seat.mine]

    @property
    def seat(self) -> SeatNow | None:
        """The seat that keys and clicks are for: of ours the one whose turn it is, else the chosen one."""
        mine = self._mine()
        waiting = [seat for seat in mine if seat.waits]
        chosen = [seat for seat in mine if seat.actor == self._actor]
        return next(iter([*waiting, *chosen, *mine]), None)

    @property
    def target(self) -> SeatNow | None:
        """The seat that would be taken over, or given back."""
        seats = [] if self.now is None else self.now.seats
        chosen = [seat for seat in seats if seat.actor == self._actor]
        return self.seat or next(iter([*chosen, *seats]), None)

    def choose(self, actor: str) -> None:
        """Which seat is meant where there are several."""
        self._actor = actor
        self.changed.emit()

    @property
    def seats(self) -> list[SeatLine]:
        """Who sits where, in words."""
        return [] if self.now is None else [_line(seat) for seat in self.now.seats]

    @property
    def waits_for_us(self) -> bool:
        """Whether nothing goes on until we act."""
        return any(seat.waits for seat in self._mine())

    @property
    def captured(self) -> bool:
        """Whether plain keys belong to the environment."""
        return bool(self._mine()) and not self._left

    def allows(self, do: Doing) -> bool:
        """Whether the session obeys this order: evaluations and branches do not know all of them."""
        return self.offer is None or do not in ("reset", "quit", "deploy") or do in self.offer.allowed

    # -- what buttons ask for ----------------------------------------------------------------------

    def take(self, actor: str | None = None) -> None:
        """Sit down in a seat."""
        seat = self.target
        self._left = False
        self._send(do="take", actor=actor or (seat.actor if seat is not None else None))

    def give(self, actor: str | None = None) -> None:
        """Give a seat back to its operator."""
        seat = self.seat
        self.let_go()
        self._send(do="give", actor=actor or (seat.actor if seat is not None else None))

    def toggle_taken(self) -> None:
        """Take over, or give back; a seat that is a person's own is only left, and come back to."""
        seat = self.seat
        if seat is None:
            self.take()
        elif seat.operator != PERSON:
            self.give()
        else:
            self.capture(captured=self._left)

    def leave(self) -> None:
        """Have the keyboard back: gives back what was taken over, and leaves a person's own seat."""
        for seat in self._mine():
            if seat.operator != PERSON:
                self.give(seat.actor)
        self.capture(captured=False)

    def capture(self, *, captured: bool = True) -> None:
        """Whether plain keys go to the environment while a seat is ours."""
        if not captured:
            self.let_go()
        self._left = not captured
        self.changed.emit()
        if self.captured:
            self.taken.emit()

    def pause_or_go(self) -> None:
        """Stand still, or go on."""
        if self.now is not None:
            self._send(do="go" if self.now.paused else "pause")

    def step(self) -> None:
        """One step; what goes on is paused first."""
        if self.now is not None:
            if not self.now.paused:
                self._send(do="pause")
            self._send(do="step")

    def reset(self, seed: int | None = None) -> None:
        """Cut this episode and begin anew."""
        self._send(do="reset", **({} if seed is None else {"seed": seed}))

    def deploy(self, seat: Mapping[str, Any], *, actor: str | None = None) -> None:
        """Put another operator into a seat: `mosaic.app.playing.seat_for` says how one is described."""
        self._send(do="deploy", actor=actor, seat=seat)

    def quit(self) -> None:
        """End the session."""
        self._send(do="quit")

    def set_pace(self, pace: str, fps: float | None = None) -> None:
        """As fast as it goes, at a tick, or turn by turn."""
        if pace == "tick":
            told = self.now.fps if self.now is not None else None
            offered = self.offer.render_fps if self.offer is not None else None
            fps = fps or told or offered or 30.0
        self._send(do="pace", pace=pace, **({"fps": fps} if pace == "tick" else {}))

    def faster(self) -> None:
        """The next speed; beyond the last as fast as it goes."""
        now = self.now
        if now is None or now.pace == "free":
            return
        above = [speed for speed in SPEEDS if speed > (now.fps or 0.0)]
        if now.pace == "tick" and not above:
            self.set_pace("free")
        else:
            self.set_pace("tick", above[0] if now.pace == "tick" else now.fps)

    def slower(self) -> None:
        """The speed before; what goes as fast as it can is slowed down to the last one."""
        now = self.now
        if now is None or now.pace == "turn":
            return
        below = [speed for speed in SPEEDS if now.pace == "free" or speed < (now.fps or 0.0)]
        if below:
            self.set_pace("tick", below[-1])

    # -- keys and clicks ---------------------------------------------------------------------------

    def keys_of(self, actor: str) -> KeyMap:
        """The keys of an actor: as they were changed here, else as the session offers them."""
        offered = {} if self.offer is None else self.offer.keys
        return self._keys.get(actor) or offered.get(actor) or KeyMap()

    @property
    def keys(self) -> KeyMap:
        """The keys on screen."""
        seat = self.target
        return KeyMap() if seat is None else self.keys_of(seat.actor)

    @property
    def space(self) -> Mapping[str, Any] | None:
        """The action space of the seat that keys are for, as the session describes it."""
        seat = self.target
        return None if seat is None or self.offer is None else self.offer.spaces.get(seat.actor)

    def set_keys(self, keys: KeyMap) -> None:
        """Other keys from now on, for every actor that has the same ones."""
        before = self.keys
        for actor in {} if self.offer is None else self.offer.keys:
            if self.keys_of(actor) == before:
                self._keys[actor] = keys
        self.let_go()
        self.changed.emit()

    def forget_keys(self) -> None:
        """The session's own keys again."""
        self._keys.clear()
        self.let_go()
        self.changed.emit()

    def wants(self, key: str) -> bool:
        """Whether the environment knows this key."""
        return key in held_keys.used(self.keys)

    def press(self, key: str) -> None:
        """A key went down. Keys that repeat by themselves are not pressed again."""
        if key in self._held:
            return
        self._held.append(key)
        self._mean(newest=key)

    def release(self, key: str) -> None:
        """A key went up."""
        if key in self._held:
            self._held.remove(key)
            self._mean()

    def let_go(self) -> None:
        """Nobody is at the keyboard any more: every key counts as released."""
        if self._held:
            self._held.clear()
            self._mean()

    @property
    def held(self) -> tuple[str, ...]:
        """The keys that are down, oldest first."""
        return tuple(self._held)

    def slide(self, axis: int, value: float) -> None:
        """A slider says this of one number of the action."""
        self.sliders[axis] = value
        self._mean()
        self.changed.emit()

    def send_sliders(self) -> None:
        """Without a tick: do what the sliders say."""
        seat = self.seat
        if seat is not None:
            told = self.sliders or {axis.at: axis.within(0.0) for axis in held_keys.axes_of(self.space)}
            self.act(held_keys.action_of(self.keys, self._held, space=self.space, lent=told))

    def act(self, action: Any, *, step: int | None = None) -> None:
        """Do this once, in our seat; what is not legal now is not sent, and says why."""
        seat = self.seat
        if seat is None:
            self._refuse("Take over first (T): the seat is not yours.")
            return
        if seat.legal is not None and action not in seat.legal:
            keys = self.keys_of(seat.actor)
            legal = ", ".join(held_keys.name_of(one, keys) for one in seat.legal[:12])
            more = " and more" if len(seat.legal) > 12 else ""
            self._refuse(f"{held_keys.name_of(action, keys)} is not legal now. Legal: {legal}{more}.")
            return
        self._send(do="act", actor=seat.actor, action=action, **({} if step is None else {"step": step}))

    def clicked(self, action: Any) -> None:
        """A click on the scene means this action; it is for the step that is on screen."""
        seat = self.seat
        if seat is None:
            self._refuse("Take over first (T): the seat is not yours.")
        elif self.now is not None and self.now.pace != "tick" and not seat.waits:
            turn = next((one.actor for one in self.now.seats if one.waits), "")
            self._refuse(f"It is not your turn{f': {turn} is asked' if turn else ''}.")
        else:
            self.act(action, step=seat.step)

    def missed(self, why: str) -> None:
        """A click was no move, for this reason."""
        self._refuse(why)

    def _mean(self, *, newest: str | None = None) -> None:
        """Tell the session what the held keys mean now."""
        seat = self.seat
        if seat is None or self.now is None:
            return
        keys, space = self.keys_of(seat.actor), self.space
        if self.now.pace != "tick":
            if newest is not None:
                action = held_keys.action_of(keys, self._held, space=space, newest=newest, lent=self.sliders)
                if action is not None:
                    self.act(action)
            return
        action = held_keys.action_of(keys, self._held, space=space, lent=self.sliders)
        if action != self._sent:
            self._sent = action
            self._send(do="hold", actor=seat.actor, action=action)

    def _refuse(self, why: str) -> None:
        self.trouble = why
        self.changed.emit()

    def _send(self, *, do: Doing, **words: Any) -> None:
        if self._order is None:
            return
        try:
            number_of_it = self._order(
                do=do, **{key: word for key, word in words.items() if word is not None}
            )
        except OSError as error:
            self.trouble = f"{_SAID[do]} could not be sent: {error}"
            self.changed.emit()
            return
        self._open[number_of_it] = do
        while len(self._open) > _MOST_OPEN:
            del self._open[next(iter(self._open))]

    # -- in words ----------------------------------------------------------------------------------

    @property
    def pace_said(self) -> str:
        """How fast it goes."""
        now = self.now
        if now is None:
            return ""
        if now.pace == "tick":
            return f"{now.fps:g} steps/s" if now.fps else "at a tick"
        return "turn by turn" if now.pace == "turn" else "as fast as it goes"

    @property
    def headline(self) -> str:
        """Where the session stands."""
        now, offer = self.now, self.offer
        if now is None or offer is None:
            return "Connecting to the session…"
        parts = [
            offer.env_id,
            f"episode {count(now.episode + 1)}"
            + (f" of {count(now.episodes)}" if now.episodes < UNTIL_LEFT else ""),
            f"seed {now.seed}",
            f"step {count(now.tick)}",
            "paused" if now.paused else self.pace_said,
        ]
        return " · ".join(parts)

    @property
    def badge(self) -> str:
        """Whose the keyboard is; empty while nothing of it is ours."""
        if self.captured:
            seat = self.seat
            back = "leaves" if seat is not None and seat.operator == PERSON else "gives back"
            return f"Keyboard captured: Esc {back}"
        return "Keyboard released: T plays on" if self._mine() else ""


def _line(seat: SeatNow) -> SeatLine:
    if seat.trouble:
        state = seat.trouble
    elif seat.loading:
        state = f"{seat.loading} is being loaded"
    elif seat.over:
        state = "over"
    elif seat.waits:
        state = "waits for you" if seat.mine else "waits for a person"
    else:
        state = ""
    by = "you" if seat.mine else seat.by
    return SeatLine(
        seat.actor or _ALONE, seat.operator, by, count(seat.step), number(seat.returned), state, seat.mine
    )
