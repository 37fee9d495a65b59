"""The card of `sb3`: what each algorithm can do. Against the library itself: tests/frameworks."""

from __future__ import annotations

from mosaic.runners.own.sb3 import RUNNER

ALGORITHMS = {one.id: one for one in RUNNER.card.algorithms}


def default(algorithm: str, name: str) -> object:
    return next(one.default for one in ALGORITHMS[algorithm].parameters if one.name == name)


def test_its_packages_and_imports_are_those_of_both_libraries() -> None:
    assert RUNNER.card.id == "sb3"
    names = {one.partition("==")[0] for one in RUNNER.card.requirements}
    assert {"stable-baselines3", "sb3-contrib"} <= names
    assert {"stable_baselines3", "sb3_contrib", "torch"} <= set(RUNNER.card.imports)


def test_every_algorithm_takes_maps_of_observations_and_three_policies() -> None:
    for one in ALGORITHMS.values():
        assert "Dict" in one.observations
        policy = next(parameter for parameter in one.parameters if parameter.name == "policy")
        assert policy.choices == ["auto", "MlpPolicy", "CnnPolicy", "MultiInputPolicy"]


def test_variants_differ_from_what_they_are_made_from_where_the_library_does() -> None:
    assert (default("ppo", "n_steps"), default("recurrent_ppo", "n_steps")) == (2048, 128)
    assert (default("dqn", "max_grad_norm"), default("qrdqn", "max_grad_norm")) == (10.0, None)
    assert (default("td3", "policy_delay"), default("a2c", "n_steps")) == (2, 5)
    assert "use_sde" in {one.name for one in ALGORITHMS["ppo"].parameters}
    assert "use_sde" not in {one.name for one in ALGORITHMS["maskable_ppo"].parameters}
