"""What is there, not pixels: a board or a grid in cell units, the areas one can click, and the same in words.

Made in the worker, painted in the workbench, so both import it. Colours are roles (`piece.white`), never
values: a theme chooses. An image is a name of a drawing the painter knows (`knight`), never bytes: it stays
small, takes the theme's colours, looks alike where a font lacks the sign, and there is nothing to decode.

A scene may come from a program nobody knows: the constructor refuses numbers, texts and amounts beyond the
bounds stated here, and whatever is not printable, so that painters need not.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, Type, Union

__all__ = [
    "MOST_BYTES", "MOST_HOT", "MOST_ITEMS", "MOST_LETTERS", "MOST_SAID", "MOST_SIDE", "Box", "Disc", "Hot",
    "Image", "Item", "Line", "Rect", "Scene", "SceneError", "Text", "decode", "encode", "printable",
]  # fmt: skip

MOST_SIDE = 256
"""Cells of a side. Items may reach beyond the scene by as much."""
MOST_ITEMS, MOST_HOT = 8192, 4096
MOST_LETTERS = 200
"""Letters of a label, a reason, a name or a text item."""
MOST_SAID = 2000
"""Letters of `says`, and of a line of `text`; lines of `text` are as many as twice `MOST_SIDE`."""
MOST_BYTES = 1 << 20
"""Of an encoded scene."""

_ROLE = re.compile(r"[a-z][a-z0-9]*(?:\.[a-z0-9]+){0,3}\Z")
_MOST_ROLE = 32
_MOST_ACTION = 1 << 31

Box = Tuple[float, float, float, float]
"""Left, top, width, height."""


class SceneError(ValueError):
    """What was to be a scene is none, and why."""


class Rect(NamedTuple):
    """A rectangle; `round` is the radius of its corners. An empty role paints nothing."""

    x: float
    y: float
    w: float
    h: float
    fill: str = ""
    stroke: str = ""
    width: float = 0.04
    round: float = 0.0
    alpha: float = 1.0


class Disc(NamedTuple):
    """A disc around (x, y), or a ring when it has no fill."""

    x: float
    y: float
    r: float
    fill: str = ""
    stroke: str = ""
    width: float = 0.04
    alpha: float = 1.0


class Line(NamedTuple):
    """A line with round ends."""

    x: float
    y: float
    x2: float
    y2: float
    stroke: str
    width: float = 0.04
    alpha: float = 1.0


class Text(NamedTuple):
    """A line of text, centred on (x, y); `size` is its height."""

    x: float
    y: float
    size: float
    text: str
    fill: str = "ink"
    bold: bool = False
    alpha: float = 1.0


class Image(NamedTuple):
    """A drawing by name in a square of `size` around (x, y), turned clockwise by quarters."""

    x: float
    y: float
    size: float
    name: str
    fill: str = "ink"
    stroke: str = ""
    turn: int = 0
    alpha: float = 1.0


Item = Union[Rect, Disc, Line, Text, Image]


class Hot(NamedTuple):
    """An area that means something to a click. Of several at a point, those listed later are above.

    With `action` it is a legal move, without it `why` says why it is none. With `to` the move is made from
    this area to that one; `choice` tells apart what has the same two areas (a promotion). `mark` is drawn
    while the area is pointed at.
    """

    x: float
    y: float
    w: float
    h: float
    action: Optional[int] = None
    label: str = ""
    why: str = ""
    to: Optional[Box] = None
    choice: str = ""
    mark: Optional[Item] = None


@dataclass(frozen=True)
class Scene:
    """One moment of an environment.

    Args:
        width: cells, above 0 and at most `MOST_SIDE`; `height` alike.
        items: what is drawn, the first at the bottom; at most `MOST_ITEMS`.
        hot: what can be clicked; at most `MOST_HOT`.
        says: the scene in sentences, for people who hear it; at most `MOST_SAID` letters.
        text: the scene as lines of characters, for terminals.
        turn: the agent that decides now; empty where there is one, or the game is over.
    """

    width: float
    height: float
    items: Tuple[Item, ...] = ()
    hot: Tuple[Hot, ...] = ()
    says: str = ""
    text: Tuple[str, ...] = ()
    turn: str = ""

    def __post_init__(self) -> None:
        for side in (self.width, self.height):
            _size(side)
            if not side > 0:
                raise SceneError(f"a scene of {self.width} by {self.height} cells is empty")
        _check_amount(self.items, "items", MOST_ITEMS)
        _check_amount(self.hot, "hot areas", MOST_HOT)
        _check_amount(self.text, "lines of text", 2 * MOST_SIDE)
        for item in self.items:
            _check_item(item)
        for hot in self.hot:
            _check_hot(hot)
        _words(self.says, MOST_SAID)
        _words(self.turn)
        for line in self.text:
            _words(line, MOST_SAID)


def printable(text: object, most: int = MOST_LETTERS) -> str:
    """A text as a scene may hold it: one line, no control characters, cut when it is too long."""
    shown = "".join(letter if letter.isprintable() else " " for letter in str(text)[: most + 1])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


# The same as JSON: a list per item, its kind first, without what is as by default.

_KINDS: Dict[str, Type[Any]] = {"r": Rect, "d": Disc, "l": Line, "t": Text, "i": Image}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}
_VERSION = 1


def encode(scene: Scene) -> bytes:
    """A scene as compact JSON."""
    whole: Dict[str, Any] = {"v": _VERSION, "w": scene.width, "h": scene.height}
    if scene.items:
        whole["items"] = [_listed(item) for item in scene.items]
    if scene.hot:
        whole["hot"] = [
            _trimmed(hot if hot.mark is None else hot._replace(mark=_listed(hot.mark)))  # type: ignore[arg-type]
            for hot in scene.hot
        ]
    for name in ("says", "text", "turn"):
        if getattr(scene, name):
            whole[name] = getattr(scene, name)
    data = json.dumps(whole, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    if len(data) > MOST_BYTES:
        raise SceneError(f"a scene of {len(data)} bytes; the most is {MOST_BYTES}")
    return data


def decode(data: bytes) -> Scene:
    """A scene from its JSON.

    Raises:
        SceneError: it is none, or beyond the bounds.
    """
    if len(data) > MOST_BYTES:
        raise SceneError(f"a scene of {len(data)} bytes; the most is {MOST_BYTES}")
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SceneError(f"a scene is not JSON: {bytes(data[:60])!r}") from error
    if not isinstance(whole, dict) or whole.get("v") != _VERSION:
        raise SceneError(f"not a scene of version {_VERSION}: {bytes(data[:60])!r}")
    return Scene(
        width=whole.get("w"),  # type: ignore[arg-type]  # the constructor looks
        height=whole.get("h"),  # type: ignore[arg-type]
        items=tuple(_item(one) for one in _list(whole, "items", MOST_ITEMS)),
        hot=tuple(_hot(one) for one in _list(whole, "hot", MOST_HOT)),
        says=whole.get("says", ""),
        text=tuple(_list(whole, "text", 2 * MOST_SIDE)),
        turn=whole.get("turn", ""),
    )


def _trimmed(values: Any) -> list[Any]:
    """The values without the last ones that are as by default."""
    fields, defaults = values._fields, values._field_defaults
    count = len(fields)
    while count and fields[count - 1] in defaults and values[count - 1] == defaults[fields[count - 1]]:
        count -= 1
    return list(values[:count])


def _listed(item: Item) -> list[Any]:
    return [_LETTERS[type(item)], *_trimmed(item)]


def _list(whole: Dict[str, Any], name: str, most: int) -> list[Any]:
    found = whole.get(name, [])
    if not isinstance(found, list) or len(found) > most:
        raise SceneError(f"{name} of a scene is a list of at most {most}")
    return found


def _item(values: Any) -> Item:
    if not isinstance(values, list) or not values or not isinstance(values[0], str):
        raise SceneError(f"an item is a list that begins with its kind, got {str(values)[:60]}")
    kind = _KINDS.get(values[0])
    if kind is None:
        raise SceneError(f"no kind of item: {values[0][:20]!r}; there are {', '.join(_KINDS)}")
    return _made(kind, values[1:])  # type: ignore[no-any-return]


def _hot(values: Any) -> Hot:
    if not isinstance(values, list):
        raise SceneError(f"a hot area is a list, got {str(values)[:60]}")
    hot: Hot = _made(Hot, values)
    to = tuple(hot.to) if isinstance(hot.to, list) else hot.to
    return hot._replace(to=to, mark=None if hot.mark is None else _item(hot.mark))


def _made(kind: Any, values: list[Any]) -> Any:
    try:
        return kind(*values)
    except TypeError as error:
        raise SceneError(f"a {kind.__name__.lower()} has other fields than {str(values)[:60]}") from error


# The bounds.


def _check_item(item: Item) -> None:
    checks = _CHECKS.get(type(item))
    if checks is None:
        raise SceneError(f"not an item of a scene: {str(item)[:60]}")
    for field, value in enumerate(item):
        checks[field](value)


@functools.lru_cache(maxsize=256)  # a scene has few roles, each of them often
def _role(value: Any) -> None:
    if value != "" and not (isinstance(value, str) and len(value) <= _MOST_ROLE and _ROLE.match(value)):
        raise SceneError(f"a colour is a role such as piece.white, got {str(value)[:40]!r}")


def _colour(value: Any) -> None:
    _role(value if isinstance(value, str) else None)


def _coordinate(value: Any) -> None:
    if type(value) not in _NUMBERS or not -MOST_SIDE <= value <= 2 * MOST_SIDE:  # NaN is not between
        raise SceneError(f"a coordinate is from {-MOST_SIDE} to {2 * MOST_SIDE}, got {str(value)[:40]}")


def _size(value: Any) -> None:
    if type(value) not in _NUMBERS or not 0 <= value <= MOST_SIDE:
        raise SceneError(f"a size is from 0 to {MOST_SIDE}, got {str(value)[:40]}")


def _alpha(value: Any) -> None:
    if type(value) not in _NUMBERS or not 0 <= value <= 1:
        raise SceneError(f"alpha is from 0 to 1, got {str(value)[:40]}")


def _quarters(value: Any) -> None:
    if type(value) is not int or not 0 <= value <= 3:
        raise SceneError(f"an image is turned by 0 to 3 quarters, got {str(value)[:40]}")


def _flag(value: Any) -> None:
    if type(value) is not bool:
        raise SceneError(f"bold is true or false, got {str(value)[:40]}")


def _words(value: Any, most: int = MOST_LETTERS) -> None:
    if type(value) is not str or len(value) > most or not value.isprintable():
        raise SceneError(f"a scene's texts are printable, of at most {most} letters; got {str(value)[:40]!r}")


_NUMBERS = (int, float)
_FIELDS: Dict[str, Callable[[Any], None]] = {
    "x": _coordinate, "y": _coordinate, "x2": _coordinate, "y2": _coordinate,
    "w": _size, "h": _size, "r": _size, "size": _size, "width": _size, "round": _size,
    "fill": _colour, "stroke": _colour, "text": _words, "name": _words,
    "alpha": _alpha, "turn": _quarters, "bold": _flag,
}  # fmt: skip
_CHECKS = {kind: tuple(_FIELDS[field] for field in kind._fields) for kind in _LETTERS}


def _check_hot(hot: Hot) -> None:
    if type(hot) is not Hot:
        raise SceneError(f"not a hot area: {str(hot)[:60]}")
    _check_box(hot[:4])
    if hot.to is not None:
        if type(hot.to) is not tuple or len(hot.to) != 4:
            raise SceneError(f"where a move goes to is left, top, width, height; got {str(hot.to)[:60]}")
        _check_box(hot.to)
    if hot.action is None:
        if not hot.why:
            raise SceneError(f"a hot area without an action says why: {str(hot)[:60]}")
    elif type(hot.action) is not int or not 0 <= hot.action < _MOST_ACTION:
        raise SceneError(f"an action is a whole number from 0, got {str(hot.action)[:40]}")
    _words(hot.label)
    _words(hot.why)
    _words(hot.choice)
    if hot.mark is not None:
        _check_item(hot.mark)


def _check_box(box: Box) -> None:
    _coordinate(box[0])
    _coordinate(box[1])
    _size(box[2])
    _size(box[3])


def _check_amount(value: Any, name: str, most: int) -> None:
    if type(value) is not tuple or len(value) > most:
        raise SceneError(f"the {name} of a scene are a tuple of at most {most}")
