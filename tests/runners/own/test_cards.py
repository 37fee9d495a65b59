"""The cards of our own runners say what their drivers do."""

from __future__ import annotations

import pytest

from mosaic.protocol.cards import Job
from mosaic.runners.cards import problems
from mosaic.runners.own import sb3, sbx, tabular
from mosaic.runners.parameters import parse
from mosaic_worker.drivers import sb3 as sb3_driver
from mosaic_worker.drivers import sbx as sbx_driver
from mosaic_worker.drivers import tabular as tabular_driver
from mosaic_worker.drivers.kit.command import parse as read
from mosaic_worker.drivers.sb3_family import training

RUNNERS = [tabular.RUNNER, sb3.RUNNER, sbx.RUNNER]


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.card.id)
def test_a_card_has_no_problems(runner: object) -> None:
    assert problems(runner.card) == []  # type: ignore[attr-defined]


def test_the_tabular_card_has_the_drivers_own_defaults() -> None:
    for algorithm in tabular.RUNNER.card.algorithms:
        assert {p.name: p.default for p in algorithm.parameters} == tabular_driver.DEFAULTS
        assert algorithm.default_steps == tabular_driver.DEFAULT_STEPS


@pytest.mark.parametrize(("card", "family"), [
    (sb3.RUNNER.card, sb3_driver.FAMILY), (sbx.RUNNER.card, sbx_driver.FAMILY),
], ids=["sb3", "sbx"])  # fmt: skip
def test_a_card_and_its_driver_know_the_same_algorithms(card: object, family: object) -> None:
    algorithms = card.algorithms  # type: ignore[attr-defined]
    assert {one.id for one in algorithms} == set(family.classes)  # type: ignore[attr-defined]
    assert all(one.default_steps == training.DEFAULT_STEPS for one in algorithms)


def test_the_card_says_which_spaces_an_algorithm_fits() -> None:
    actions = {one.id: set(one.actions) for one in sb3.RUNNER.card.algorithms}
    assert {name for name, found in actions.items() if found == {"Discrete"}} == {"dqn", "qrdqn"}
    assert {name for name, found in actions.items() if found == {"Box"}} == {"sac", "td3", "ddpg", "tqc"}
    assert [one.id for one in sb3.RUNNER.card.algorithms if one.needs_action_masks] == ["maskable_ppo"]


def test_every_parameter_reaches_the_driver_as_it_was_typed() -> None:
    (ppo,) = [one for one in sb3.RUNNER.card.algorithms if one.id == "ppo"]
    typed = {
        "learning_rate": "1e-4",
        "net_arch": "64,64",
        "target_kl": "none",
        "use_sde": "true",
        "env.g": "9.8",
    }
    parameters = parse(ppo, typed)
    job = Job(runner="sb3", algorithm="ppo", env_id="Pendulum-v1", parameters=parameters)
    words = read(sb3.RUNNER.command(job, python="python")[3:])
    assert dict(words.parameters) == {"learning_rate": 1e-4, "net_arch": "64,64", "use_sde": True}
    assert dict(words.env_arguments) == {"g": 9.8}


def test_the_entropy_of_sac_is_a_number_or_auto_and_that_of_ppo_a_number() -> None:
    kinds = {
        one.id: parameter.type
        for one in sb3.RUNNER.card.algorithms
        for parameter in one.parameters
        if parameter.name == "ent_coef"
    }
    assert (kinds["sac"], kinds["tqc"], kinds["ppo"]) == ("str", "str", "float")
