"""The drawings an image names: chess pieces and signs, as outlines in a square of 100 by 100. Pure.

Outlines are written as SVG writes paths, with M L C Q Z in absolute numbers, and flattened to polygons once.
Drawn by us rather than taken from a font, so that they look alike everywhere; the letter beside each stands
for it in a terminal. A name that is not here is drawn as its first letter.
"""

from __future__ import annotations

import functools
import re
from itertools import pairwise
from typing import NamedTuple

__all__ = ["DRAWINGS", "Drawing", "Part", "parts_of"]

_BASE = "M24 88 L76 88 L76 82 Q76 77 71 77 L29 77 Q24 77 24 82 Z"
_STEPS = 8  # of a curve

Point = tuple[float, float]


class Drawing(NamedTuple):
    """Outlines that are filled and edged, lines drawn over them, and a letter."""

    letter: str
    shapes: tuple[str, ...]
    lines: tuple[str, ...] = ()


class Part(NamedTuple):
    """A polygon in a square from -0.5 to 0.5; an open one is a line."""

    points: tuple[Point, ...]
    closed: bool


def _ball(x: float, y: float, r: float) -> str:
    k = 0.5523 * r
    left, right, top, bottom = x - r, x + r, y - r, y + r
    return (
        f"M{left} {y} C{left} {y - k} {x - k} {top} {x} {top} C{x + k} {top} {right} {y - k} {right} {y} "
        f"C{right} {y + k} {x + k} {bottom} {x} {bottom} C{x - k} {bottom} {left} {y + k} {left} {y} Z"
    )


DRAWINGS: dict[str, Drawing] = {
    "pawn": Drawing("♟", (
        "M50 20 C58 20 63 26 63 33 C63 38 60 42 57 44 L62 44 Q65 47 62 50 L57 50 C58 62 62 70 70 77 L30 77 "
        "C38 70 42 62 43 50 L38 50 Q35 47 38 44 L43 44 C40 42 37 38 37 33 C37 26 42 20 50 20 Z", _BASE)),
    "rook": Drawing("♜", (
        "M27 18 L37 18 L37 25 L45 25 L45 18 L55 18 L55 25 L63 25 L63 18 L73 18 L73 33 L66 40 L67 68 L72 77 "
        "L28 77 L33 68 L34 40 L27 33 Z", _BASE), ("M34 40 L66 40", "M33 67 L67 67")),
    "knight": Drawing("♞", (
        "M75 77 C79 54 73 31 53 23 L52 12 L44 20 L37 13 L36 25 C30 30 27 38 22 46 C19 50 16 54 17 58 "
        "C18 62 21 63 24 62 L24 65 C28 67 31 64 33 60 C38 58 43 57 47 52 C47 60 38 64 34 70 C32 "
        "73 31 75 31 77 Z",
        _BASE), (
        "M57 27 C68 36 71 52 69 71", "M35 37 L38 35", "M22 56 L24 54.5", "M24 62 C27 61 29 60 30 58")),
    "bishop": Drawing("♝", (
        "M50 19 C62 27 69 38 67 47 C66 53 62 57 58 59 L42 59 C38 57 34 53 33 47 C31 38 38 27 50 19 Z",
        _ball(50, 15, 5), "M39 59 L61 59 L61 66 L39 66 Z",
        "M43 66 L57 66 C58 71 63 75 71 77 L29 77 C37 75 42 71 43 66 Z",
        _BASE), ("M50 34 L50 49", "M43 41 L57 41")),
    "queen": Drawing("♛", (
        "M29 68 L20 34 L35 52 L36 26 L45 49 L50 22 L55 49 L64 26 L65 52 L80 34 L71 68 Z",
        "M29 68 C42 64 58 64 71 68 L72 77 L28 77 Z",
        _ball(19, 30, 4.5), _ball(36, 22, 4.5), _ball(50, 17, 4.5),
        _ball(64, 22, 4.5), _ball(81, 30, 4.5), _BASE)),
    "king": Drawing("♚", (
        "M46.5 9 L53.5 9 L53.5 14 L58.5 14 L58.5 20 L53.5 20 L53.5 30 L46.5 30 L46.5 20 L41.5 20 "
        "L41.5 14 L46.5 14 Z",
        "M50 36 C54 28 71 27 77 37 C82 46 75 57 70 66 L70 77 L30 77 L30 66 C25 57 18 46 23 37 C29 "
        "27 46 28 50 36 Z",
        _BASE), ("M50 37 L50 63", "M30 66 C42 62 58 62 70 66")),
    "cross": Drawing("X", (
        "M50 41 L77 14 Q81 11 85 15 Q89 19 86 23 L59 50 L86 77 Q89 81 85 85 Q81 89 77 86 L50 59 "
        "L23 86 Q19 89 15 85 "
        "Q11 81 14 77 L41 50 L14 23 Q11 19 15 15 Q19 11 23 14 Z",)),
    "person": Drawing("@", (_ball(50, 28, 17), "M20 88 C20 62 32 52 50 52 C68 52 80 62 80 88 Z")),
    "arrow": Drawing(">", ("M88 50 L20 84 L34 50 L20 16 Z",)),
    "flag"
    : Drawing("⚑", ("M28 12 L36 12 L36 16 C50 8 62 26 82 16 L82 52 C62 62 50 44 36 52 L36 90 L28 90 Z",)),
    "key": Drawing("k", (
        "M30 32 C40 32 48 39 50 46 L90 46 L90 66 L81 66 L81 56 L73 56 L73 66 L64 66 L64 56 L49 56 "
        "C46 63 39 68 30 68 "
        "C20 68 12 60 12 50 C12 40 20 32 30 32 Z M30 43 C26 43 23 46 23 50 C23 54 26 57 30 57 C34 "
        "57 37 54 37 50 "
        "C37 46 34 43 30 43 Z",)),
    "lock": Drawing("L", (
        "M22 46 L30 46 L30 34 C30 10 70 10 70 34 L70 46 L78 46 L78 90 L22 90 Z M40 46 L60 46 L60 "
        "34 C60 24 40 24 40 34 Z",
    )),
    "car": Drawing("T", (
        "M6 62 C6 52 12 48 22 46 L32 30 Q34 27 38 27 L64 27 Q68 27 70 30 L80 46 C90 48 94 52 94 "
        "62 L94 70 Q94 73 91 73 "
        "L9 73 Q6 73 6 70 Z", _ball(26, 74, 9), _ball(74, 74, 9)), ("M28 46 L75 46", "M51 29 L51 46")),
    "wave": Drawing("~", (
        "M5 50 C16 38 27 38 38 48 C48 57 58 57 70 47 C80 39 88 39 95 44 L95 51 C88 46 82 47 73 54 "
        "C60 64 46 64 34 54 "
        "C25 46 17 47 9 57 Z",)),
}  # fmt: skip


