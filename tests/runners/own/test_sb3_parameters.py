"""Parameters described once, with each algorithm's own defaults."""

from __future__ import annotations

import pytest

from mosaic.errors import UsageError
from mosaic.runners.own.sb3_parameters import ACTOR_CRITIC, OFF_POLICY, parameters
from mosaic.runners.parameters import convert


@pytest.mark.parametrize("own", [ACTOR_CRITIC, OFF_POLICY])
def test_an_algorithms_own_come_first_with_its_defaults_and_each_default_is_allowed(
    own: dict[str, object],
) -> None:
    found = parameters(own, policies=["MlpPolicy"])
    assert {one.name: one.default for one in found[: len(own)]} == own
    assert all(one.help for one in found)
    assert len({one.name for one in found}) == len(found)
    for one in found:
        if one.default is not None:
            assert convert(one, str(one.default).lower()) == one.default


def test_only_what_has_a_replay_buffer_can_save_one() -> None:
    assert "save_replay_buffer" in {one.name for one in parameters(OFF_POLICY, policies=[])}
    assert "save_replay_buffer" not in {one.name for one in parameters(ACTOR_CRITIC, policies=[])}


def test_a_name_that_means_two_things_is_described_by_its_default() -> None:
    weight, learned = (parameters({"ent_coef": value}, policies=[])[0] for value in (0.01, "auto"))
    assert (weight.type, learned.type) == ("float", "str")
    rollout, returns = (parameters({"n_steps": value}, policies=[])[0] for value in (2048, 1))
    assert rollout.help != returns.help
    assert (rollout.advanced, returns.advanced) == (False, True)


def test_a_policy_is_one_of_the_algorithms_or_found_by_itself() -> None:
    (policy,) = [one for one in parameters({}, policies=["CnnPolicy"]) if one.name == "policy"]
    assert (policy.default, policy.choices) == ("auto", ["auto", "CnnPolicy"])


@pytest.mark.parametrize("name", ["n_steps", "batch_size", "n_epochs"])
def test_what_is_counted_begins_at_one(name: str) -> None:
    (one,) = [one for one in parameters({name: 7}, policies=[]) if one.name == name]
    assert convert(one, "1") == 1
    with pytest.raises(UsageError):
        convert(one, "0")
