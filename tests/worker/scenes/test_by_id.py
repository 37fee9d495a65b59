"""Which environment has which scene: by id, PettingZoo's name, class; by others' packages too."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest

from mosaic_worker import report
from mosaic_worker.common.scene import Scene
from mosaic_worker.scenes import by_id
from mosaic_worker.scenes.by_id import GROUP, names_of, scene_of
from tests.worker.scenes.playing import found, made, single


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    yield
    by_id._maker.cache_clear()
    by_id._entry_points.cache_clear()


def theirs(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Somebody's package offers a maker."""
    entry = importlib.metadata.EntryPoint(name, value, GROUP)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda: importlib.metadata.EntryPoints([entry]))
    by_id._maker.cache_clear()
    by_id._entry_points.cache_clear()


def their_scene(_env: Any, _actor: Any, last: int | None) -> Scene:
    return Scene(1, 1, says=f"theirs {last}")


def their_mistake(_env: Any, _actor: Any, _last: int | None) -> Scene:
    raise RuntimeError("a maker of somebody's")


HERE = "tests.worker.scenes.test_by_id"


def test_wrappers_do_not_hide_an_environment() -> None:
    env = gymnasium.wrappers.TransformReward(single("FrozenLake-v1"), lambda reward: reward)
    assert found(env).says.startswith("Frozen lake")
    assert found(made("tictactoe_v3").unwrapped).says.startswith("Tic-tac-toe")


def test_an_environment_made_without_an_id_is_known_by_its_class() -> None:
    from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

    class Mine(FrozenLakeEnv):
        pass

    env = Mine()
    env.reset(seed=1)
    assert found(env).says.startswith("Frozen lake")


def test_an_environment_of_a_vector_is_shown_by_its_position() -> None:
    vector: Any = gymnasium.make_vec("FrozenLake-v1", num_envs=2, vectorization_mode="sync")
    vector.reset(seed=1)
    vector.envs[1].unwrapped.s = 5
    assert "row 1, column 1" in found(vector, 0).says
    assert "row 2, column 2" in found(vector, 1).says
    vector.close()


def test_an_environment_nobody_knows_has_no_scene() -> None:
    assert scene_of(single("CartPole-v1")) is None
    assert scene_of(None) is None
    assert scene_of(object()) is None


def test_names_go_from_the_particular_to_the_general() -> None:
    env = single("CliffWalking-v1")
    assert list(names_of(env, env.unwrapped))[:3] == ["CliffWalking-v1", "CliffWalking", "CliffWalkingEnv"]
    game = made("go_v5", board_size=5)
    assert list(names_of(game, game.unwrapped))[:2] == ["go_v5", "go"]


def test_a_maker_of_another_package_is_found_and_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs(monkeypatch, "CartPole", f"{HERE}:their_scene")
    assert found(single("CartPole-v1"), last=1).says == "theirs 1"
    theirs(monkeypatch, "FrozenLake-v1", f"{HERE}:their_scene")
    assert found(single("FrozenLake-v1")).says == "theirs None"


def test_a_maker_that_fails_is_said_once_and_the_next_name_is_tried(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "_said", set())
    monkeypatch.setattr(report, "_counts", {})
    theirs(monkeypatch, "Acrobot", f"{HERE}:their_mistake")
    env = single("Acrobot-v1")
    assert scene_of(env) is None
    assert scene_of(env) is None
    assert capfd.readouterr().err.count("a maker of somebody's") == 1


def test_looking_changes_nothing() -> None:
    game, other = made("chess_v6"), made("chess_v6")
    for env in (game, other):
        env.step(env.observe(env.agent_selection)["action_mask"].nonzero()[0][3])
    for _ in range(3):
        found(game)
    assert game.unwrapped.board == other.unwrapped.board
    assert game.last()[0]["action_mask"].tolist() == other.last()[0]["action_mask"].tolist()
