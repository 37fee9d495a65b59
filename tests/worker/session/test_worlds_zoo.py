"""Worlds of several agents on real PettingZoo environments, wrapped as they come, and on old ones."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Discrete
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

from mosaic_worker.session.outcome import GONE
from mosaic_worker.session.worlds.zoo import AecWorld, ParallelWorld
from tests.worker.zoo import Counting, Growing, Leaving


def test_in_a_real_game_each_agent_sees_what_the_environment_shows_it() -> None:
    world, env = AecWorld(tictactoe.env()), tictactoe.env()
    world.reset(seed=1)
    env.reset(seed=1)
    assert not world.over
    for move in (4, 0, 2, 6, 3, 5, 1, 7, 8):
        ((agent, seen),) = world.look().items()
        observation, reward, terminated, truncated, _ = env.last()
        assert agent == world.selected == env.agent_selection
        assert (seen.observation["observation"] == observation["observation"]).all()
        assert (seen.reward, seen.terminated, seen.truncated) == (reward, terminated, truncated)
        world.step({agent: move})
        env.step(move)
    assert [world.dead(agent) for agent in ("player_1", "player_2")] == [True, True]
    while not world.over:
        world.step({})  # the dead leave with nothing
    assert world.look() == {}


def test_a_dead_agent_is_stepped_once_more_with_nothing_and_leaves() -> None:
    world = AecWorld(Counting(deaths={"a": 3}))
    world.reset()
    for action in (1, 2, 3):
        world.step({world.selected: action})
    assert world.selected == "a"
    assert world.dead("a")
    assert not world.dead("b")
    world.step({})
    assert world.env.agents == ["b"]


def test_whoever_was_truncated_is_dead_too() -> None:
    world = AecWorld(Counting(turns=1))
    world.reset()
    assert not world.dead("a")
    world.step({"a": 1})
    assert world.dead("a")
    assert world.dead("b")


def test_a_book_that_a_class_makes_up_itself_is_read_too() -> None:
    class Derived(Counting):
        @property
        def honours(self) -> dict[str, int]:
            return {"a": 1}

    assert AecWorld(Derived()).book("honours") == {"a": 1}


def test_books_are_read_from_the_outermost_layer_that_has_them() -> None:
    env = tictactoe.env()
    world = AecWorld(env)
    world.reset()
    assert world.core is env.unwrapped
    assert world.book("terminations") == {"player_1": False, "player_2": False}
    env.terminations = {"player_1": True}
    assert world.dead("player_1")
    assert world.book("nothing of the kind") == {}
    assert world.observe("player_1")["action_mask"].tolist() == [1] * 9


def test_agents_that_act_at_once_get_what_the_step_gave_them() -> None:
    world, env = ParallelWorld(rps.parallel_env(max_cycles=2)), rps.parallel_env(max_cycles=2)
    world.reset(seed=1)
    first, infos = env.reset(seed=1)
    assert {agent: one.observation for agent, one in world.look().items()} == first
    assert {agent: one.info for agent, one in world.look().items()} == infos
    for actions in ({"player_0": 0, "player_1": 1}, {"player_0": 2, "player_1": 1}):
        world.step(actions)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for agent, one in world.look().items():
            assert (one.observation, one.reward) == (observations[agent], rewards[agent])
            assert (one.terminated, one.truncated) == (terminated[agent], truncated[agent])
            assert one.info == infos[agent]
    assert world.over
    assert {one.how for one in world.look().values()} == {GONE}


def test_an_agent_that_joins_late_is_seen_from_then_on_without_a_reward() -> None:
    world = ParallelWorld(Growing())
    world.reset()
    world.step({"first": 1})
    assert list(world.look()) == ["first"]
    world.step({"first": 1})
    assert list(world.look()) == ["first", "second"]
    joined = world.look()["second"]
    assert (joined.observation, joined.reward, joined.terminated, joined.how) == (2, 0.0, False, "")


def test_an_agent_taken_out_without_a_flag_is_gone() -> None:
    world = ParallelWorld(Leaving())
    world.reset()
    world.step({"a": 1, "b": 2})
    assert [(agent, one.how) for agent, one in world.look().items()] == [("a", ""), ("b", GONE)]


class Old:
    """As before PettingZoo 1.22: no infos at the reset, four values from a step, no spaces by agent."""

    agents = ["a"]  # noqa: RUF012

    def reset(self) -> Any:
        return {"a": 5}

    def step(self, actions: dict[str, int]) -> Any:
        return {"a": actions["a"]}, {"a": 1.0}, {"a": True}, {"a": {"said": 1}}


def test_old_environments_are_read_as_todays() -> None:
    world = ParallelWorld(Old())
    world.reset()
    assert [(one.observation, one.info) for one in world.look().values()] == [(5, None)]
    world.step({"a": 3})
    one = world.look()["a"]
    assert (one.observation, one.reward, one.terminated, one.truncated) == (3, 1.0, True, False)
    assert one.info == {"said": 1}


def test_a_space_is_an_agents_own_or_unknown() -> None:
    assert AecWorld(Counting()).action_space("a") == Discrete(10)
    assert ParallelWorld(Old()).action_space("a") is None
    world = AecWorld(tictactoe.env())
    assert world.action_space("nobody") is None
