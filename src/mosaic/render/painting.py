"""A scene as drawing commands in pixels, in a theme's colours: what every painter draws, none knowing a game.

Pure. A scene is within its bounds already; here the size is: at most `MOST_PIXELS` a side.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mosaic.render.drawings import parts_of
from mosaic.render.themes import Theme, colour_of
from mosaic_worker.common.scene import Hot, Image, Item, Line, Rect, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic_worker.common.scene import Box, Scene

__all__ = [
    "MOST_PIXELS", "Circle", "Command", "Fit", "Outline", "Path", "Rectangle", "Stroke", "Words", "fit",
    "focus_on", "marks_of", "paint",
]  # fmt: skip

MOST_PIXELS = 16_384
_WHOLE_FROM = 6.0  # from this many pixels a cell on, cells are whole pixels: lines stay sharp, seams closed
_EDGE = 0.022  # of an image's size: the width of its edge


class Rectangle(NamedTuple):
    """Empty colours paint nothing; widths and radii are pixels. So in all of them."""

    x: float
    y: float
    w: float
    h: float
    fill: str
    stroke: str
    width: float
    radius: float
    alpha: float


class Circle(NamedTuple):
    """A disc or a ring."""

    x: float
    y: float
    r: float
    fill: str
    stroke: str
    width: float
    alpha: float


class Stroke(NamedTuple):
    """A line with round ends."""

    x: float
    y: float
    x2: float
    y2: float
    stroke: str
    width: float
    alpha: float


@dataclass(frozen=True, eq=False)
class Outline:
    """Polygons filled together by the even-odd rule, so that one inside another is a hole; or open lines.

    Made once for each size and shared by all commands that draw it: painters keep what they make of it.
    """

    polygons: tuple[tuple[tuple[float, float], ...], ...]
    closed: bool


class Path(NamedTuple):
    """An outline around (x, y)."""

    x: float
    y: float
    outline: Outline
    fill: str
    stroke: str
    width: float
    alpha: float


class Words(NamedTuple):
    """A line of text centred on (x, y), `size` pixels high."""

    x: float
    y: float
    size: float
    text: str
    fill: str
    bold: bool
    alpha: float


Command = Rectangle | Circle | Stroke | Path | Words


@dataclass(frozen=True)
class Fit:
    """Where a scene lies: its top left corner, and how many pixels a cell has."""

    left: float
    top: float
    cell: float

    def cells(self, x: float, y: float) -> tuple[float, float]:
        """Pixels as cells."""
        return (x - self.left) / self.cell, (y - self.top) / self.cell

    def pixels(self, box: Box) -> Box:
        """An area of cells in pixels."""
        return (
            self.left + box[0] * self.cell,
            self.top + box[1] * self.cell,
            box[2] * self.cell,
            box[3] * self.cell,
        )


def fit(scene: Scene, width: float, height: float, *, margin: float = 0.0, ratio: float = 1.0) -> Fit:
    """The largest a scene can be in this room, in its middle, with its own proportions.

    A screen has `ratio` real pixels to each pixel.
    """
    width, height = (min(max(_finite(side), 1.0), MOST_PIXELS) for side in (width, height))
    room = max(width - 2 * margin, 1.0), max(height - 2 * margin, 1.0)
    cell = min(room[0] / scene.width, room[1] / scene.height)
    if cell * ratio >= _WHOLE_FROM:
        cell = math.floor(cell * ratio) / ratio
    left, top = (width - scene.width * cell) / 2, (height - scene.height * cell) / 2
    return Fit(round(left * ratio) / ratio, round(top * ratio) / ratio, cell)


def paint(scene: Scene, at: Fit, theme: Theme) -> list[Command]:
    """The commands that draw a scene, the first at the bottom."""
    found: list[Command] = []
    for item in scene.items:
        found += _commands(item, at, theme)
    return found


def marks_of(hot: Iterable[Hot], at: Fit, theme: Theme) -> list[Command]:
    """The commands that show these areas as moves one can make."""
    found: list[Command] = []
    for one in hot:
        if one.mark is not None:
            found += _commands(one.mark, at, theme)
    return found


def focus_on(box: Box, at: Fit, theme: Theme) -> Rectangle:
    """The frame around an area that the keyboard is on, or a move begins from."""
    x, y, w, h = at.pixels(box)
    width = max(2.0, at.cell * 0.05)
    inset = width / 2
    return Rectangle(
        x + inset,
        y + inset,
        max(w - width, 0.0),
        max(h - width, 0.0),
        "",
        colour_of("focus", theme),
        width,
        width,
        1.0,
    )


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 1.0


def _colour(role: str, theme: Theme) -> str:
    return colour_of(role, theme) if role else ""


def _commands(item: Item, at: Fit, theme: Theme) -> list[Command]:
    cell = at.cell
    x, y = at.left + item.x * cell, at.top + item.y * cell
    if isinstance(item, Image):
        return _image(item, x, y, cell, theme)
    if isinstance(item, Text):
        return _seen(
            Words(x, y, item.size * cell, item.text, _colour(item.fill, theme), item.bold, item.alpha)
        )
    stroke, width = _colour(item.stroke, theme), item.width * cell
    if isinstance(item, Line):
        if not stroke:
            return []
        x2, y2 = at.left + item.x2 * cell, at.top + item.y2 * cell
        return [Stroke(x, y, x2, y2, stroke, max(width, 1.0), item.alpha)]
    fill = _colour(item.fill, theme)
    if isinstance(item, Rect):
        radius = item.round * cell
        return [Rectangle(x, y, item.w * cell, item.h * cell, fill, stroke, width, radius, item.alpha)]
    return [Circle(x, y, item.r * cell, fill, stroke, width, item.alpha)]


def _seen(words: Words) -> list[Command]:
    # Text below a pixel is nothing to see, and a pen without a colour would be a black one.
    return [words] if words.size >= 1 and words.fill else []


def _image(item: Image, x: float, y: float, cell: float, theme: Theme) -> list[Command]:
    size = item.size * cell
    fill, edge = _colour(item.fill, theme), _colour(item.stroke, theme)
    outlines = _outlines(item.name, round(size, 2), item.turn)
    if not outlines:
        return _seen(Words(x, y, size * 0.7, item.name[:1] or "?", fill, False, item.alpha))
    width = size * _EDGE
    over = _line(item, theme) or fill
    return [
        Path(x, y, outline, fill, edge, width if edge else 0.0, item.alpha)
        if outline.closed
        else Path(x, y, outline, "", over, width * 1.2, item.alpha)
        for outline in outlines
    ]


@functools.lru_cache(maxsize=256)  # a scene has some drawings of one or two sizes
def _outlines(name: str, size: float, turn: int) -> tuple[Outline, ...]:
    across, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[turn]
    return tuple(
        Outline(
            tuple(
                tuple(
                    (round(size * (px * across - py * down), 2), round(size * (px * down + py * across), 2))
                    for px, py in part.points
                )
                for part in parts
            ),
            parts[0].closed,
        )
        for parts in parts_of(name)
    )


def _line(item: Image, theme: Theme) -> str:
    """The colour of lines over a shape: `<fill>.line`, or the edge's where the theme has none."""
    own = f"{item.fill}.line"
    return theme[own] if own in theme else _colour(item.stroke, theme)
