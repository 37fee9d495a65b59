"""Which steps of an episode somebody corrected, and what was proposed there. Pure: decisions in, rows out.

A step was corrected when a decision about it has a verdict other than `allow`, or proposes an action other
than the executed one. Where nothing was proposed, the executed action counts as the proposal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mosaic.analysis.parting import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mosaic.protocol.events import Decision

__all__ = ["Corrected", "corrected"]

_ALLOWED = "allow"


class Corrected(NamedTuple):
    """For each step: whether it was corrected, and the action first proposed for it."""

    intervention: list[bool]
    proposed: list[Any]


def corrected(actions: Sequence[Any], decisions: Iterable[Decision]) -> Corrected:
    """The corrections of an episode.

    Args:
        actions: What was executed, step by step, as recorded.
        decisions: The episode's decisions in their order; those about no step of it are passed over.
    """
    intervention, proposed = [False] * len(actions), list(actions)
    spoken = set()
    for decision in decisions:
        step = decision.step
        if step is None or not 0 <= step < len(actions):
            continue
        if decision.verdict is not None and decision.verdict != _ALLOWED:
            intervention[step] = True
        if decision.proposed is None or step in spoken:
            continue
        spoken.add(step)  # of several supervisors, the first was shown what the operator wanted
        proposed[step] = decision.proposed
        if fingerprint(decision.proposed) != fingerprint(actions[step]):
            intervention[step] = True
    return Corrected(intervention, proposed)
