"""A vector world on real vector environments: batches of every action space, masks, seeds, frames."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from mosaic_worker.session.outcome import BEGAN, RESTARTED
from mosaic_worker.session.worlds.vector import VectorWorld


def lakes(mode: AutoresetMode, count: int = 3) -> Any:
    return gym.make_vec(
        "FrozenLake-v1", count, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}
    )


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=str)
def test_every_position_gets_what_the_batch_has_for_it(mode: AutoresetMode) -> None:
    world, env = VectorWorld(lakes(mode)), lakes(mode)
    world.reset(seed=4)
    observations, _ = env.reset(seed=4)
    assert [one.observation for one in world.look().values()] == observations.tolist()
    seen = set()
    for turn in range(40):
        actions = [(turn + index) % 4 for index in range(3)]
        ended = [bool(one.terminated or one.truncated) for one in world.look().values()]
        world.step(dict(enumerate(actions)))
        observations, rewards, terminated, truncated, infos = env.step(np.array(actions))
        for index, one in world.look().items():
            assert (one.observation, one.reward) == (observations[index], rewards[index])
            assert (one.terminated, one.truncated) == (terminated[index], truncated[index])
            if mode == AutoresetMode.NEXT_STEP:
                assert (one.how == BEGAN) is ended[index]
            else:
                assert (one.how == RESTARTED) is bool(terminated[index] or truncated[index])
                assert one.last == (infos["final_obs"][index] if one.how else None)
            seen.add(one.how)
    assert len(seen) == 2  # it did end and begin
    assert world.restarts
    assert not world.over


class Echo:
    """Takes whatever batch it is given, and keeps it."""

    metadata = {"autoreset_mode": AutoresetMode.DISABLED}  # noqa: RUF012
    num_envs = 2

    def __init__(self, space: Any, *, observation: Any = None, infos: Any = None) -> None:
        self.single_action_space = space
        self.single_observation_space = observation or spaces.Discrete(3)
        self.infos = infos if infos is not None else {}
        self.seen: Any = np.array([1, 2])
        self.unwrapped = self

    def reset(self, **given: Any) -> Any:
        self.given = given
        return self.seen, self.infos

    def step(self, batch: Any) -> Any:
        self.batch = batch
        no = np.zeros(2, bool)
        return self.seen, np.zeros(2), no, no, self.infos

    def render(self) -> Any:
        return self.drawn

    drawn: Any = None


def stepped(space: Any, first: Any, second: Any) -> Any:
    env = Echo(space)
    world = VectorWorld(env)
    world.reset()
    world.step({0: first, 1: second} if second is not None else {0: first})
    return env.batch


def test_actions_of_every_space_make_the_batch_the_environment_takes() -> None:
    assert stepped(spaces.Discrete(3), 1, 2).tolist() == [1, 2]
    box = spaces.Box(-1, 1, (2,), np.float32)
    batch = stepped(box, [0.5, 0.25], np.array([1, 0]))
    assert (batch.dtype, batch.tolist()) == (np.float32, [[0.5, 0.25], [1.0, 0.0]])
    named = stepped(
        spaces.Dict({"a": spaces.Discrete(3), "b": box}), {"a": 1, "b": [0, 1]}, {"a": 2, "b": [1, 1]}
    )
    assert {key: part.tolist() for key, part in named.items()} == {"a": [1, 2], "b": [[0, 1], [1, 1]]}
    pair = stepped(spaces.Tuple((spaces.Discrete(3), box)), (1, [0, 1]), (2, [1, 1]))
    assert isinstance(pair, tuple)
    assert [part.tolist() for part in pair] == [[1, 2], [[0, 1], [1, 1]]]


def test_who_does_nothing_gets_what_a_neighbour_does() -> None:
    assert stepped(spaces.Discrete(3), 2, None).tolist() == [2, 2]


def test_when_nobody_does_anything_the_last_known_action_fills_the_batch() -> None:
    env = Echo(spaces.Discrete(3))
    world = VectorWorld(env)
    world.reset()
    world.step({0: 2, 1: 1})
    world.step({})
    assert env.batch.tolist() == [2, 2]


def test_a_list_of_seeds_is_given_as_it_is_unless_all_are_the_same() -> None:
    env = Echo(spaces.Discrete(2))
    world = VectorWorld(env)
    world.reset(seed=[3, 4])
    assert env.given == {"seed": [3, 4]}
    world.reset(seed=[4, 4])
    assert env.given == {"seed": 4}
    world.reset()
    assert env.given == {}


def test_observations_that_are_tuples_or_dicts_are_taken_apart() -> None:
    pair = spaces.Tuple((spaces.Discrete(9), spaces.Discrete(9)))
    env = Echo(spaces.Discrete(2), observation=pair)
    env.seen = (np.array([1, 2]), np.array([3, 4]))
    world = VectorWorld(env)
    world.reset()
    assert [one.observation for one in world.look().values()] == [(1, 3), (2, 4)]
    env = Echo(spaces.Discrete(2), observation=spaces.Dict({"x": spaces.Discrete(9)}))
    env.seen = {"x": np.array([5, 6])}
    world = VectorWorld(env)
    world.reset()
    world.step({0: 0, 1: 1})
    assert [one.observation for one in world.look().values()] == [{"x": 5}, {"x": 6}]


def test_a_mask_is_the_one_of_its_position() -> None:
    world = VectorWorld(Echo(spaces.Discrete(2), infos={"action_mask": np.array([[1, 0], [0, 1]]), "x": 1}))
    world.reset()
    for _ in range(2):
        assert [one.info["action_mask"].tolist() for one in world.look().values()] == [[1, 0], [0, 1]]
        assert all(set(one.info) == {"action_mask"} for one in world.look().values())
        world.step({0: 0, 1: 1})
    bare = VectorWorld(Echo(spaces.Discrete(2)))
    bare.reset()
    assert [one.info for one in bare.look().values()] == [None, None]


def test_a_position_is_drawn_where_each_has_a_frame_and_the_whole_otherwise() -> None:
    env = Echo(spaces.Discrete(2))
    world = VectorWorld(env)
    whole = SimpleNamespace()
    for drawn, wanted in ((("a", "b"), ["a", "a", "b", "b"]), (whole, [whole] * 4), ((), [()] * 4)):
        env.drawn = drawn
        assert [world.draw(actor) for actor in ("", 0, "1", 7)] == wanted
    assert world.action_space(1) is env.single_action_space
