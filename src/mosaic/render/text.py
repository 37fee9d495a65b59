"""A scene in a terminal: its own lines, or cell by cell in colours. Pure.

Nothing is escaped here: a scene holds no control characters.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from mosaic.render.drawings import DRAWINGS
from mosaic.render.themes import DARK, colour_of
from mosaic_worker.common.scene import Disc, Image, Rect, Text

if TYPE_CHECKING:
    from mosaic.render.themes import Theme
    from mosaic_worker.common.scene import Scene

__all__ = ["coloured", "plain"]

_TURNED = {"arrow": ">v<^"}


class _Cell(NamedTuple):
    ground: str = ""
    letter: str = " "
    ink: str = ""


def plain(scene: Scene) -> str:
    """The scene's own lines; those of its cells where it has none."""
    if scene.text:
        return "\n".join(scene.text)
    return "\n".join("".join(f"{cell.letter} " for cell in row).rstrip() for row in _cells(scene, DARK))


def coloured(scene: Scene, theme: Theme = DARK) -> str:
    """The scene cell by cell, two columns each, in 24-bit colours; every line ends as the terminal was."""
    lines = []
    for row in _cells(scene, theme):
        line = ""
        for cell in row:
            ground = f"\x1b[48;2;{_rgb(cell.ground)}m" if cell.ground else "\x1b[49m"
            ink = f"\x1b[38;2;{_rgb(cell.ink)}m" if cell.ink else "\x1b[39m"
            line += f"{ground}{ink}{cell.letter} "
        lines.append(line + "\x1b[0m")
    return "\n".join(lines)


def _rgb(colour: str) -> str:
    return f"{int(colour[1:3], 16)};{int(colour[3:5], 16)};{int(colour[5:7], 16)}"


def _cells(scene: Scene, theme: Theme) -> list[list[_Cell]]:
    """What lies over the middle of each cell, the uppermost last."""
    width, height = math.ceil(scene.width), math.ceil(scene.height)
    cells = [[_Cell()] * width for _ in range(height)]
    for item in scene.items:
        if isinstance(item, Rect):
            if item.fill and item.alpha >= 0.5:
                colour = colour_of(item.fill, theme)
                for row in _over(item.y, item.h, height):
                    for column in _over(item.x, item.w, width):
                        cells[row][column] = _Cell(colour)
            continue
        column, row = math.floor(item.x), math.floor(item.y)
        if not (0 <= column < width and 0 <= row < height):
            continue
        under = cells[row][column]
        if isinstance(item, Disc) and item.r >= 0.25:
            letter, role = ("●", item.fill) if item.fill else ("○", item.stroke)
            cells[row][column] = under._replace(letter=letter, ink=colour_of(role, theme))
        elif isinstance(item, Image):
            drawing = DRAWINGS.get(item.name)
            letter = drawing.letter if drawing else item.name[:1] or "?"
            letter = _TURNED.get(item.name, letter * 4)[item.turn]
            cells[row][column] = under._replace(letter=letter, ink=colour_of(item.fill, theme))
        elif isinstance(item, Text) and len(item.text) == 1 and item.size >= 0.25:
            cells[row][column] = under._replace(letter=item.text, ink=colour_of(item.fill, theme))
    return cells


def _over(start: float, length: float, most: int) -> range:
    """The cells whose middle lies between."""
    return range(max(0, math.ceil(start - 0.5)), min(most, math.ceil(start + length - 0.5)))
