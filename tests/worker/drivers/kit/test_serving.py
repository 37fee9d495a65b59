"""A driver as an operator: our own table, served by a real child over the real wire."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.drivers.kit.command import Refused
from mosaic_worker.drivers.kit.serving import Surroundings
from mosaic_worker.drivers.tabular import State, Table, writer
from mosaic_worker.operators import Seat
from mosaic_worker.operators.remote import Framed
from mosaic_worker.operators.seating import Sitter
from mosaic_worker.session.fitting import described
from mosaic_worker.session.operator import OperatorError

if TYPE_CHECKING:
    from pathlib import Path

SPACES = {"observation": str(gym.spaces.Discrete(3)), "action": str(gym.spaces.Discrete(2))}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A table of three states and two actions."""
    values = np.array([[0.0, 1.0], [2.0, 2.0], [4.0, 3.0]])
    table = Table(values, np.random.default_rng(0), first_observation=0, first_action=0)
    path = tmp_path / "table.npz"
    with path.open("wb") as file:
        writer(table, State(env="Own-v0", algorithm="q_learning", spaces=SPACES))(file)
    return path


def served(path: Path, *words: str, states: int = 3) -> Framed:
    argv = [sys.executable, "-m", "mosaic_worker.drivers.tabular", "play", "--checkpoint", str(path), *words]
    sitter = Sitter("Own-v0", "", gym.spaces.Discrete(states), gym.spaces.Discrete(2), 30.0)
    return Framed(argv, name="table", about=sitter.told())


def view(observation: Any) -> Any:
    return SimpleNamespace(observation=observation, mask=None, step=0, returned=0.0)


def test_it_decides_by_its_best_actions_and_says_the_values(saved: Path) -> None:
    child = served(saved)
    try:
        child.start()
        child.wait_ready()
        child.begin(Seat("", gym.spaces.Discrete(2), 1))
        found = [child.act(view(np.int64(state))) for state in (0, 1, 2)]
    finally:
        child.close()
    assert [choice.action for choice in found] == [1, 0, 0]
    assert found[2].data is not None
    assert (found[2].data["q"], found[2].data["value"]) == ([4.0, 3.0], 4.0)


def test_with_sampling_it_draws_among_equals_by_the_seats_seed(saved: Path) -> None:
    child = served(saved, "sample=true")
    drawn = []
    try:
        child.start()
        child.wait_ready()
        for seed in (1, 1, 2):
            child.begin(Seat("", gym.spaces.Discrete(2), seed))
            drawn.append([child.act(view(1)).action for _ in range(20)])
    finally:
        child.close()
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) == {0, 1}
    assert drawn[0] != drawn[2]


def test_a_seat_with_other_spaces_is_refused_with_the_environment_that_fits(saved: Path) -> None:
    child = served(saved, states=16)
    try:
        child.start()
        with pytest.raises(
            OperatorError, match=r"observation space there is Discrete\(16\).*trained on Own-v0"
        ):
            child.wait_ready()
    finally:
        child.close()


def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "not.npz"
    path.write_bytes(b"nothing")
    child = served(path)
    try:
        child.start()
        with pytest.raises(OperatorError, match="not a checkpoint of tabular"):
            child.wait_ready()
    finally:
        child.close()


def told(observation: Any, action: Any) -> dict[str, Any]:
    return {"observation": described(observation), "action": described(action)}


BOX = gym.spaces.Box(np.array([-4.8, -np.inf], np.float32), np.array([4.8, np.inf], np.float32))
SEVERAL = gym.spaces.Dict({"a": BOX, "b": gym.spaces.Tuple([gym.spaces.Discrete(2)])})


@pytest.mark.parametrize("space", [BOX, SEVERAL, gym.spaces.MultiDiscrete([2, 3]), gym.spaces.MultiBinary(4)])
def test_the_same_spaces_fit_whatever_numpy_writes(space: Any) -> None:
    trained = json.loads(json.dumps(told(space, gym.spaces.Discrete(2))))
    trained["observation"]["text"] = "written by another numpy"
    around = Surroundings("E", told(space, gym.spaces.Discrete(2)))
    around.check(trained_on="E", spaces=trained)


def test_the_largest_float_stands_for_no_bound() -> None:
    most = float(np.finfo(np.float32).max)
    older = gym.spaces.Box(np.array([-4.8, -most], np.float32), np.array([4.8, most], np.float32))
    around = Surroundings("E", told(BOX, gym.spaces.Discrete(2)))
    around.check(trained_on="E", spaces=told(older, gym.spaces.Discrete(2)))


@pytest.mark.parametrize(
    "other",
    [
        gym.spaces.Box(-1, 1, (2,)),
        gym.spaces.Box(-4.8, 4.8, (3,)),
        gym.spaces.Box(-4.8, 4.8, (2,), np.float64),
        gym.spaces.Box(-4.8, 4.8, (65,)),  # too many bounds to be told
        gym.spaces.Discrete(2),
        SEVERAL,
    ],
)
def test_other_spaces_are_refused(other: Any) -> None:
    around = Surroundings("E", told(other, gym.spaces.Discrete(2)))
    with pytest.raises(Refused, match="does not fit E: the observation space there is"):
        around.check(trained_on="F", spaces=told(BOX, gym.spaces.Discrete(2)))


@pytest.mark.parametrize(
    "other",
    [
        gym.spaces.Dict({"a": BOX}),
        gym.spaces.Dict({"a": BOX, "b": gym.spaces.Tuple([])}),
    ],
)
def test_parts_that_are_missing_are_noticed(other: Any) -> None:
    with pytest.raises(Refused):
        Surroundings("E", told(other, None)).check(trained_on="", spaces=told(SEVERAL, None))


def test_as_many_parts_with_and_without_names_are_other_spaces() -> None:
    pair = gym.spaces.Tuple([BOX, BOX])
    for here, trained in ((SEVERAL, pair), (pair, SEVERAL)):
        with pytest.raises(Refused):
            Surroundings("E", told(here, None)).check(trained_on="", spaces=told(trained, None))


def test_where_only_texts_are_known_they_are_compared_without_their_blanks() -> None:
    around = Surroundings("E", told(BOX, None))
    around.check(trained_on="", spaces={"observation": "Box([-4.8   -inf], [4.8\n inf], (2,), float32)"})
    with pytest.raises(Refused):
        around.check(trained_on="", spaces={"observation": "Box([-4.8 -inf], [4.7 inf], (2,), float32)"})


def test_a_seat_that_does_not_say_its_spaces_is_taken_at_its_word() -> None:
    Surroundings("E", {"observation": None}).check(trained_on="E", spaces=SPACES)