@functools.lru_cache(maxsize=64)  # names come from scenes, which may be anybody's
def parts_of(name: str) -> tuple[tuple[Part, ...], ...]:
    """The shapes of a drawing, each with its holes, then its lines; empty when none has this name."""
    drawing = DRAWINGS.get(name)
    if drawing is None:
        return ()
    return tuple(_flat(path) for path in (*drawing.shapes, *drawing.lines))


def _flat(path: str) -> tuple[Part, ...]:
    found: list[Part] = []
    points: list[Point] = []
    for letter, written in re.findall(r"([MLCQZ])([^MLCQZ]*)", path):
        numbers = [(float(one) - 50) / 100 for one in written.split()]
        given = list(zip(numbers[::2], numbers[1::2], strict=True))
        if letter == "M":
            if points:
                found.append(Part(tuple(points), False))
            points = given
        elif letter == "Z":
            found.append(Part(tuple(points), True))
            points = []
        elif letter == "L":
            points += given
        else:
            points += _curve([points[-1], *given])
    if points:
        found.append(Part(tuple(points), False))
    return tuple(found)


def _curve(control: list[Point]) -> list[Point]:
    """Points of a Bézier curve after its first, by halving between neighbours (de Casteljau)."""
    found = []
    for step in range(1, _STEPS + 1):
        far = step / _STEPS
        points = control
        while len(points) > 1:
            points = [
                (one[0] + (two[0] - one[0]) * far, one[1] + (two[1] - one[1]) * far)
                for one, two in pairwise(points)
            ]
        found.append((round(points[0][0], 4), round(points[0][1], 4)))
    return found
