"""Which episodes a run's numbers are made of: last return, means, bests, curves. Pure: the one rule.

1. An episode *counts* when it was played to its end: it has a step, and nobody cut it off.
2. Training comes before evaluation: the numbers are those of training episodes and of episodes whose role
   nobody knows. Only of a run that has none of these, they are those of its evaluation.

What the rule needs to know of an episode fits into a small integer, its *mark*: how it ended and what it was
for. The functions take one episode or whole columns (numpy arrays) alike, so that there is one spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.rows import EpisodeRow

__all__ = [
    "CUT",
    "ROLES",
    "UNKNOWN",
    "chosen",
    "chosen_rows",
    "code_of",
    "counts",
    "has_role",
    "is_evaluation",
    "keeps_clock",
    "known_role",
    "mark_of",
    "outcome_of",
    "role_of",
    "training_first",
]

T = TypeVar("T")

CUT: Final = "cut"
"""The outcome of an episode that a reset or the run's end came before."""
ROLES: Final = ("train", "eval")
"""What an episode can be for, as far as anybody knows."""
UNKNOWN: Final = "unknown"
"""What readers ask for to get the episodes whose role nobody knows."""

_OUTCOMES: Final = (None, "terminated", "truncated", CUT)
_ROLES: Final = (None, *ROLES)
_OUTCOME_MASK, _ROLE_SHIFT, _ROLE_MASK = 3, 2, 3
_CUT, _EVAL = _OUTCOMES.index(CUT), _ROLES.index("eval")


def known_role(said: str | None) -> str | None:
    """What a `reset` said, if it is a role; anything else is as good as nothing."""
    return said if said in ROLES else None


def mark_of(outcome: str | None, role: str | None) -> int:
    """The mark of an episode. Outcomes of a worker's own making have none."""
    ended = _OUTCOMES.index(outcome) if outcome in _OUTCOMES else 0
    return ended | code_of(role) << _ROLE_SHIFT


def outcome_of(mark: int) -> str | None:
    """The outcome in a mark."""
    return _OUTCOMES[mark & _OUTCOME_MASK]


def role_of(mark: int) -> str | None:
    """The role in a mark."""
    return _ROLES[mark >> _ROLE_SHIFT & _ROLE_MASK]


def code_of(role: str | None) -> int:
    """The number that stands for a role in a mark, above its two lowest bits; 0: unknown."""
    return _ROLES.index(known_role(role))


def has_role(mark: Any, role: str) -> Any:
    """Whether it is of this role: `train`, `eval` or `unknown`."""
    return (mark >> _ROLE_SHIFT & _ROLE_MASK) == code_of(role)


def is_evaluation(mark: Any) -> Any:
    """Whether it was played to see how good the policy is."""
    return has_role(mark, "eval")


def counts(steps: Any, mark: Any) -> Any:
    """Whether an ended episode was played to its end."""
    return (steps > 0) & ((mark & _OUTCOME_MASK) != _CUT)


def training_first(trained: Sequence[T], evaluated: Sequence[T]) -> Sequence[T]:
    """Of the episodes that count, those that the numbers are made of."""
    return trained or evaluated


def chosen(steps: Any, marks: Any) -> Any:
    """Of columns of ended episodes, which ones the numbers are made of, as a column of truths."""
    counted = counts(steps, marks)
    trained = counted & ~is_evaluation(marks)
    return trained if trained.any() else counted


def keeps_clock(marks: Any) -> Any:
    """Which ended episodes a run's progress is measured by: evaluation takes no part beside anything else."""
    trained = ~is_evaluation(marks)
    return trained if trained.any() else ~trained


def chosen_rows(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    """The same rule for rows: the ended episodes that the numbers are made of."""
    counted = [
        row for row in rows if row.t_end is not None and counts(row.steps, mark_of(row.outcome, row.role))
    ]
    trained = [row for row in counted if row.role != "eval"]
    return list(training_first(trained, counted))
