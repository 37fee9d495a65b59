"""Which steps count as corrected, and what was proposed there."""

from __future__ import annotations

from mosaic.exporting.interventions import corrected
from mosaic.protocol.events import Decision


def test_without_decisions_nothing_is_corrected_and_the_proposals_are_what_was_executed() -> None:
    assert corrected([0, 1, 2], []) == ([False, False, False], [0, 1, 2])


def test_a_proposal_other_than_the_executed_action_is_a_correction() -> None:
    found = corrected([0, [1.0], 2], [Decision(step=1, proposed=[2.0]), Decision(step=2, proposed=2)])
    assert found == ([False, True, False], [0, [2.0], 2])


def test_a_verdict_is_a_correction_even_where_both_agree_and_allowing_is_none() -> None:
    told = [
        Decision(step=0, proposed=0, verdict="replace", by="person"),
        Decision(step=1, proposed=1, verdict="allow"),
        Decision(step=2, verdict="veto"),
    ]
    assert corrected([0, 1, 2], told) == ([True, False, True], [0, 1, 2])


def test_of_several_decisions_about_a_step_the_first_proposal_counts() -> None:
    told = [Decision(step=0, proposed=5, verdict="replace"), Decision(step=0, proposed=0, verdict="allow")]
    assert corrected([0], told) == ([True], [5])


def test_decisions_about_no_step_of_the_episode_are_passed_over() -> None:
    told = [Decision(proposed=1), Decision(step=7, proposed=1), Decision(step=-1, proposed=1)]
    assert corrected([0], told) == ([False], [0])
