"""What a click means: the hot areas under a point, the move they make, or why there is none. Pure.

Points are in cells; `painting.Fit.cells` makes them of pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mosaic_worker.common.scene import Box, Hot, Scene

__all__ = ["Answer", "areas_at", "beside", "boxes", "ends", "press", "release"]


@dataclass(frozen=True)
class Answer:
    """What a click leads to.

    Args:
        moves: legal moves: one is made, of several one is chosen.
        begun: legal moves that begin here; a second click, or letting go, says where to.
        why: why there is no move, when there is none; empty where nothing is hot.
    """

    moves: tuple[Hot, ...] = ()
    begun: tuple[Hot, ...] = ()
    why: str = ""


def areas_at(scene: Scene, x: float, y: float) -> list[Hot]:
    """The hot areas a point lies in, the uppermost first."""
    return [hot for hot in reversed(scene.hot) if _inside(hot[:4], x, y)]


def press(scene: Scene, x: float, y: float) -> Answer:
    """What a click here does."""
    found = areas_at(scene, x, y)
    legal = [hot for hot in found if hot.action is not None]
    whole = tuple(hot for hot in legal if hot.to is None)
    if whole:
        return Answer(moves=whole[:1])
    if legal:
        return Answer(begun=tuple(reversed(legal)))
    return Answer(why=next((hot.why for hot in found if hot.to is None), ""))


def release(scene: Scene, begun: tuple[Hot, ...], x: float, y: float) -> Answer:
    """What a second click here does, or letting go of what was dragged."""
    moves = tuple(hot for hot in begun if hot.to is not None and _inside(hot.to, x, y))
    if moves:
        return Answer(moves=moves)
    starts = {hot[:4] for hot in begun}
    refused = [
        hot.why
        for hot in reversed(scene.hot)
        if hot.action is None and hot.to and hot[:4] in starts and _inside(hot.to, x, y)
    ]
    return Answer(why=refused[0] if refused else "")


def boxes(scene: Scene) -> list[Box]:
    """The areas in which legal moves begin, each once: where the keyboard can go."""
    return list(dict.fromkeys(hot[:4] for hot in scene.hot if hot.action is not None))


def ends(begun: tuple[Hot, ...]) -> list[Box]:
    """The areas in which moves that were begun can end, each once."""
    return list(dict.fromkeys(hot.to for hot in begun if hot.to is not None))


def _inside(box: Box, x: float, y: float) -> bool:
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]


def beside(found: list[Box], now: Box | None, way: tuple[int, int]) -> Box | None:
    """The area that lies nearest to one that way; the first when there is none yet, the same at an end."""
    if not found or now is None or now not in found:
        return found[0] if found else None
    x, y = _middle(now)
    best, nearest = now, math.inf
    for box in found:
        along = (_middle(box)[0] - x) * way[0] + (_middle(box)[1] - y) * way[1]
        aside = abs((_middle(box)[0] - x) * way[1]) + abs((_middle(box)[1] - y) * way[0])
        if along > 1e-6 and along + 2 * aside < nearest:
            best, nearest = box, along + 2 * aside
    return best


def _middle(box: Box) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2
