"""CliffWalking of Gymnasium: the ground, the cliff, start and goal; a click beside the agent goes there."""

from __future__ import annotations

from typing import Any, List, Optional

from mosaic_worker.common.scene import Hot, Image, Item, Rect, Scene, Text
from mosaic_worker.scenes.grids import lines, neighbours, runs

__all__ = ["scene"]

_WAYS = (("up", (0, -1)), ("right", (1, 0)), ("down", (0, 1)), ("left", (-1, 0)))


def scene(core: Any, _actor: Any, _last: Optional[int]) -> Scene:
    """The cliff and who walks above it."""
    height, width = (int(side) for side in core.shape)
    cliff = vars(core)["_cliff"].tolist()
    row, column = divmod(int(core.s), width)
    start = divmod(int(core.start_state_index), width)
    goal = (height - 1, width - 1)
    items: List[Item] = [Rect(0, 0, width, height, "ground")]
    items += runs(cliff, True, "hazard")
    items.append(Rect(start[1], start[0], 1, 1, "start"))
    items.append(Rect(goal[1], goal[0], 1, 1, "goal"))
    items += lines(width, height)
    items.append(Text(start[1] + 0.5, start[0] + 0.5, 0.24, "start", "label"))
    items.append(Image(goal[1] + 0.5, goal[0] + 0.5, 0.8, "flag", "goal.sign"))
    items.append(Image(column + 0.5, row + 0.5, 0.72, "person", "agent", "agent.edge"))
    hot = neighbours((column, row), (width, height), _WAYS)
    if (row, column) == goal:
        hot = [Hot(0, 0, width, height, why="The goal is reached.")]
    says = (
        f"Cliff walking, {width} by {height}. The agent is in row {row + 1}, column {column + 1}; "
        f"the goal is in row {goal[0] + 1}, column {goal[1] + 1}."
    )
    if row + 1 < height and cliff[row + 1][column]:
        says += " The cliff is below."
    signs = {start: "S", goal: "G", (row, column): "@"}
    text = [
        "".join(signs.get((y, x), "#" if cell else ".") for x, cell in enumerate(cells))
        for y, cells in enumerate(cliff)
    ]
    return Scene(width, height, tuple(items), tuple(hot), says, tuple(text))
