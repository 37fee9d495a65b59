"""MiniGrid and all that is built on it.

The agent faces one way: a click ahead walks, takes or opens what is there, one to the side turns, one on the
agent puts down what it carries. The whole grid is shown, whatever the agent sees of it.
"""

from __future__ import annotations

from typing import Any, List, Optional

from mosaic_worker.common.scene import Disc, Hot, Image, Item, Line, Rect, Scene, Text, printable
from mosaic_worker.scenes.grids import beside, lines

__all__ = ["scene"]

_WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
_HEADINGS = ("east", "south", "west", "north")
_LEFT, _RIGHT, _FORWARD, _PICK_UP, _DROP, _TOGGLE = range(6)
_COLOURS = ("red", "green", "blue", "purple", "yellow", "grey")
_SIGNS = {
    "wall": "#",
    "goal": "G",
    "lava": "~",
    "door": "D",
    "key": "k",
    "ball": "o",
    "box": "b",
    "floor": ".",
}
_ARROWS = ">v<^"


def scene(core: Any, _actor: Any, _last: Optional[int]) -> Scene:
    """The grid, what lies in it, and the agent."""
    grid = core.grid
    width, height = int(grid.width), int(grid.height)
    x, y = (int(at) for at in core.agent_pos)
    facing = int(core.agent_dir) % 4
    items: List[Item] = [Rect(0, 0, width, height, "floor"), *lines(width, height)]
    text = []
    for row in range(height):
        line = ""
        for column in range(width):
            thing = grid.get(column, row)
            line += _SIGNS.get(thing.type, "?") if thing is not None else " "
            if thing is not None:
                items += _drawn(thing, column, row)
        text.append(line)
    text[y] = text[y][:x] + _ARROWS[facing] + text[y][x + 1 :]
    items.append(Image(x + 0.5, y + 0.5, 0.8, "arrow", "agent", "agent.edge", facing))
    carried = core.carrying
    if carried is not None:
        items += _small(carried, x, y)
    mission = printable(getattr(core, "mission", ""))
    ahead = beside((x, y), _WAYS[facing])
    front = grid.get(*ahead) if 0 <= ahead[0] < width and 0 <= ahead[1] < height else None
    says = (
        f"{mission.capitalize() or 'MiniGrid'}. The agent is in row {y + 1}, column {x + 1}, facing "
        f"{_HEADINGS[facing]}; ahead is {_called(front) if front is not None else 'free ground'}."
    )
    if carried is not None:
        says += f" It carries {_called(carried)}."
    hot = _hot(x, y, facing, front, carried)
    inside = [one for one in hot if 0 <= one.x < width and 0 <= one.y < height]
    return Scene(width, height, tuple(items), tuple(inside), printable(says, 2000), tuple(text))


def _drawn(thing: Any, x: int, y: int) -> List[Item]:  # noqa: PLR0911  (a table of kinds)
    colour = _role(thing.color)
    kind = thing.type
    if kind == "wall":
        return [Rect(x, y, 1, 1, "wall")]
    if kind == "goal":
        return [Rect(x, y, 1, 1, "goal"), Image(x + 0.5, y + 0.5, 0.8, "flag", "goal.sign")]
    if kind == "lava":
        waves: List[Item] = [
            Image(x + 0.5, y + 0.5 + by, 0.9, "wave", "hazard.edge") for by in (-0.22, 0.0, 0.22)
        ]
        return [Rect(x, y, 1, 1, "lava"), *waves]
    if kind == "floor":
        return [Rect(x, y, 1, 1, colour, alpha=0.35)]
    if kind == "door":
        return _door(thing, x, y, colour)
    if kind == "key":
        return [Image(x + 0.5, y + 0.5, 0.8, "key", colour)]
    if kind == "ball":
        return [Disc(x + 0.5, y + 0.5, 0.32, colour)]
    if kind == "box":
        lid = Line(x + 0.2, y + 0.45, x + 0.8, y + 0.45, colour, 0.08)
        return [Rect(x + 0.2, y + 0.2, 0.6, 0.6, "", colour, 0.09, 0.06), lid]
    return [Text(x + 0.5, y + 0.5, 0.5, printable(kind, 1) or "?", colour)]


def _door(door: Any, x: int, y: int, colour: str) -> List[Item]:
    if door.is_open:
        return [Rect(x + 0.04, y + 0.04, 0.16, 0.92, "", colour, 0.06)]
    items: List[Item] = [
        Rect(x + 0.05, y + 0.05, 0.9, 0.9, colour, round=0.04),
        Rect(x + 0.13, y + 0.13, 0.74, 0.74, "", "door.line", 0.04),
    ]
    if door.is_locked:
        return [*items, Image(x + 0.5, y + 0.5, 0.44, "lock", "door.line")]
    return [*items, Disc(x + 0.74, y + 0.5, 0.07, "door.line")]


def _small(thing: Any, x: int, y: int) -> List[Item]:
    """What the agent carries, in the corner of its cell."""
    colour = _role(thing.color)
    ground = Disc(x + 0.78, y + 0.22, 0.2, "floor", "grid.line", 0.03)
    if thing.type == "key":
        return [ground, Image(x + 0.78, y + 0.22, 0.32, "key", colour)]
    if thing.type == "ball":
        return [ground, Disc(x + 0.78, y + 0.22, 0.11, colour)]
    return [ground, Rect(x + 0.69, y + 0.13, 0.18, 0.18, "", colour, 0.05)]


def _hot(x: int, y: int, facing: int, front: Any, carried: Any) -> List[Hot]:
    left, ahead, right, behind = (beside((x, y), _WAYS[(facing + by) % 4]) for by in (-1, 0, 1, 2))

    def area(cell: Any, action: int, label: str) -> Hot:
        mark = Rect(cell[0] + 0.06, cell[1] + 0.06, 0.88, 0.88, "", "mark.legal", 0.08, 0.12)
        return Hot(cell[0], cell[1], 1, 1, action, label, mark=mark)

    def refused(cell: Any, why: str) -> Hot:
        return Hot(cell[0], cell[1], 1, 1, why=why)

    found = [
        area(left, _LEFT, "turn left"),
        area(right, _RIGHT, "turn right"),
        area(behind, _RIGHT, "turn right"),
    ]
    if front is None or front.can_overlap():
        found.append(area(ahead, _FORWARD, "forward"))
    elif front.type == "door":
        found.append(area(ahead, _TOGGLE, f"open {_called(front)}"))
    elif front.can_pickup() and carried is None:
        found.append(area(ahead, _PICK_UP, f"pick up {_called(front)}"))
    elif front.type == "box":
        found.append(area(ahead, _TOGGLE, f"open {_called(front)}"))
    elif front.can_pickup():
        found.append(refused(ahead, f"The agent carries {_called(carried)} already."))
    else:
        found.append(refused(ahead, f"There is {_called(front)} in the way."))
    if carried is None:
        found.append(refused((x, y), "The agent carries nothing that it could put down."))
    elif front is None:
        found.append(area((x, y), _DROP, f"put down {_called(carried)}"))
    else:
        found.append(refused((x, y), "There is no room ahead to put it down."))
    return found


def _role(colour: str) -> str:
    return f"thing.{colour}" if colour in _COLOURS else "thing.grey"


def _called(thing: Any) -> str:
    kind = printable(thing.type, 20)
    if kind in ("wall", "lava", "goal"):
        return {"wall": "a wall", "lava": "lava", "goal": "the goal"}[kind]
    state = ""
    if kind == "door":
        state = "open " if thing.is_open else "locked " if thing.is_locked else "closed "
    return f"the {state}{printable(thing.color, 20)} {kind}"
