"""Whole games by clicks alone: what is offered is legal, what is legal is offered, for either side."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_worker.common.scene import decode, encode
from tests.worker.scenes.playing import clicked, found, games, legal, made

BOARDS: list[tuple[str, dict[str, Any]]] = [
    ("tictactoe_v3", {}),
    ("connect_four_v3", {}),
    ("chess_v6", {}),
    ("go_v5", {"board_size": 5}),
    ("go_v5", {"board_size": 9}),
]


@pytest.mark.parametrize(("name", "options"), BOARDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_game_is_played_by_clicks_alone(name: str, options: dict[str, Any], seed: int) -> None:
    env = made(name, **options)
    moves = 0
    for _, scene, _ in games(env, seed=seed, most=120):
        moves += 1
        assert decode(encode(scene)) == scene
    assert moves >= 5
    env.close()


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_a_game_that_is_over_offers_nothing_and_says_who_has_won(name: str, options: dict[str, Any]) -> None:
    env = made(name, **options)
    if name == "chess_v6":
        for uci in ("f2f3", "e7e5", "g2g4", "d8h4"):
            board = env.unwrapped.board
            (move,) = [
                hot
                for hot in found(env).hot
                if hot.action is not None and hot.label.endswith(f"{uci[:2]} to {uci[2:]}")
            ]
            env.step(clicked(found(env), move))
        assert board.is_checkmate()
    elif name == "go_v5":
        env.step(options["board_size"] ** 2)
        env.step(options["board_size"] ** 2)
    else:
        for _ in games(env, seed=4):
            pass
    scene = found(env)
    assert legal(scene) == []
    assert scene.turn == ""
    (area,) = scene.hot
    assert "The game is over" in area.why
    assert area.why in scene.says
    if name == "chess_v6":
        assert "black has won" in area.why
    while env.agents:  # the dead are stepped out, one by one
        env.step(None)
    assert "The game is over." in found(env).says
    env.close()


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_who_waits_is_offered_nothing_and_hears_whose_turn_it_is(name: str, options: dict[str, Any]) -> None:
    env = made(name, **options)
    waiting = env.possible_agents[1]
    scene = found(env, waiting)
    assert legal(scene) == []
    assert "turn" in scene.hot[0].why
    assert legal(found(env, env.agent_selection)) == legal(found(env))
    env.close()
