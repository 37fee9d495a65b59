"""Decisions as numbers: what is a score and what is not, which are shown, which value is whose."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from mosaic.ui.replay.insight import Insight, best_first, heading, insights_of, values_of


def event(step: Any, **fields: Any) -> str:
    return json.dumps({"type": "decision", "step": step, **fields})


def test_probabilities_come_before_values_and_the_executed_action_before_the_proposed() -> None:
    found = insights_of(
        [
            event(0, operator="ppo", proposed=1, data={"probs": [0.2, 0.8], "q": [1, 2], "value": 3}),
            event(1, operator="dqn", proposed=0, executed=1, by="guard", data={"q": [4.0, 5.5]}),
            event(2, proposed=[0.5], data={"value": -1.5}),
        ]
    )
    assert found == {
        0: Insight("probs", (0.2, 0.8), 1, 3.0, "ppo"),
        1: Insight("q", (4.0, 5.5), 1, None, "dqn", "guard"),
        2: Insight("", (), None, -1.5, ""),
    }


@pytest.mark.parametrize(
    "bad",
    [
        "no json",
        "[1]",
        event(0),
        event(0, data="text"),
        event(0, data={"text": "left, because"}),
        event(0, data={"probs": []}),
        event(0, data={"probs": [0.5, "x"]}),
        event(0, data={"probs": [0.5, True]}),
        event(0, data={"q": [0.5] * 5000}),
        event(None, data={"value": 1}),
        event(-1, data={"value": 1}),
        event(True, data={"value": 1}),
    ],
)
def test_what_holds_no_number_is_left_out(bad: str) -> None:
    assert insights_of([bad]) == {}


def test_of_many_actions_the_best_are_shown_and_the_executed_one() -> None:
    many = Insight("q", (5.0, 1.0, 4.0, 0.5, 3.0), 3, None, "")
    assert best_first(many, most=5) == list(enumerate(many.scores))
    assert best_first(many, most=2) == [(0, 5.0), (3, 0.5)]
    assert best_first(many._replace(chosen=2), most=2) == [(0, 5.0), (2, 4.0)]
    assert best_first(many._replace(chosen=77), most=2) == [(0, 5.0), (2, 4.0)]


def test_it_is_said_who_decided_and_what_was_expected() -> None:
    assert heading(Insight("probs", (1.0,), 0, 0.25, "ppo", "person")) == [
        "ppo",
        "changed by person",
        "probabilities",
        "value 0.25",
    ]
    assert heading(None) == ["Nothing is known of", "this decision."]


def test_a_value_belongs_to_the_frame_before_its_step() -> None:
    known = {
        0: Insight("", (), None, 1.0, ""),
        2: Insight("", (), None, 3.0, ""),
        9: Insight("", (), None, 5.0, ""),
    }
    assert np.array_equal(values_of(known, 4), [1.0, np.nan, 3.0, np.nan], equal_nan=True)
