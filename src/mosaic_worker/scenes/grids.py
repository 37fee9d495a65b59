"""What worlds of cells have in common: where a state lies, and the neighbours one can click to go there."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from mosaic_worker.common.scene import Hot, Line, Rect

__all__ = ["beside", "lines", "neighbours", "runs"]

Cell = Tuple[int, int]
"""Column and row."""


def beside(cell: Cell, way: Cell) -> Cell:
    """The cell one step that way."""
    return cell[0] + way[0], cell[1] + way[1]


def lines(width: int, height: int) -> List[Line]:
    """The lines between cells."""
    upright = [Line(x, 0, x, height, "grid.line", 0.03) for x in range(1, width)]
    return upright + [Line(0, y, width, y, "grid.line", 0.03) for y in range(1, height)]


def runs(rows: Sequence[Sequence[object]], kinds: object, role: str) -> List[Rect]:
    """Rectangles over all cells of one kind, cells side by side as one: a large map stays a small scene."""
    found = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end] == kinds:
                end += 1
            if end > x:
                found.append(Rect(x, y, end - x, 1, role))
            x = max(end, x + 1)
    return found


def neighbours(cell: Cell, size: Cell, ways: Sequence[Tuple[str, Cell]]) -> List[Hot]:
    """A hot area for each way that stays inside; its action is the way's number."""
    found = []
    for action, (name, way) in enumerate(ways):
        x, y = beside(cell, way)
        if 0 <= x < size[0] and 0 <= y < size[1]:
            mark = Rect(x + 0.06, y + 0.06, 0.88, 0.88, "", "mark.legal", 0.08, 0.12)
            found.append(Hot(x, y, 1, 1, action, name, mark=mark))
    return found
