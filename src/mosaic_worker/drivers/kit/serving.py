"""A driver as an operator in somebody's session: it loads a policy once, then answers with its decisions.

The session runs in another interpreter, with the environment; this one has the framework. The other side is
`mosaic_worker.operators.remote.Framed`. What the framework prints goes to stderr.
"""

from __future__ import annotations

import math
import signal
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from mosaic_worker.common import wire
from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.operators import Operator, Seat
from mosaic_worker.parcels import pack, unpack
from mosaic_worker.standard_files import taken

__all__ = ["Surroundings", "serve"]

_LARGEST_FLOAT32 = 3.4e38


class Surroundings(NamedTuple):
    """Where the policy will sit, as the session tells it."""

    env: str
    spaces: Dict[str, Any]
    """`observation` and `action`, as `session.fitting.described` writes them; None where nobody says."""

    def start(self, name: str) -> int:
        """The first value of a Discrete space."""
        return int((self.spaces.get(name) or {}).get("start", 0))

    def check(self, *, trained_on: str, spaces: Mapping[str, Any]) -> None:
        """Refuse a seat the policy was not made for.

        Args:
            trained_on: the environment it was trained on, if that is known.
            spaces: its spaces, as `described` writes them; or only their texts.

        Raises:
            Refused: says which space differs, and which environment would fit.
        """
        for name, here in self.spaces.items():
            trained = spaces.get(name)
            if trained and here and not same(here, trained):
                own = trained if isinstance(trained, str) else trained["text"]
                raise Refused(
                    f"the checkpoint does not fit {self.env}: the {name} space there is {here['text']}, the "
                    f"policy was trained on {trained_on or 'an environment'} with {_plain(own)}. Play "
                    f"{trained_on or 'that one'} instead, or choose another checkpoint"
                )


def same(one: Mapping[str, Any], other: Any) -> bool:
    """Whether two spaces are the same: by what they hold, or where only a text is known by that.

    Bounds are compared as numbers: their texts differ from one version of numpy to the next.
    """
    if isinstance(other, str):
        return _plain(str(one["text"])) == _plain(other)
    if one.get("kind") != other.get("kind"):
        return False  # first: bounds of another kind of space are not comparable
    for name in (one.keys() | other.keys()) - {"text", "kind"}:
        mine, theirs = one.get(name), other.get(name)
        if name == "spaces" and mine and theirs:
            pairs = _pairs(mine, theirs)
            if pairs is None or not all(same(*pair) for pair in pairs):
                return False
        elif name in ("low", "high"):
            if not _near(mine, theirs):
                return False
        elif mine != theirs:
            return False
    return True


def _pairs(mine: Any, theirs: Any) -> Optional[List[Tuple[Any, Any]]]:
    """The parts of two spaces side by side; None when they have different parts."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return [(mine[key], theirs[key]) for key in mine] if mine.keys() == theirs.keys() else None
    return list(zip(mine, theirs)) if len(mine) == len(theirs) else None  # noqa: B905  (3.8 has no strict)


def _near(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, list) or isinstance(theirs, list):  # of large spaces no bounds are told
        several = isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs)
        return several and all(map(_near, mine, theirs))
    if _boundless(mine) or _boundless(theirs):
        return _boundless(mine) and _boundless(theirs)
    return math.isclose(mine, theirs, rel_tol=1e-6)


def _boundless(bound: Any) -> bool:
    """Whether a bound is none: some versions of an environment write the largest float instead."""
    return bound is None or abs(bound) >= _LARGEST_FLOAT32


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("[ ", "[")


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
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # a stop is for the session, which then ends our input
    asked, answers = taken()
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
    told = {name: message.get(f"{name}_space") for name in ("observation", "action")}
    return Surroundings(str(message.get("env", "")), told)
