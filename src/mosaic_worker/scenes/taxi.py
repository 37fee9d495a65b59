"""Taxi of Gymnasium: a click beside the taxi drives there, one on the taxi takes the passenger in or out."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from mosaic_worker.common.scene import Hot, Image, Item, Line, Rect, Scene, Text
from mosaic_worker.scenes.grids import lines, neighbours

__all__ = ["scene"]

_WAYS = (("south", (0, 1)), ("north", (0, -1)), ("east", (1, 0)), ("west", (-1, 0)))
_PICK_UP, _DROP_OFF = 4, 5
_STOPS = (("R", "red"), ("G", "green"), ("Y", "yellow"), ("B", "blue"))
_SIZE = 5
_INSIDE = 4


def scene(core: Any, _actor: Any, _last: Optional[int]) -> Scene:
    """The streets, the four stops, the passenger and where it wants to go."""
    row, column, passenger, wanted = (int(part) for part in core.decode(int(core.s)))
    walls = [(x, y) for y in range(_SIZE) for x in range(1, _SIZE) if bytes(core.desc[y + 1, 2 * x]) == b"|"]
    stops = [(int(x), int(y)) for y, x in core.locs]
    items: List[Item] = [Rect(0, 0, _SIZE, _SIZE, "ground"), *lines(_SIZE, _SIZE)]
    for (x, y), (letter, colour) in zip(stops, _STOPS):  # noqa: B905  (Python 3.8)
        items.append(Rect(x + 0.04, y + 0.04, 0.92, 0.92, f"thing.{colour}", round=0.1, alpha=0.55))
        items.append(Text(x + 0.17, y + 0.2, 0.24, letter, "ink", bold=True))
    x, y = stops[wanted]
    items.append(Image(x + 0.74, y + 0.27, 0.46, "flag", "goal.sign"))
    items += [Line(x, y, x, y + 1, "wall", 0.1) for x, y in walls]
    if passenger < _INSIDE:
        x, y = stops[passenger]
        items.append(Image(x + 0.5, y + 0.56, 0.6, "person", "person", "agent.edge"))
    items.append(Image(column + 0.5, row + 0.6, 0.86, "car", "agent", "agent.edge"))
    if passenger == _INSIDE:
        items.append(Image(column + 0.47, row + 0.32, 0.4, "person", "person", "agent.edge"))
    at_goal = passenger == wanted
    hot = [
        hot._replace(action=None, why=f"There is a wall to the {hot.label}.", mark=None)
        if _walled((column, row), (int(hot.x), int(hot.y)), walls)
        else hot
        for hot in neighbours((column, row), (_SIZE, _SIZE), _WAYS)
    ]
    hot.append(_own_cell(column, row, passenger, stops))
    if at_goal:
        hot = [Hot(0, 0, _SIZE, _SIZE, why="The passenger has arrived.")]
    who = "in the taxi" if passenger == _INSIDE else f"at {_STOPS[passenger][1]}"
    says = (
        f"Taxi. The taxi is in row {row + 1}, column {column + 1}. The passenger is {who} and wants to go to "
        f"{_STOPS[wanted][1]}."
    )
    text = [bytes(b"".join(line)).decode() for line in core.desc.tolist()]
    line = text[row + 1]
    text[row + 1] = f"{line[: 2 * column + 1]}{'T' if passenger == _INSIDE else 't'}{line[2 * column + 2 :]}"
    return Scene(_SIZE, _SIZE, tuple(items), tuple(hot), says, tuple(text))


def _own_cell(column: int, row: int, passenger: int, stops: List[Tuple[int, int]]) -> Hot:
    mark = Rect(column + 0.06, row + 0.06, 0.88, 0.88, "", "mark.legal", 0.08, 0.12)
    if passenger == _INSIDE and (column, row) in stops:
        return Hot(column, row, 1, 1, _DROP_OFF, "drop the passenger off", mark=mark)
    if passenger == _INSIDE:
        return Hot(column, row, 1, 1, why="The passenger gets out only at one of the four stops.")
    if (column, row) == stops[passenger]:
        return Hot(column, row, 1, 1, _PICK_UP, "pick the passenger up", mark=mark)
    return Hot(column, row, 1, 1, why="The passenger is not here.")


def _walled(one: Tuple[int, int], other: Tuple[int, int], walls: List[Tuple[int, int]]) -> bool:
    return one[1] == other[1] and (max(one[0], other[0]), one[1]) in walls
