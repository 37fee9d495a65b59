"""A driver as an operator in somebody's session: it loads a policy once, then answers with its decisions.

The session runs in another interpreter, with the environment; this one has the framework. The other side is
`mosaic_worker.operators.remote.Framed`. What the framework prints goes to stderr.
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

from mosaic_worker.common import wire
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.operators import Operator, Seat
from mosaic_worker.parcels import pack, unpack

__all__ = ["Surroundings", "serve"]


class Surroundings(NamedTuple):
    """Where the policy will sit, as the session tells it."""

    env: str
    spaces: Dict[str, str]
    """`observation` and `action`, as Gymnasium writes them; empty where it does not say."""
    starts: Dict[str, int]
    """The first value of those that are Discrete."""

    def check(self, *, trained_on: str, spaces: Dict[str, str]) -> None:
        """Refuse a seat the policy was not made for.

        Raises:
            Refused: says which space differs, and which environment would fit.
        """
        for name, here in self.spaces.items():
            expected = spaces.get(name)
            if expected and here and expected != here:
                raise Refused(
                    f"the checkpoint does not fit {self.env}: its {name} space is {here}, the policy was "
                    f"trained on {trained_on or 'an environment'} with {expected}. Play "
                    f"{trained_on or 'that one'} instead, or choose another checkpoint"
                )


class _Served:
    """A view that came over the wire: what `mosaic_worker.session.view.View` offers a policy."""

    __slots__ = ("actor", "info", "mask", "observation", "refused", "returned", "step")

    def __init__(self, actor: str, message: Dict[str, Any], body: bytes) -> None:
        self.actor = actor
        self.observation, self.mask = unpack(message["view"], body)
        self.info: Dict[str, Any] = {}
        self.step = message["step"]
        self.returned = message["return"]
        self.refused: Tuple[Any, ...] = ()


def serve(words: Words, load: Callable[[Words, Surroundings], Operator]) -> int:
    """Load a policy and answer until the session has no more questions.

    Args:
        words: the job; its checkpoint is what `load` opens.
        load: makes the operator; may raise `Refused`, whose text the session shows.
    """
    asked = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a print would break the wire
    operator: Optional[Operator] = None
    actor = ""
    while True:
        found = wire.read(asked)
        if found is None:
            return 0
        message, body = found
        ask = message.get("ask")
        try:
            if ask == "open":
                operator = load(words, _surroundings(message))
                wire.write(answers, {"ready": True})
            elif operator is None:
                return 2  # no session asks before it opens
            elif ask == "begin":
                actor = str(message.get("actor", ""))
                operator.begin(Seat(actor, None, message.get("seed")))
            elif ask == "act":
                choice = operator.act(_Served(actor, message, body))  # type: ignore[arg-type]  # offers the same
                action, head = pack({"action": choice.action, "data": choice.data})
                wire.write(answers, {"id": message["id"], **action}, head)
        except Refused as error:
            wire.write(answers, {"error": str(error)})
            return 2


def _surroundings(message: Dict[str, Any]) -> Surroundings:
    told = {name: message.get(f"{name}_space") or {} for name in ("observation", "action")}
    return Surroundings(
        str(message.get("env", "")),
        {name: str(space.get("text", "")) for name, space in told.items()},
        {name: int(space.get("start", 0)) for name, space in told.items()},
    )
