"""Which episodes a run's numbers are made of."""

from __future__ import annotations

import numpy as np
import pytest

from mosaic.protocol.counting import (
    chosen,
    chosen_rows,
    counts,
    has_role,
    keeps_clock,
    known_role,
    mark_of,
    outcome_of,
    role_of,
)
from mosaic.protocol.rows import EpisodeRow


@pytest.mark.parametrize("outcome", [None, "terminated", "truncated", "cut"])
@pytest.mark.parametrize("role", [None, "train", "eval"])
def test_a_mark_keeps_outcome_and_role(outcome: str | None, role: str | None) -> None:
    mark = mark_of(outcome, role)
    assert (outcome_of(mark), role_of(mark)) == (outcome, role)
    assert has_role(mark, role or "unknown")
    assert 0 <= mark < 16


def test_an_outcome_of_a_workers_own_making_is_an_end_like_any_other() -> None:
    assert counts(3, mark_of("resigned", None))


def test_what_is_no_role_is_unknown() -> None:
    assert [known_role(said) for said in ("train", "eval", "test", "", None)] == [
        "train",
        "eval",
        None,
        None,
        None,
    ]


def test_an_episode_counts_when_it_was_played_to_its_end() -> None:
    assert counts(1, mark_of("truncated", None))
    assert counts(1, mark_of(None, None))
    assert not counts(0, mark_of("terminated", None))
    assert not counts(5, mark_of("cut", "train"))


PLAYED = [(5, "cut", None), (0, "terminated", "train"), (7, "truncated", "eval"), (9, "terminated", "train")]


def columns(played: list[tuple[int, str, str | None]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([p[0] for p in played]), np.array([mark_of(*p[1:]) for p in played])


def rows(played: list[tuple[int, str, str | None]]) -> list[EpisodeRow]:
    return [
        EpisodeRow(episode_id=f"e{at}", index=at, steps=steps, outcome=outcome, role=role, t_end=1.0)
        for at, (steps, outcome, role) in enumerate(played)
    ]


@pytest.mark.parametrize(
    ("played", "told"),
    [
        (PLAYED, [3]),
        ([*PLAYED, (1, "terminated", None)], [3, 4]),
        (PLAYED[:3], [2]),
        (PLAYED[:2], []),
    ],
)
def test_training_and_unknown_episodes_come_before_evaluation(
    played: list[tuple[int, str, str | None]], told: list[int]
) -> None:
    assert np.flatnonzero(chosen(*columns(played))).tolist() == told
    assert [row.index for row in chosen_rows(rows(played))] == told


def test_an_episode_that_is_still_played_is_not_told_of() -> None:
    assert chosen_rows([EpisodeRow(episode_id="e", index=0, steps=3)]) == []


def test_progress_is_measured_by_all_episodes_but_evaluation_and_by_that_where_it_is_alone() -> None:
    assert keeps_clock(columns(PLAYED)[1]).tolist() == [True, True, False, True]
    assert keeps_clock(columns(PLAYED[2:3])[1]).tolist() == [True]
