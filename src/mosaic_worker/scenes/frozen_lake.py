"""FrozenLake of Gymnasium, any map: ice, holes, the goal; a click beside the agent goes that way."""

from __future__ import annotations

from typing import Any, List, Optional

from mosaic_worker.common.scene import Disc, Hot, Image, Item, Rect, Scene, Text
from mosaic_worker.scenes.grids import lines, neighbours, runs

__all__ = ["scene"]

_WAYS = (("left", (-1, 0)), ("down", (0, 1)), ("right", (1, 0)), ("up", (0, -1)))
_NAMES = {"S": "the start", "F": "ice", "H": "a hole", "G": "the goal"}


def scene(core: Any, _actor: Any, _last: Optional[int]) -> Scene:
    """The lake, and who walks on it."""
    rows = [[cell.decode() for cell in row] for row in core.desc.tolist()]
    height, width = len(rows), len(rows[0])
    row, column = divmod(int(core.s), width)
    under = rows[row][column]
    items: List[Item] = [Rect(0, 0, width, height, "ice")]
    items += runs(rows, "S", "start")
    items += lines(width, height)
    for y, cells in enumerate(rows):
        for x, kind in enumerate(cells):
            if kind == "H":
                items.append(Disc(x + 0.5, y + 0.5, 0.4, "hazard", "hazard.edge", 0.05))
            elif kind == "G":
                items += [Rect(x, y, 1, 1, "goal"), Image(x + 0.5, y + 0.5, 0.8, "flag", "goal.sign")]
            elif kind == "S" and (x, y) != (column, row):
                items.append(Text(x + 0.5, y + 0.5, 0.24, "start", "label"))
    items.append(Image(column + 0.5, row + 0.5, 0.72, "person", "agent", "agent.edge"))
    over = under in "HG"
    hot = neighbours((column, row), (width, height), _WAYS)
    if over:
        end = "The agent fell into a hole." if under == "H" else "The goal is reached."
        hot = [Hot(0, 0, width, height, why=end)]
    around = [
        f"{name} {_NAMES.get(rows[row + way[1]][column + way[0]], 'unknown')}"
        for name, way in _WAYS
        if 0 <= row + way[1] < height and 0 <= column + way[0] < width
    ]
    says = (
        f"Frozen lake, {width} by {height}. The agent is in row {row + 1}, column {column + 1}, on "
        f"{_NAMES.get(under, 'unknown ground')}. {', '.join(around).capitalize()}."
    )
    text = ["".join(cells) for cells in rows]
    text[row] = text[row][:column] + "@" + text[row][column + 1 :]
    return Scene(width, height, tuple(items), tuple(hot), says, tuple(text))
