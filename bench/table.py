"""The rows of the bench: a figure, the limit or peer of the same run, their ratio, and the goal. Pure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

__all__ = ["Row", "as_json", "as_text"]


@dataclass(frozen=True)
class Row:
    """One figure.

    Args:
        name: What was measured.
        value: The figure.
        unit: Its unit.
        goal: What it should be at most, or at least when `more_is_better`; None when it only informs.
        beside: What it is compared with, measured in the same run.
        beside_value: The figure of that, in the same unit.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    more_is_better: bool = False
    beside: str = ""
    beside_value: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.more_is_better else self.value <= self.goal

    @property
    def ratio(self) -> float | None:
        """How many times the figure beside it."""
        return self.value / self.beside_value if self.beside_value else None


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def as_text(rows: list[Row]) -> str:
    """The table people read."""
    lines = [("measured", "figure", "unit", "goal", "", "ratio", "to")]
    for row in rows:
        goal = f"{'≥' if row.more_is_better else '≤'} {_number(row.goal)}" if row.goal is not None else ""
        verdict = {True: "ok", False: "missed", None: ""}[row.reached]
        beside = f"{row.beside} ({_number(row.beside_value)})" if row.beside else ""
        ratio = f"{row.ratio:.3g}x" if row.ratio is not None else ""
        lines.append((row.name, _number(row.value), row.unit, goal, verdict, ratio, beside))
    widths = [max(len(line[column]) for line in lines) for column in range(7)]
    right = {1, 3, 5}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def as_json(rows: list[Row]) -> list[dict[str, object]]:
    """The same for machines."""
    return [{**asdict(row), "ratio": row.ratio, "reached": row.reached} for row in rows]
