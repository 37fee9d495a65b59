"""Tic-tac-toe of PettingZoo. Its cells are numbered by columns: 0 is top left, 1 is below it."""

from __future__ import annotations

from typing import Any, List, Optional

from mosaic_worker.common.scene import Disc, Hot, Image, Item, Line, Rect, Scene
from mosaic_worker.scenes.games import standing

__all__ = ["scene"]

_SIDES = ("cross", "nought")
_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "middle", "right")


def scene(core: Any, actor: Any, last: Optional[int]) -> Scene:
    """The board, a hot area a cell."""
    squares = [int(mark) for mark in core.board.squares]
    game = standing(core, actor, _SIDES)
    items: List[Item] = [Rect(0, 0, 3, 3, "board.light")]
    if last is not None and 0 <= last < 9 and squares[last]:
        items.append(Rect(last // 3, last % 3, 1, 1, "mark.last"))
    for at in (1, 2):
        items += [Line(at, 0.1, at, 2.9, "board.line", 0.05), Line(0.1, at, 2.9, at, "board.line", 0.05)]
    items += [_mark(cell, side) for cell, side in enumerate(squares) if side]
    hot = game.refusal(3, 3)
    if game.mine:
        for cell, side in enumerate(squares):
            x, y, name = cell // 3, cell % 3, _name(cell)
            if side:
                hot.append(Hot(x, y, 1, 1, why=f"The {name} cell has a {_SIDES[side - 1]} already."))
            else:
                mark = _mark(cell, game.mover + 1)._replace(alpha=0.35)
                hot.append(Hot(x, y, 1, 1, cell, name, mark=mark))
    marks = [f"{_SIDES[side - 1]} {_name(cell)}" for cell, side in enumerate(squares) if side]
    return Scene(
        3,
        3,
        tuple(items),
        tuple(hot),
        f"Tic-tac-toe. {game.headline} {', '.join(marks).capitalize() or 'The board is empty'}.",
        tuple(" ".join(".XO"[squares[3 * column + row]] for column in range(3)) for row in range(3)),
        game.turn,
    )


def _mark(cell: int, side: int) -> Any:
    x, y = cell // 3 + 0.5, cell % 3 + 0.5
    if side == 1:
        return Image(x, y, 0.8, "cross", "piece.first")
    return Disc(x, y, 0.29, "", "piece.second", 0.13)


def _name(cell: int) -> str:
    row, column = _ROWS[cell % 3], _COLUMNS[cell // 3]
    return "centre" if row == column == "middle" else f"{row} {column}"
