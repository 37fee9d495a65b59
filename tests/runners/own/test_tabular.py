"""The card of `tabular`: the runner that needs nothing to be installed."""

from __future__ import annotations

import pytest

from mosaic.errors import UsageError
from mosaic.protocol.cards import Job
from mosaic.runners.own.tabular import RUNNER
from mosaic.runners.parameters import parse

Q_LEARNING, SARSA = RUNNER.card.algorithms


def test_it_installs_nothing_and_its_tables_can_hide_no_code() -> None:
    card = RUNNER.card
    assert (card.id, card.requirements, card.torch, card.pickled_checkpoints) == ("tabular", [], False, False)
    can = card.capabilities
    assert (can.supports_resume, can.supports_warmstart, can.supports_eval) == (True, True, True)
    assert not can.supports_vector
    words = RUNNER.command(Job(runner="tabular", algorithm="sarsa", env_id="Taxi-v4"), python="/py")
    assert words[:3] == ["/py", "-m", "mosaic_worker.drivers.tabular"]


def test_both_algorithms_need_numbered_states_and_actions() -> None:
    assert [Q_LEARNING.id, SARSA.id] == ["q_learning", "sarsa"]
    for one in (Q_LEARNING, SARSA):
        assert (one.actions, one.observations, one.default_env) == (
            ["Discrete"],
            ["Discrete"],
            "FrozenLake-v1",
        )


@pytest.mark.parametrize(
    "wrong",
    [
        {"learning_rate": "0"},
        {"learning_rate": "1.1"},
        {"gamma": "-0.1"},
        {"epsilon_end": "2"},
        {"epsilon_fraction": "1.5"},
        {"epsilon_schedule": "cubic"},
        {"checkpoint_every": "0"},
        {"keep_checkpoints": "0"},
        {"log_every": "0"},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        parse(Q_LEARNING, wrong)
