"""Chess of PettingZoo. Moves are made from square to square; a promotion is a choice.

Actions of the black player count from a mirrored board. PettingZoo's own table undoes that, taken from the
environment's module, so nothing has to be imported here.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Set, Tuple

from mosaic_worker.common.scene import Box, Disc, Hot, Image, Item, Rect, Scene, Text
from mosaic_worker.scenes.games import Standing, standing

__all__ = ["scene"]

_SIDES = ("white", "black")
_NAMES = ("", "pawn", "knight", "bishop", "rook", "queen", "king")


class _Board:
    """The board as it lies before one player: where squares are, and what stands on them."""

    def __init__(self, board: Any, *, flipped: bool) -> None:
        self.board = board
        self.flipped = flipped
        self.pieces: Dict[int, Any] = board.piece_map()

    def at(self, square: int) -> Tuple[int, int]:
        """Column and row of a square on the screen."""
        column, row = square % 8, 7 - square // 8
        return (7 - column, 7 - row) if self.flipped else (column, row)

    def box(self, square: int) -> Box:
        """The area of a square."""
        return (*self.at(square), 1, 1)

    def named(self, square: int) -> str:
        """What stands on a square, such as: the knight on g1."""
        return f"the {_NAMES[self.pieces[square].piece_type]} on {_square(square)}"


def scene(core: Any, actor: Any, _last: Optional[int]) -> Scene:
    """The board, from below the side of `actor`, white's by default."""
    game = standing(core, actor, _SIDES)
    flipped = actor is not None and actor == core.possible_agents[1]
    board = _Board(core.board, flipped=flipped)
    played = core.board.peek() if core.board.move_stack else None
    items = _ground(board)
    if played is not None:
        items += [Rect(*board.box(square), "mark.last") for square in (played.from_square, played.to_square)]
    in_check = bool(core.board.is_check())
    if in_check:
        items.append(Rect(*board.box(core.board.king(core.board.turn)), "mark.check"))
    for square, piece in sorted(board.pieces.items()):
        items.append(_image(board, square, piece))
    hot = game.refusal(8, 8)
    if game.mine:
        hot += _moves(core, board, game)
    said = f" Last move: {_square(played.from_square)} to {_square(played.to_square)}." if played else ""
    check = " Check." if in_check and not game.over else ""
    says = f"Chess. {game.headline}{said}{check} {_pieces_said(board, True)} {_pieces_said(board, False)}"
    return Scene(8, 8, tuple(items), tuple(hot), says, _text(board), game.turn)


def _ground(board: _Board) -> List[Item]:
    items: List[Item] = [Rect(0, 0, 8, 8, "board.light")]
    for row in range(8):
        items += [Rect(column, row, 1, 1, "board.dark") for column in range(8) if (row + column) % 2]
    for at in range(8):
        file, rank = "abcdefgh"[7 - at if board.flipped else at], at + 1 if board.flipped else 8 - at
        even, odd = ("board.light", "board.dark") if at % 2 == 0 else ("board.dark", "board.light")
        items.append(Text(at + 0.9, 7.87, 0.2, file, even, bold=True))
        items.append(Text(0.1, at + 0.15, 0.2, str(rank), odd, bold=True))
    return items


def _image(board: _Board, square: int, piece: Any) -> Image:
    column, row = board.at(square)
    side = "white" if piece.color else "black"
    name = _NAMES[piece.piece_type]
    return Image(column + 0.5, row + 0.5, 1.06, name, f"piece.{side}", f"piece.{side}.edge")


def _moves(core: Any, board: _Board, game: Standing) -> List[Hot]:
    """Every legal move, and why others are none."""
    table = sys.modules[type(core).__module__].chess_utils
    white = bool(core.board.turn)
    hot = [Hot(0, 0, 8, 8, why=f"It is {game.side}'s turn: begin with one of its pieces.")]
    legal: List[Tuple[int, Any]] = [
        (action, table.action_to_move(core.board, action, game.mover))
        for action in map(int, table.legal_moves(core.board))
    ]
    legal.sort(
        key=lambda one: (one[1].from_square, one[1].to_square, -(one[1].promotion or 0))
    )  # the queen first
    ways: Set[Tuple[int, int]] = {(move.from_square, move.to_square) for _, move in legal}
    able = {start for start, _ in ways}
    exposing = [
        move for move in core.board.pseudo_legal_moves if (move.from_square, move.to_square) not in ways
    ]
    pinned = {move.from_square for move in exposing}
    for square, piece in board.pieces.items():
        if bool(piece.color) != white:
            continue
        who = board.named(square).capitalize()
        if square in able:
            hot.append(Hot(*board.box(square), why=f"{who} cannot go there.", to=(0, 0, 8, 8)))
        else:
            cause = ": your king would be in check" if square in pinned else ""
            hot.append(Hot(*board.box(square), why=f"{who} has no legal move{cause}."))
    for move in exposing:
        if move.from_square in able:
            why = "Your king would be in check."
            hot.append(Hot(*board.box(move.from_square), why=why, to=board.box(move.to_square)))
    for action, move in legal:
        hot.append(_move(board, action, move))
    return hot


def _move(board: _Board, action: int, move: Any) -> Hot:
    column, row = board.at(move.to_square)
    captures = move.to_square in board.pieces
    mark = (
        Disc(column + 0.5, row + 0.5, 0.43, "", "mark.legal", 0.09, 0.75)
        if captures
        else Disc(column + 0.5, row + 0.5, 0.15, "mark.legal", alpha=0.75)
    )
    choice = _NAMES[move.promotion] if move.promotion else ""
    name = _NAMES[board.pieces[move.from_square].piece_type]
    label = f"{name} {_square(move.from_square)} to {_square(move.to_square)}" + (
        f", {choice}" if choice else ""
    )
    return Hot(*board.box(move.from_square), action, label, "", board.box(move.to_square), choice, mark)


def _square(square: int) -> str:
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def _pieces_said(board: _Board, white: bool) -> str:
    found = [
        f"{_NAMES[piece.piece_type]} {_square(square)}"
        for square, piece in sorted(board.pieces.items(), key=lambda one: (-one[1].piece_type, one[0]))
        if bool(piece.color) == white
    ]
    return f"{'White' if white else 'Black'}: {', '.join(found)}."


def _text(board: _Board) -> Tuple[str, ...]:
    rows = [["."] * 8 for _ in range(8)]
    for square, piece in board.pieces.items():
        column, row = board.at(square)
        rows[row][column] = piece.symbol()
    files = "abcdefgh"[::-1] if board.flipped else "abcdefgh"
    ranks = range(1, 9) if board.flipped else range(8, 0, -1)
    shown = [f"{rank} {' '.join(row)}" for rank, row in zip(ranks, rows)]  # noqa: B905  (Python 3.8)
    return (*shown, "  " + " ".join(files))
