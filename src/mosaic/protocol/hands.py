"""What is said between a running session and whoever has a hand in it: a window, a terminal, a script.

JSON lines over `<run>/session.sock`. A client says first who it is: `{"hands": 1, "name": "me"}`. The session
says what it offers (`Offer`) once, how it stands (`Now`) whenever that changes, and answers every order
(`Answer`). Pure data; `mosaic_worker.session.hands` is the other side, in the session's own process.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from mosaic_worker.common.hands import PROTOCOL

__all__ = ["PROTOCOL", "Answer", "Binding", "Doing", "KeyMap", "Now", "Offer", "Order", "Said", "SeatNow"]


Doing = Literal["take", "give", "act", "hold", "pause", "go", "step", "pace", "reset", "deploy", "quit"]
"""What a client may order; see `Order`."""


class Order(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a client asks for. Each is answered, by its id.

    `take` and `give` a seat; `act` once, in a seat that was taken (turn by turn: kept until it is the actor's
    turn, one at most); `hold` an action from now on (under a tick; None lets go); `pause`, `go`, one `step`
    while paused; `pace` with `pace` and `fps`; `reset` cuts the episode and begins anew, with `seed` if it is
    given; `deploy` puts the operator `seat` describes into an actor's seat; `quit` ends the session.
    """

    id: int
    do: Doing
    actor: str | None = None
    """Whose seat; None where the session has only one."""
    action: Any = None
    """As JSON: the session fits it into the actor's space."""
    step: int | None = None
    """With `act`: the step it is meant for; one that has passed by then is refused."""
    pace: Literal["free", "tick", "turn"] | None = None
    fps: float | None = None
    seed: int | None = None
    seat: dict[str, Any] | None = None
    """With `deploy`: a `mosaic.protocol.sessions.Seat`."""


class Binding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What keys mean, held together: an action, or with `axis` a number of a continuous one."""

    keys: list[str]
    """As the desktop writes them: `Left`, `Space`, `A`, `7`."""
    action: Any = None
    name: str = ""
    """For people: `left`, `fire and left`."""
    axis: int | None = None
    """Which number of the action, flattened; each key held adds its `value` to it."""
    value: float = 0.0


class KeyMap(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The keys of one actor."""

    bindings: list[Binding] = []
    rest: Any = None
    """What is done under a tick while no key is held."""
    source: str = ""
    """Where it is from: `yours`, `table`, `environment`, `names`, `axes`, `digits`; empty: there is none."""


class SeatNow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One seat as it stands."""

    actor: str
    operator: str
    """Who sits there, by the name people typed."""
    by: str
    """Who decides now: the operator, or the client that took the seat."""
    mine: bool = False
    """Whether the client that reads this has taken it."""
    waits: bool = False
    """Whether it is the actor's turn, and a person is waited for."""
    step: int = 0
    returned: float = 0.0
    over: bool = False
    legal: list[int] | None = None
    """Of a Discrete space under a mask: the actions allowed now."""
    held: Any = None
    loading: str = ""
    """The operator that is being made ready to take over this seat."""
    trouble: str = ""
    """Why the last one that was to be put here was not."""
    known: dict[str, Any] | None = None
    """What the operator said of its last decision: `probs`, `q`, `value`, `entropy`, `text`."""


class Now(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="now"):
    """How the session stands. Said when it changes; under load the latest only, some times a second."""

    seats: list[SeatNow]
    pace: Literal["free", "tick", "turn"] = "free"
    fps: float | None = None
    paused: bool = False
    episode: int = 0
    """How many have been begun before this one."""
    episodes: int = 1
    """How many are asked for in all."""
    seed: int = 0
    tick: int = 0
    """How often the world was stepped in this episode."""


class Offer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="offer"):
    """What the session is, said once to every client that comes."""

    session: int
    """The number of the protocol."""
    env_id: str
    keys: dict[str, KeyMap]
    """By actor."""
    spaces: dict[str, Any]
    """The action space of each actor, as `mosaic_worker.session.fitting.described` writes it."""
    render_fps: float | None = None
    allowed: list[Doing] = []
    """Which of these orders are obeyed here: an evaluation knows none of them, a branch no reset."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="answer"):
    """To one order."""

    id: int
    refused: str = ""
    """Why it was not done; empty when it was."""


Said = Offer | Now | Answer
"""What a client reads; told apart by `type`."""
