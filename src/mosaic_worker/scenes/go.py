"""Go of PettingZoo. An action is row * size + column, one more is to pass.

Stones are read from the position, not from the observation, whose planes are from the mover's side. Points
are named as players do: columns by letters without I, rows by numbers from below.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from mosaic_worker.common.scene import Disc, Hot, Item, Line, Rect, Scene, Text
from mosaic_worker.scenes.games import standing

__all__ = ["scene"]

_SIDES = ("black", "white")
_BLACK = 1
_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_STARS = {9: (2, 4, 6), 13: (3, 6, 9), 19: (3, 9, 15)}
_EDGE = 0.5  # for the names of columns and rows


def scene(core: Any, actor: Any, last: Optional[int]) -> Scene:
    """The board with names at its edges, a hot area a point, and a button to pass below."""
    position = vars(core)["_go"]
    board = [[int(stone) for stone in row] for row in position.board]
    size = len(board)
    game = standing(core, actor, _SIDES)
    side = size + 2 * _EDGE
    height = side + 1
    items = _ground(size, side)
    for row, stones in enumerate(board):
        for column, stone in enumerate(stones):
            if stone:
                items.append(_stone(column, row, 0 if stone == _BLACK else 1))
    recent = list(position.recent)
    played = _played(recent, size)
    if recent and recent[-1].move is not None:
        row, column = recent[-1].move
        items.append(Disc(*_at(column, row), 0.2, "", "mark.last.dot", 0.09))
    passes = (side / 2 - 1.5, side + 0.1, 3.0, 0.8)
    items += [
        Rect(*passes, "button", "button.edge", 0.04, 0.2),
        Text(side / 2, side + 0.5, 0.42, "Pass", "button.text"),
    ]
    hot = game.refusal(side, height)
    if game.mine:
        legal = {int(action) for action in core.next_legal_moves}
        for action in range(size * size):
            row, column = divmod(action, size)
            x, y, name = column + _EDGE, row + _EDGE, _name(column, row, size)
            if action in legal:
                hot.append(Hot(x, y, 1, 1, action, name, mark=_stone(column, row, game.mover, 0.5)))
            else:
                why = _why(board[row][column], position.ko == (row, column), name)
                hot.append(Hot(x, y, 1, 1, why=why))
        if size * size in legal:
            hot.append(Hot(*passes, action=size * size, label="pass"))
    black = sum(row.count(_BLACK) for row in board)
    white = sum(row.count(-_BLACK) for row in board)
    says = f"Go, {size} by {size}. {game.headline} {played}{black} black and {white} white stones."
    return Scene(side, height, tuple(items), tuple(hot), says, _text(board, size), game.turn)


def _at(column: int, row: int) -> Tuple[float, float]:
    return column + 0.5 + _EDGE, row + 0.5 + _EDGE


def _ground(size: int, side: float) -> List[Item]:
    items: List[Item] = [Rect(0, 0, side, side, "board.wood", round=0.15)]
    first, end = 0.5 + _EDGE, size - 0.5 + _EDGE
    for at in range(size):
        along = at + first
        items.append(Line(along, first, along, end, "board.grid", 0.03))
        items.append(Line(first, along, end, along, "board.grid", 0.03))
        for edge in (0.36, side - 0.36):
            items.append(Text(along, edge, 0.34, _letter(at), "board.label"))
            items.append(Text(edge, along, 0.34, str(size - at), "board.label"))
    stars = _STARS.get(size, ())
    items += [Disc(*_at(column, row), 0.1, "board.grid") for row in stars for column in stars]
    return items


def _stone(column: int, row: int, side: int, alpha: float = 1.0) -> Disc:
    x, y = _at(column, row)
    role = ("piece.black", "piece.white")[side]
    return Disc(x, y, 0.46, role, "piece.edge", 0.03, alpha)


def _letter(column: int) -> str:
    return _LETTERS[column % len(_LETTERS)]


def _name(column: int, row: int, size: int) -> str:
    return f"{_letter(column)}{size - row}"


def _why(stone: int, ko: bool, name: str) -> str:
    if stone:
        return f"There is a {_SIDES[0 if stone == _BLACK else 1]} stone on {name} already."
    if ko:
        return f"{name} is ko: it would bring back the position before the last move."
    return f"A stone on {name} would have no liberty."


def _played(recent: List[Any], size: int) -> str:
    if not recent:
        return ""
    who = _SIDES[0 if recent[-1].color == _BLACK else 1]
    if recent[-1].move is None:
        return f"Last move: {who} passed. "
    row, column = recent[-1].move
    return f"Last move: {who} {_name(column, row, size)}. "


def _text(board: List[List[int]], size: int) -> Tuple[str, ...]:
    letters = "   " + " ".join(_letter(column) for column in range(size))
    rows = [
        f"{size - row:2} " + " ".join({_BLACK: "X", 0: "."}.get(stone, "O") for stone in stones)
        for row, stones in enumerate(board)
    ]
    return (letters, *rows)
