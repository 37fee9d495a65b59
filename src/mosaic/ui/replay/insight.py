"""What is known of the decisions of an episode: a score for each action, and the value. JSON in, numbers out.

A decision is about the step that comes next, so that of step k belongs to frame k. What is not a list of
numbers of at most `MOST_SCORES`, or not finite, is left out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from mosaic.text import number, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

__all__ = ["MOST_SCORES", "Insight", "best_first", "heading", "insights_of", "values_of"]

MOST_SCORES = 4096


class Insight(NamedTuple):
    """One decision.

    Args:
        kind: what the scores are: `probs`, `q`, or empty where there are none.
        scores: one for each action.
        chosen: the action that was executed, when it is a number.
        value: what the decider expects from here on.
        operator: who decided; `by` who changed it, if somebody did.
    """

    kind: str
    scores: tuple[float, ...]
    chosen: int | None
    value: float | None
    operator: str
    by: str = ""


def insights_of(events: Iterable[bytes | str]) -> dict[int, Insight]:
    """Decisions by step; those that hold no score and no value are left out."""
    found: dict[int, Insight] = {}
    for event in events:
        try:
            whole = msgspec.json.decode(event)
        except msgspec.DecodeError:
            continue
        step = whole.get("step") if isinstance(whole, dict) else None
        if type(step) is not int or step < 0:
            continue
        one = _insight(whole)
        if one is not None:
            found[step] = one
    return found


def _insight(whole: Mapping[str, Any]) -> Insight | None:
    data = whole.get("data")
    if not isinstance(data, dict):
        return None
    kind = next((name for name in ("probs", "q") if _scores(data.get(name))), "")
    scores = _scores(data.get(kind))
    value = _finite(data.get("value"))
    if not scores and value is None:
        return None
    executed = whole.get("executed")
    executed = whole.get("proposed") if executed is None else executed
    chosen = executed if type(executed) is int else None
    return Insight(
        kind, scores, chosen, value, str(whole.get("operator") or "")[:80], str(whole.get("by") or "")[:80]
    )


def _scores(given: Any) -> tuple[float, ...]:
    if not isinstance(given, list) or not 0 < len(given) <= MOST_SCORES:
        return ()
    found = [_finite(one) for one in given]
    return tuple(one for one in found if one is not None) if None not in found else ()


def _finite(given: Any) -> float | None:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if is_number and math.isfinite(given) else None


def best_first(insight: Insight, *, most: int) -> list[tuple[int, float]]:
    """Actions with their scores: all in their order where they fit, else the highest, and the chosen one."""
    listed = list(enumerate(insight.scores))
    if len(listed) <= most:
        return listed
    best = sorted(listed, key=lambda one: -one[1])[:most]
    chosen = insight.chosen
    if chosen is not None and 0 <= chosen < len(listed) and all(action != chosen for action, _ in best):
        best[-1] = listed[chosen]
    return best


def heading(insight: Insight | None) -> list[str]:
    """Who decided, what the bars are, and what is expected."""
    if insight is None:
        return ["Nothing is known of", "this decision."]
    said = [visible(insight.operator) or "a decision"]
    if insight.by:
        said.append(f"changed by {visible(insight.by)}")
    if insight.kind:
        said.append("probabilities" if insight.kind == "probs" else "action values (q)")
    if insight.value is not None:
        said.append(f"value {number(insight.value)}")
    return said


def values_of(insights: Mapping[int, Insight], frames: int) -> npt.NDArray[np.float64]:
    """The value at each frame; NaN where none is known."""
    found = np.full(frames, np.nan)
    for step, insight in insights.items():
        if insight.value is not None and step < frames:
            found[step] = insight.value
    return found
