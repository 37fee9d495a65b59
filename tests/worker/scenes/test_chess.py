"""Chess: from square to square, from either side of the board, with promotions and reasons."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.render import hit
from mosaic_worker.common.scene import Hot, Image, Rect, Scene
from tests.worker.scenes.playing import clicked, found, legal, made, why_of


@pytest.fixture
def env() -> Any:
    return made("chess_v6")


def at(square: str, *, flipped: bool = False) -> tuple[float, float]:
    column, row = "abcdefgh".index(square[0]), 8 - int(square[1])
    return (7.5 - column, 7.5 - row) if flipped else (column + 0.5, row + 0.5)


def moves(scene: Scene, start: str, end: str, *, flipped: bool = False) -> tuple[Hot, ...]:
    begun = hit.press(scene, *at(start, flipped=flipped)).begun
    return hit.release(scene, begun, *at(end, flipped=flipped)).moves


def play(env: Any, *ways: str) -> None:
    for way in ways:
        (move,) = moves(found(env), way[:2], way[2:])
        env.step(move.action)


def test_black_moves_its_own_pieces_where_they_stand(env: Any) -> None:
    play(env, "e2e4", "e7e5", "g1f3", "b8c6")
    assert [str(move) for move in env.unwrapped.board.move_stack] == ["e2e4", "e7e5", "g1f3", "b8c6"]


def test_black_sees_the_board_from_its_own_side(env: Any) -> None:
    play(env, "e2e4")
    scene = found(env, "player_1")
    (move,) = moves(scene, "e7", "e5", flipped=True)
    assert hit.press(scene, *at("e7")).begun == ()  # white's pawns lie there
    env.step(move.action)
    assert str(env.unwrapped.board.peek()) == "e7e5"
    assert scene.text[-1] == "  h g f e d c b a"


def test_the_last_move_and_a_check_are_marked(env: Any) -> None:
    play(env, "e2e4", "f7f6", "d1h5")
    scene = found(env)
    assert {item[:2] for item in scene.items if "mark.last" in item} == {(3, 7), (7, 3)}
    assert Rect(4, 0, 1, 1, "mark.check") in scene.items
    assert "Last move: d1 to h5. Check." in scene.says


def test_a_promotion_is_a_choice_with_the_queen_first(env: Any) -> None:
    play(env, "a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "b8c6")
    offered = moves(found(env), "b7", "a8")
    assert [move.choice for move in offered] == ["queen", "rook", "bishop", "knight"]
    env.step(clicked(found(env), offered[3]))
    assert str(env.unwrapped.board.peek()) == "b7a8n"


def test_reasons_of_clicks_that_are_no_moves(env: Any) -> None:
    scene = found(env)
    assert why_of(scene, *at("e4")) == "It is white's turn: begin with one of its pieces."
    assert why_of(scene, *at("e7")) == "It is white's turn: begin with one of its pieces."
    assert why_of(scene, *at("a1")) == "The rook on a1 has no legal move."
    assert why_of(scene, *at("g1"), to=at("g4")) == "The knight on g1 cannot go there."
    play(env, "e2e4")
    assert why_of(found(env), *at("e4")) == "It is black's turn: begin with one of its pieces."


def test_a_pinned_piece_says_that_the_king_would_be_in_check(env: Any) -> None:
    play(env, "d2d4", "e7e6", "b1c3", "f8b4", "h2h3", "h7h6", "a2a3", "a7a6")
    assert why_of(found(env), *at("c3")) == "The knight on c3 has no legal move: your king would be in check."


def test_a_move_that_leaves_the_king_in_check_says_so(env: Any) -> None:
    play(env, "e2e4", "f7f6", "d1h5")
    assert why_of(found(env), *at("g7"), to=at("g5")) == "Your king would be in check."
    assert why_of(found(env), *at("g7"), to=at("g4")) == "The pawn on g7 cannot go there."
    assert len(moves(found(env), "g7", "g6")) == 1


def test_a_capture_is_marked_by_a_ring_and_a_free_square_by_a_dot(env: Any) -> None:
    play(env, "e2e4", "d7d5")
    (capture,), (advance,) = moves(found(env), "e4", "d5"), moves(found(env), "e4", "e5")
    assert capture.mark is not None
    assert advance.mark is not None
    assert (capture.mark.fill, capture.mark.stroke) == ("", "mark.legal")  # type: ignore[union-attr]
    assert (advance.mark.fill, advance.mark.stroke) == ("mark.legal", "")  # type: ignore[union-attr]


def test_every_piece_is_drawn_once_on_its_square(env: Any) -> None:
    scene = found(env)
    drawn = {(item.x, item.y): (item.name, item.fill) for item in scene.items if isinstance(item, Image)}
    assert len(drawn) == 32
    assert drawn[at("e1")] == ("king", "piece.white")
    assert drawn[at("d8")] == ("queen", "piece.black")
    assert len(legal(scene)) == 20
    assert "White: king e1, queen d1," in scene.says
