"""A scene as pixels without a window: the commands every painter draws, drawn by Pillow.

Imports Pillow, an extra: whoever imports this module says what to install. Drawn three times as large and
averaged, so that edges are smooth. The font is DejaVu where it is installed, else Pillow's own.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFont

from mosaic.render.painting import Circle, Fit, Path, Rectangle, Stroke, Words, paint
from mosaic.render.themes import LIGHT, colour_of

if TYPE_CHECKING:
    from mosaic.render.painting import Command
    from mosaic.render.themes import Theme
    from mosaic_worker.common.scene import Scene

__all__ = ["Pixels", "cell_for", "raster"]

_TIMES = 3
_SIDE, _LEAST_CELL, _MOST_CELL = 640, 4, 96


class Pixels(NamedTuple):
    """An image: `rgb` is height x width x 3 bytes."""

    width: int
    height: int
    rgb: bytes


def cell_for(scene: Scene, *, side: int = _SIDE) -> int:
    """How many pixels a cell gets, so that the longer side of the scene is about this long. Even."""
    fitting = int(side / max(scene.width, scene.height))
    return min(max(fitting, _LEAST_CELL), _MOST_CELL) // 2 * 2


def raster(scene: Scene, *, cell: int | None = None, theme: Theme = LIGHT) -> Pixels:
    """The scene with `cell` pixels a cell, or as `cell_for` says."""
    chosen = cell_for(scene) if cell is None else cell
    width, height = max(1, round(scene.width * chosen)), max(1, round(scene.height * chosen))
    ground = colour_of("paper", theme)
    image = Image.new("RGB", (width * _TIMES, height * _TIMES), ground)
    for command in paint(scene, Fit(0.0, 0.0, float(chosen * _TIMES)), theme):
        if command.alpha >= 1:
            _draw(image, command)
        else:  # a shape and its edge fade as one
            drawn = image.copy()
            _draw(drawn, command)
            image = Image.blend(image, drawn, command.alpha)
    small = image.reduce(_TIMES)
    return Pixels(width, height, small.tobytes())


def _draw(image: Any, command: Command) -> None:
    brush = ImageDraw.Draw(image)
    match command:
        case Rectangle(x, y, w, h, fill, stroke, width, radius):
            half = width / 2 if stroke else 0.0
            box = _box(x - half, y - half, x + w + half, y + h + half)
            round_by, edge = radius + half if radius else 0.0, max(1, round(width))
            brush.rounded_rectangle(box, round_by, fill=fill or None, outline=stroke or None, width=edge)
        case Circle(x, y, r, fill, stroke, width):
            far = r + (width / 2 if stroke else 0.0)
            box, edge = _box(x - far, y - far, x + far, y + far), max(1, round(width))
            brush.ellipse(box, fill=fill or None, outline=stroke or None, width=edge)
        case Stroke(x, y, x2, y2, stroke, width):
            _line(brush, [(x, y), (x2, y2)], stroke, width)
        case Path():
            _path(image, brush, command)
        case Words(x, y, size, text, fill, bold):
            brush.text((x, y), text, fill=fill, font=_font(max(1, round(size)), bold), anchor="mm")


def _box(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    # Pillow paints the last column and row of a box too.
    left, top, right, bottom = round(left), round(top), round(right), round(bottom)
    return left, top, max(right - 1, left), max(bottom - 1, top)


def _line(brush: Any, points: list[tuple[float, float]], colour: str, width: float) -> None:
    brush.line(points, fill=colour, width=max(1, round(width)), joint="curve")
    r = width / 2
    if r >= 1:
        for x, y in (points[0], points[-1]):  # Pillow's lines have no round ends
            brush.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def _path(image: Any, brush: Any, path: Path) -> None:
    polygons = [[(path.x + px, path.y + py) for px, py in points] for points in path.outline.polygons]
    if path.fill and path.outline.closed:
        _fill(image, polygons, path.fill)
    if path.stroke:
        for points in polygons:
            closing = [points[0]] if path.outline.closed else []
            _line(brush, points + closing, path.stroke, path.width)


def _fill(image: Any, polygons: list[list[tuple[float, float]]], colour: str) -> None:
    """Fill by even and odd: what lies in two of the polygons is a hole."""
    across, down = ([point[axis] for points in polygons for point in points] for axis in (0, 1))
    left, top = int(min(across)), int(min(down))
    size = int(max(across)) - left + 2, int(max(down)) - top + 2
    inside = Image.new("1", size)
    for points in polygons:
        one = Image.new("1", size)
        ImageDraw.Draw(one).polygon([(x - left, y - top) for x, y in points], fill=1)
        inside = ImageChops.logical_xor(inside, one)
    image.paste(colour, (left, top), inside)


@functools.lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> Any:
    try:
        return ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)
