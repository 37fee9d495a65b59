"""The program of a branch: as recorded up to a step, then on, in every kind of world."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

from mosaic_worker.replay.branch import main
from mosaic_worker.values import plain

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore:The old environment creation API:DeprecationWarning")
CARTPOLE: dict[str, Any] = {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}}
VECTOR: dict[str, Any] = {
    "api": "gymnasium", "id": "CartPole-v1", "vector": True, "num_envs": 2,
    "kwargs": {"vectorization_mode": "vector_entry_point"},
}  # fmt: skip
TICTACTOE: dict[str, Any] = {
    "api": "pettingzoo-aec", "module": "pettingzoo.classic.tictactoe_v3", "function": "env",
}  # fmt: skip
LEAVING: dict[str, Any] = {
    "api": "pettingzoo-parallel", "module": "tests.worker.zoo", "function": "Leaving",
}  # fmt: skip


RANDOM = {"kind": "random", "name": "random"}


@pytest.fixture(autouse=True)
def _no_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process keeps its own handlers."""
    monkeypatch.setattr("signal.signal", lambda *_: None)


def listed(folder: Path, actions: list[Any]) -> dict[str, Any]:
    """The seat of a list of actions."""
    path = folder / "actions.json"
    path.write_text(json.dumps(actions))
    return {"*": {"kind": "actions", "name": "actions", "path": str(path)}}


def branch(folder: Path, env: dict[str, Any], **given: Any) -> int:
    """Run the program with a plan, as `mosaic branch` writes it."""
    units = given.pop("units", [{"reset": {"seed": 3}, "turns": []}])
    plan = {"env": env, "units": units, "turn": len(units[-1]["turns"]), "seats": {"*": RANDOM}, "seed": 1,
            "max_steps": 1000, "allowed": ["tests"], "path": [], "told": {}}  # fmt: skip
    path = folder / "plan.json"
    path.write_text(json.dumps({**plan, **given}))
    code = main(str(path))
    assert not path.exists()
    return code


def recorded(actions: list[int]) -> dict[str, Any]:
    """A unit of CartPole, as it is recorded."""
    env = gym.make("CartPole-v1")
    first, _ = env.reset(seed=3)
    turns = []
    for action in actions:
        obs, reward, terminated, truncated, _ = env.step(action)
        turns.append([action, float(reward), int(terminated) + 2 * int(truncated), plain(obs)])
    return {"reset": {"seed": 3}, "first": plain(first), "turns": turns}


def test_random_actions_are_those_of_the_seeded_space_until_the_episode_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert branch(tmp_path, CARTPOLE, units=[recorded([0]), recorded([1, 0])]) == 0
    env = gym.make("CartPole-v1")
    env.reset(seed=3)
    env.step(1)
    env.step(0)
    env.action_space.seed(1)
    steps, over = 0, False
    while not over:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        steps, over = steps + 1, bool(terminated or truncated)
    assert capsys.readouterr().out == f"played 2 steps as recorded, then {steps} more\n"


def test_given_actions_are_done_one_after_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert branch(tmp_path, CARTPOLE, units=[recorded([1])], seats=listed(tmp_path, [0, 1, 0])) == 0
    assert branch(tmp_path, CARTPOLE, seats=listed(tmp_path, [1] * 99)) == 0
    pendulum = {**CARTPOLE, "id": "Pendulum-v1"}
    assert branch(tmp_path, pendulum, seats=listed(tmp_path, [[0.5], [1.0]])) == 0
    assert capsys.readouterr().out.splitlines() == [
        "played 1 steps as recorded, then 3 more",
        "played 0 steps as recorded, then 10 more",
        "played 0 steps as recorded, then 2 more",
    ]


def test_an_episode_that_is_over_stays_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert branch(tmp_path, CARTPOLE, units=[recorded([1] * 10)]) == 0
    assert capsys.readouterr().out == "played 10 steps as recorded, then 0 more\n"


def test_a_state_that_is_not_the_recorded_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unit = recorded([1, 0, 1])
    unit["turns"][1][1] = 7.0
    assert branch(tmp_path, CARTPOLE, units=[unit]) == 1
    assert "cannot branch here: turn 2 differs from the record: reward was 7.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("env", "most", "said"),
    [
        (VECTOR, 40, "then 40 more"),  # its positions restart by themselves
        (LEAVING, 40, "then 3 more"),
        (LEAVING, 2, "then 2 more"),
        (TICTACTOE, 4, "then 4 more"),
    ],
)
def test_every_kind_of_world_is_played_on_at_random(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], env: dict[str, Any], most: int, said: str
) -> None:
    assert branch(tmp_path, env, max_steps=most) == 0
    assert capsys.readouterr().out == f"played 0 steps as recorded, {said}\n"


def test_random_players_of_a_board_game_keep_to_legal_moves_to_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(5):
        assert branch(tmp_path, TICTACTOE, seed=seed) == 0
    steps = [int(line.split()[-2]) for line in capsys.readouterr().out.splitlines()]
    assert all(5 + 2 <= count <= 9 + 2 for count in steps)  # an illegal move would end the game at once
