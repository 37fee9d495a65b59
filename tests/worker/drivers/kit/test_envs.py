"""The environments of a driver: made as the job says, refused in a sentence, compared with the checkpoint."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from mosaic_worker.drivers.kit.command import Refused, Words
from mosaic_worker.drivers.kit.envs import check_same_spaces, make, spaces_of, with_masks

LAKE = {"observation": "Discrete(16)", "action": "Discrete(4)"}


def words(env: str, **arguments: Any) -> Words:
    return Words(kind="train", env=env, env_arguments=arguments)


def test_an_environment_is_made_with_its_arguments() -> None:
    env = make(words("FrozenLake-v1", is_slippery=False, map_name="8x8"))
    assert env.spec is not None
    assert env.spec.kwargs["is_slippery"] is False
    assert spaces_of(env) == {"observation": "Discrete(64)", "action": "Discrete(4)"}
    env.close()


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (words("FrozenLak-v1"), "cannot make 'FrozenLak-v1': Environment `FrozenLak` doesn't exist"),
        (words("FrozenLake-v9"), "cannot make 'FrozenLake-v9': "),
        (
            words("FrozenLake-v1", size=3, big=True),
            "'FrozenLake-v1' does not take env.size=3, env.big=True: ",
        ),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(job: Words, said: str) -> None:
    with pytest.raises(Refused) as refused:
        make(job)
    assert str(refused.value).startswith(said)


def test_an_error_of_the_environments_own_is_not_taken_for_a_wrong_word() -> None:
    with pytest.raises(KeyError):
        make(words("FrozenLake-v1", map_name="9x9"))


@pytest.mark.parametrize("spaces", [LAKE, {"action": "Discrete(4)"}, {}])
def test_a_checkpoint_of_the_same_spaces_fits(spaces: dict[str, str]) -> None:
    env = gym.make("FrozenLake-v1")
    check_same_spaces(env, words("FrozenLake-v1"), trained_on="FrozenLake-v1", spaces=spaces)
    env.close()


@pytest.mark.parametrize(
    ("changed", "trained_on", "said"),
    [
        (
            {"observation": "Discrete(64)"},
            "FrozenLake8x8-v1",
            "its observation space is Discrete(16), the policy was trained on FrozenLake8x8-v1 with "
            "Discrete(64). Use it with --env FrozenLake8x8-v1",
        ),
        (
            {"action": "Discrete(6)"},
            "",
            "its action space is Discrete(4), the policy was trained on an environment with Discrete(6). "
            "Use it with --env that one",
        ),
    ],
)
def test_a_checkpoint_of_other_spaces_is_refused_with_the_way_out(
    changed: dict[str, str], trained_on: str, said: str
) -> None:
    env = gym.make("FrozenLake-v1")
    with pytest.raises(Refused) as refused:
        check_same_spaces(env, words("FrozenLake-v1"), trained_on=trained_on, spaces={**LAKE, **changed})
    assert said in str(refused.value)
    env.close()


class Door(gym.Env[Any, Any]):
    """Says in its info which actions are possible, from the second step on something else."""

    observation_space = gym.spaces.Discrete(9)
    action_space = gym.spaces.Discrete(2)
    spec: Any = gym.envs.registration.EnvSpec("Door-v0")

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.count = 0
        return 0, self.said()

    def step(self, action: Any) -> Any:
        self.count += 1
        return self.count, 1.0, False, False, self.said()

    def said(self) -> dict[str, Any]:
        return {"action_mask": np.array([self.count % 2, 1])}


class Own(Door):
    """Has the method that the framework asks for."""

    def action_masks(self) -> Any:
        return np.array([0, 0])


class Mute(Door):
    def said(self) -> dict[str, Any]:
        return {}


def test_masks_are_those_the_environment_said_last() -> None:
    env: Any = with_masks(Door())
    assert env.unwrapped.spec.id == "Door-v0"
    assert env.reset(seed=3)[0] == 0
    assert env.action_masks().tolist() == [0, 1]
    assert env.step(1)[:2] == (1, 1.0)
    assert env.action_masks().tolist() == [1, 1]
    env.reset()
    assert env.action_masks().tolist() == [0, 1]


def test_masks_of_the_environments_own_come_first_through_any_wrapper() -> None:
    env = with_masks(gym.wrappers.TimeLimit(Own(), 5))
    env.reset()
    assert env.action_masks().tolist() == [0, 0]


def test_an_environment_that_says_no_masks_is_refused_when_they_are_asked_for() -> None:
    env = with_masks(Mute())
    env.reset()
    with pytest.raises(Refused, match=r"Door-v0 does not say which actions are possible.*another algorithm"):
        env.action_masks()
