"""What `sb3` and `sbx` share: where an algorithm is first tried, what the driver can do, what is pinned."""

from __future__ import annotations

import pytest

from mosaic.protocol.cards import Job
from mosaic.runners.own.sb3_family import ANY_ACTION, STABLE_BASELINES, algorithm, family_runner


@pytest.mark.parametrize(
    ("actions", "env_id"),
    [(["Discrete"], "CartPole-v1"), (ANY_ACTION, "CartPole-v1"), (["Box"], "Pendulum-v1")],
)
def test_an_algorithm_is_first_tried_where_its_actions_fit(actions: list[str], env_id: str) -> None:
    made = algorithm(
        "x", "X", "Text.", {"gamma": 0.5}, actions=actions, observations=["Box"], policies=["MlpPolicy"]
    )
    assert (made.default_env, made.default_steps, made.actions) == (env_id, 50_000, actions)
    assert (made.observations, made.needs_action_masks) == (["Box"], False)
    assert {one.name: one.default for one in made.parameters}["gamma"] == 0.5
    assert {one.name: one for one in made.parameters}["policy"].choices == ["auto", "MlpPolicy"]


def test_the_runner_starts_the_driver_of_its_name_and_installs_its_own_first() -> None:
    runner = family_runner(
        "sbx", title="T", text="Text.", algorithms=[], packages=["own==1"], imports=["own"], url="https://x"
    )
    card = runner.card
    assert (card.id, card.title, card.url, card.torch, card.imports) == (
        "sbx",
        "T",
        "https://x",
        True,
        ["own"],
    )
    assert card.requirements[0] == "own==1"
    assert all("==" in one for one in card.requirements), "every package is pinned"
    can = card.capabilities
    assert (can.supports_resume, can.supports_warmstart, can.supports_eval) == (True, True, True)
    assert (can.supports_checkpoint, can.supports_vector, can.supports_pause) == (True, True, True)
    assert can.gpu == "optional"
    assert card.pickled_checkpoints, "loading its checkpoints can run code"
    words = runner.command(Job(runner="sbx", algorithm="ppo", env_id="CartPole-v1"), python="/py")
    assert words[:3] == ["/py", "-m", "mosaic_worker.drivers.sbx"]
    assert STABLE_BASELINES.startswith("stable-baselines3==")
