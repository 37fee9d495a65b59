"""Connect four of PettingZoo: seven columns of six, row by row from the top."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from mosaic_worker.common.scene import Disc, Hot, Item, Line, Rect, Scene, Text
from mosaic_worker.scenes.games import standing

__all__ = ["scene"]

_SIDES = ("red", "yellow")
_ROLES = ("piece.red", "piece.yellow")
_EDGES = ("piece.red.edge", "piece.yellow.edge")
_ROWS, _COLUMNS = 6, 7
_WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))


def scene(core: Any, actor: Any, last: Optional[int]) -> Scene:
    """The board with its columns numbered below, a hot area a column."""
    board = [int(mark) for mark in core.board]
    game = standing(core, actor, _SIDES)
    items: List[Item] = [Rect(0, 0, _COLUMNS, _ROWS, "board.frame", round=0.25)]
    for at, side in enumerate(board):
        x, y = at % _COLUMNS + 0.5, at // _COLUMNS + 0.5
        items.append(_disc(x, y, side) if side else Disc(x, y, 0.4, "board.hole"))
    items += [Text(column + 0.5, _ROWS + 0.2, 0.28, str(column + 1), "label") for column in range(_COLUMNS)]
    top = _top(board, last) if last is not None and 0 <= last < _COLUMNS else None
    if top is not None and board[top]:
        items.append(Disc(top % _COLUMNS + 0.5, top // _COLUMNS + 0.5, 0.12, "mark.last.dot"))
    for first, end in _fours(board):
        items.append(Line(first[0] + 0.5, first[1] + 0.5, end[0] + 0.5, end[1] + 0.5, "mark.win", 0.1))
    height = _ROWS + 0.4
    hot = game.refusal(_COLUMNS, height)
    if game.mine:
        for column in range(_COLUMNS):
            name = f"column {column + 1}"
            if board[column]:
                hot.append(Hot(column, 0, 1, height, why=f"{name.capitalize()} is full."))
                continue
            row = max(row for row in range(_ROWS) if not board[row * _COLUMNS + column])
            ghost = _disc(column + 0.5, row + 0.5, game.mover + 1)._replace(alpha=0.45)
            hot.append(Hot(column, 0, 1, height, column, name, mark=ghost))
    counts = [board.count(1), board.count(2)]
    played = f" Last move: column {last + 1}." if top is not None and last is not None else ""
    rows = [board[at : at + _COLUMNS] for at in range(0, len(board), _COLUMNS)]
    return Scene(
        _COLUMNS,
        height,
        tuple(items),
        tuple(hot),
        f"Connect four. {game.headline}{played} {counts[0]} red and {counts[1]} yellow discs. "
        + " ".join(filter(None, (_column_said(board, column) for column in range(_COLUMNS)))),
        (*(" ".join(".RY"[side] for side in row) for row in rows), "1 2 3 4 5 6 7"),
        game.turn,
    )


def _disc(x: float, y: float, side: int) -> Disc:
    return Disc(x, y, 0.4, _ROLES[side - 1], _EDGES[side - 1], 0.06)


def _top(board: Sequence[int], column: int) -> Optional[int]:
    """Where the highest disc of a column lies."""
    cells = range(column, len(board), _COLUMNS)
    return next((at for at in cells if board[at]), None)


def _fours(board: Sequence[int]) -> List[Tuple[Tuple[int, int], Tuple[int, int]]]:
    """The ends of every row of four."""
    found = []
    for at, side in enumerate(board):
        x, y = at % _COLUMNS, at // _COLUMNS
        for right, down in _WAYS:
            cells = [(x + right * far, y + down * far) for far in range(4)]
            inside = 0 <= cells[3][0] < _COLUMNS and 0 <= cells[3][1] < _ROWS
            if side and inside and all(board[row * _COLUMNS + column] == side for column, row in cells):
                found.append((cells[0], cells[3]))
    return found


def _column_said(board: Sequence[int], column: int) -> str:
    discs = [_SIDES[board[at] - 1] for at in range(column, len(board), _COLUMNS) if board[at]]
    return f"Column {column + 1} from below: {', '.join(reversed(discs))}." if discs else ""
