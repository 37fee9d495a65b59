"""Go: rows before columns, stones by colour and not by who moves, ko and liberties."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.render import hit
from mosaic_worker.common.scene import Disc, Scene
from tests.worker.scenes.playing import found, legal, made, why_of


def point(scene: Scene, label: str) -> tuple[float, float]:
    (hot,) = [one for one in scene.hot if label in (one.label, one.why.split(" on ")[-1][: len(label)])]
    return hot.x + 0.5, hot.y + 0.5


def stones(scene: Scene, role: str) -> list[tuple[float, float]]:
    return [(item.x, item.y) for item in scene.items if isinstance(item, Disc) and item.fill == role]


@pytest.fixture
def env() -> Any:
    return made("go_v5", board_size=5)


def play(env: Any, *names: str) -> None:
    for name in names:
        (move,) = [hot for hot in found(env).hot if hot.label == name]
        env.step(move.action)


def test_a_point_is_named_as_players_do_and_numbered_by_rows(env: Any) -> None:
    scene = found(env)
    (b5,) = [hot for hot in scene.hot if hot.label == "B5"]
    (a4,) = [hot for hot in scene.hot if hot.label == "A4"]
    assert (b5.action, a4.action) == (1, 5)
    assert hit.press(scene, b5.x + 0.5, b5.y + 0.5).moves == (b5,)
    assert (b5.x, b5.y) == (1.5, 0.5)


def test_stones_keep_their_colour_whoever_moves(env: Any) -> None:
    at = point(found(env), "C3")
    play(env, "C3")
    for name in ("A1", "E5"):
        assert stones(found(env), "piece.black")[0] == at or at in stones(found(env), "piece.black")
        play(env, name)
    assert len(stones(found(env), "piece.white")) == 1


def test_the_last_move_is_ringed(env: Any) -> None:
    at = point(found(env), "B2")
    play(env, "B2")
    scene = found(env)
    assert [(item.x, item.y) for item in scene.items if "mark.last.dot" in item] == [at]
    assert "Last move: black B2." in scene.says


def test_to_pass_is_a_button(env: Any) -> None:
    scene = found(env)
    (button,) = [hot for hot in scene.hot if hot.label == "pass"]
    assert button.action == 25
    assert hit.press(scene, scene.width / 2, button.y + 0.3).moves == (button,)
    env.step(25)
    assert "Last move: black passed." in found(env).says


def test_reasons_are_a_stone_ko_and_no_liberty(env: Any) -> None:
    play(env, "B2")
    at = next((hot.x + 0.5, hot.y + 0.5) for hot in found(env).hot if "B2" in hot.why)
    assert why_of(found(env), *at) == "There is a black stone on B2 already."
    # White's stone on B3 is taken by black on C3; taking back at once would be ko.
    play(env, "C2", "A3", "D3", "B4", "C4", "C3", "B3")
    scene = found(env)
    assert any(hot.why.startswith("C3 is ko") for hot in scene.hot)
    assert 2 * 5 + 2 not in legal(scene)


def test_a_stone_without_liberty_is_refused(env: Any) -> None:
    play(env, "A4", "E1", "B5", "E2")
    env.step(25)
    assert any(hot.why == "A stone on A5 would have no liberty." for hot in found(env).hot)
