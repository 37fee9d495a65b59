"""The card of `sbx`: what each algorithm can do. Against the library itself: tests/frameworks."""

from __future__ import annotations

from mosaic.runners.own.sbx import RUNNER

ALGORITHMS = {one.id: one for one in RUNNER.card.algorithms}


def names(algorithm: str) -> set[str]:
    return {one.name for one in ALGORITHMS[algorithm].parameters}


def test_its_own_package_comes_first_and_jax_is_asked_for() -> None:
    assert RUNNER.card.id == "sbx"
    assert RUNNER.card.requirements[0].startswith("sbx-rl==")
    assert "jax" in RUNNER.card.imports


def test_maps_of_observations_are_taken_where_there_is_a_policy_for_them() -> None:
    taken = {name for name, one in ALGORITHMS.items() if "Dict" in one.observations}
    assert taken == {"sac", "td3", "tqc", "crossq"}
    assert all("Box" in one.observations for one in ALGORITHMS.values())


def test_crossq_has_no_target_network_and_so_no_tau() -> None:
    assert "tau" not in names("crossq")
    assert "tau" in names("sac")


def test_the_critic_has_a_learning_rate_of_its_own_off_policy() -> None:
    assert {name for name in ALGORITHMS if "qf_learning_rate" in names(name)} == set(ALGORITHMS) - {
        "ppo",
        "dqn",
    }
