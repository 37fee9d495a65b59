"""Real environments stepped as recorded: what is the same gives nothing, what is not is told whose it is."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mosaic_worker.replay.sims import Found, Sim, SingleSim, VectorSim, alone
from mosaic_worker.replay.units import Unit
from mosaic_worker.values import plain
from tests.replay import taken

RIGHT = np.array([1, 1, 1])


def cartpole(**more: Any) -> SingleSim:
    return SingleSim(gym.make("CartPole-v1", **more))


def vectors(mode: AutoresetMode) -> Any:
    return gym.make_vec("CartPole-v1", 3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})


def play(sim: Sim, unit: Unit) -> dict[int, Found]:
    """Turn by turn what differed, the reset being -1."""
    found = {-1: sim.reset(unit)}
    while sim.turn < len(unit.turns):
        turn = sim.turn
        found[turn] = sim.step(unit)
        assert sim.found is found[turn]
    return {turn: one for turn, one in found.items() if one}


@pytest.mark.parametrize("seed", [3, None])
def test_an_episode_comes_out_as_recorded_seeded_or_from_the_state_of_its_generator(seed: int | None) -> None:
    env = gym.make("CartPole-v1")
    env.reset(seed=8)
    unit = taken.single(env, [1, 0, 1, 1], seed=seed)
    sim = cartpole()
    for _ in range(2):  # whatever it went through before
        assert play(sim, unit) == {}
        assert sim.turn == 4


@pytest.mark.parametrize(("limit", "ended"), [(None, 1), (4, 2)])
def test_an_episode_ends_as_it_ended(limit: int | None, ended: int) -> None:
    unit = taken.single(gym.make("CartPole-v1", max_episode_steps=limit), [1] * (limit or 10))
    assert unit.turns[-1][2] == ended
    assert play(cartpole(max_episode_steps=limit), unit) == {}


def test_continuous_actions_are_given_bit_for_bit() -> None:
    actions = [np.array([value], np.float32) for value in (0.1, -1.7, 2.0)]
    unit = taken.single(gym.make("Pendulum-v1"), actions)
    assert play(SingleSim(gym.make("Pendulum-v1")), unit) == {}
    unit.turns[1][0] = plain(np.array([np.nextafter(np.float32(-1.7), np.float32(0))], np.float32))
    assert play(SingleSim(gym.make("Pendulum-v1")), unit) != {}


def test_each_part_of_a_turn_is_compared() -> None:
    def what(**changes: Any) -> dict[int, str]:
        unit = taken.single(gym.make("CartPole-v1"), [1, 0, 1])
        unit.first = changes.get("first", unit.first)
        for position, name in enumerate(("action", "reward", "flags", "obs")):
            unit.turns[1][position] = changes.get(name, unit.turns[1][position])
        return {turn: one["what"] for turn, [(_, one)] in play(cartpole(), unit).items()}

    assert what() == {}
    assert what(first=plain(np.zeros(4, np.float32))) == {-1: "obs[0]"}
    assert what(reward=2.0) == {1: "reward"}
    assert what(flags=2) == {1: "truncated"}
    assert what(obs=plain(np.zeros(4, np.float32))) == {1: "obs[0]"}
    assert what(action=1) == {1: "obs[1]", 2: "obs[0]"}
    assert what(obs=None) == {}  # nobody looked at it then


class Places(gym.Env[Any, Any]):
    """Begins where it is told to."""

    observation_space = gym.spaces.Box(-9, 9, (1,))
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.resets = getattr(self, "resets", 0) + 1
        return (options or {}).get("at", np.zeros(1)), {}

    def step(self, action: Any) -> Any:
        return np.ones(1), 0.0, False, False, {}

    def render(self) -> Any:
        return "drawn"


def test_the_options_of_a_reset_are_given_again() -> None:
    unit = Unit(reset={"options": plain({"at": np.full(1, 5.0)})}, first=plain(np.full(1, 5.0)), turns=[])
    assert play(SingleSim(Places()), unit) == {}
    unit.reset = {}
    assert list(play(SingleSim(Places()), unit)) == [-1]


def test_steps_after_an_end_are_played_without_a_reset() -> None:
    unit = Unit(reset={"called": False}, first=None, turns=[[0, 0.0, 0, plain(np.ones(1))]])
    sim = SingleSim(Places())
    sim.env.reset()
    sim.turn, sim.books, sim.found = 9, {"old": 1}, [("", {"what": "obs"})]
    assert sim.reset(unit) == sim.found == []
    assert (sim.env.resets, sim.turn, sim.books) == (1, 0, {})
    assert sim.step(unit) == []


def test_a_sim_draws_and_closes_its_environment_and_knows_the_innermost() -> None:
    env = gym.make("CartPole-v1", render_mode="rgb_array")
    sim = SingleSim(env)
    sim.reset(taken.single(gym.make("CartPole-v1"), []))
    assert sim.env is env
    assert sim.core is env.unwrapped
    assert sim.frame("").shape == (400, 600, 3)
    sim.close()
    assert env.unwrapped.screen is None or not env.unwrapped.isopen


def test_a_difference_of_nobodys_stands_alone() -> None:
    assert alone(None) == []
    assert alone({"what": "obs"}) == [("", {"what": "obs"})]


@pytest.mark.parametrize(
    ("mode", "how"), [(AutoresetMode.NEXT_STEP, "began"), (AutoresetMode.SAME_STEP, "restarted")]
)
def test_positions_that_restart_by_themselves_come_out_as_recorded(mode: AutoresetMode, how: str) -> None:
    unit = taken.vector(vectors(mode), [RIGHT] * 24)
    assert sum(one[3] == how for _, expected in unit.turns for one in expected) > 2
    assert play(VectorSim(vectors(mode)), unit) == {}


def changed(mode: AutoresetMode, how: str, part: int, value: Any) -> tuple[int, int, dict[int, Found]]:
    """Change one part of the first turn that went so, in the record; where it was, and what is found."""
    unit = taken.vector(vectors(mode), [RIGHT] * 24)
    turn, position = next(
        (turn, position)
        for turn, (_, expected) in enumerate(unit.turns)
        for position, one in enumerate(expected)
        if one[3] == how
    )
    unit.turns[turn][1][position][part] = value
    return turn, position, play(VectorSim(vectors(mode)), unit)


@pytest.mark.parametrize(
    ("mode", "how", "part", "value", "what"),
    [
        (AutoresetMode.NEXT_STEP, "", 0, 7.0, "reward"),
        (AutoresetMode.NEXT_STEP, "", 1, 1, "terminated"),
        (AutoresetMode.NEXT_STEP, "", 2, plain(np.zeros(4, np.float32)), "obs[0]"),
        (AutoresetMode.NEXT_STEP, "began", 2, plain(np.zeros(4, np.float32)), "obs[0]"),
        (AutoresetMode.NEXT_STEP, "began", 0, 7.0, None),  # a restart has only its observation to compare
        (AutoresetMode.SAME_STEP, "restarted", 0, 7.0, "reward"),
        (AutoresetMode.SAME_STEP, "restarted", 2, plain(np.zeros(4, np.float32)), "obs[0]"),
        (AutoresetMode.SAME_STEP, "restarted", 4, plain(np.zeros(4, np.float32)), "obs[0]"),
    ],
)
def test_what_differs_in_a_vector_environment_is_told_of_its_position(
    mode: AutoresetMode, how: str, part: int, value: Any, what: str | None
) -> None:
    turn, position, found = changed(mode, how, part, value)
    told = {at: [(whose, one["what"]) for whose, one in some] for at, some in found.items()}
    assert told == ({} if what is None else {turn: [(str(position), what)]})


def test_a_position_nobody_recorded_is_stepped_and_not_compared() -> None:
    unit = taken.vector(vectors(AutoresetMode.NEXT_STEP), [RIGHT] * 4)
    for given, expected in unit.turns:
        given[1], expected[1] = None, None
    assert play(VectorSim(vectors(AutoresetMode.NEXT_STEP)), unit) == {}


def test_the_first_observation_of_every_position_is_compared() -> None:
    unit = taken.vector(vectors(AutoresetMode.NEXT_STEP), [])
    unit.first[2] = plain(np.zeros(4, np.float32))
    assert [whose for whose, _ in play(VectorSim(vectors(AutoresetMode.NEXT_STEP)), unit)[-1]] == ["2"]
    unit.first = None
    assert play(VectorSim(vectors(AutoresetMode.NEXT_STEP)), unit) == {}
