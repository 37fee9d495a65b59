"""Who may change an action before it is executed: each supervisor in turn allows, replaces or vetoes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

if TYPE_CHECKING:
    from mosaic_worker.session.operator import Choice, Operator
    from mosaic_worker.session.view import View

__all__ = ["ALLOW", "Supervisor", "Verdict", "VetoedError", "replace", "supervise", "veto"]


class Verdict(NamedTuple):
    """What a supervisor says of a choice; made by `ALLOW`, `replace` and `veto`."""

    kind: str
    action: Any = None
    reason: str = ""


ALLOW = Verdict("allow")


def replace(action: Any, reason: str) -> Verdict:
    """This action instead."""
    return Verdict("replace", action, reason)


def veto(reason: str) -> Verdict:
    """Not this action: the operator is asked again, and sees the reason in `view.refused`."""
    return Verdict("veto", reason=reason)


class Supervisor:
    """Stands in front of the environment."""

    def review(self, view: View, choice: Choice) -> Verdict:
        """Judge a choice. The loop calls it for every decision, before the step."""
        raise NotImplementedError


class VetoedError(Exception):
    """An operator found no action that its supervisors let through."""


def supervise(
    supervisors: Sequence[Supervisor], operator: Operator, view: View, choice: Choice, *, asks: int = 3
) -> Choice:
    """The choice to be executed.

    A replaced action goes on to the supervisors after the one that replaced it. After a veto the operator is
    asked again, and all supervisors review its new choice.

    Args:
        supervisors: in the order they review.
        operator: who is asked again.
        view: what all of them look at.
        choice: the operator's first.
        asks: how many vetoes the operator gets for one decision.

    Raises:
        VetoedError: at that many vetoes; says the actions and the reasons.
    """
    while True:
        vetoed = None
        for supervisor in supervisors:
            verdict = supervisor.review(view, choice)
            if verdict.kind == "replace":
                choice = choice._replace(action=verdict.action)
            elif verdict.kind == "veto":
                vetoed = verdict
                break
        if vetoed is None:
            return choice
        view.refused = (*view.refused, (choice.action, vetoed.reason))
        if len(view.refused) >= asks:
            said = "; ".join(f"{action!r}: {reason}" for action, reason in view.refused)
            raise VetoedError(f"all {asks} actions the operator had for step {view.step} were vetoed: {said}")
        choice = operator.act(view)
