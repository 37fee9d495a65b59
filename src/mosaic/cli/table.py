"""A table for a terminal or a pipe: aligned columns, nothing drawn, no library to load.

On a terminal the widest flexible column gives way until the table fits; in a pipe no column does. A command
may hand over texts that it has shortened itself, as those of observations are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mosaic.text import fit, visible, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Column", "render"]

_GAP = "  "


@dataclass(frozen=True)
class Column:
    """One column. `flexible` ones may be cut down to `least` cells; `optional` ones go when room is short."""

    title: str
    right: bool = False
    flexible: bool = False
    optional: bool = False
    least: int = 8


def render(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    cells: int | None = None,
    style: Callable[[str, str, str], str] | None = None,
) -> list[str]:
    """The lines of a table.

    Args:
        columns: What the columns are.
        rows: One text per column; control characters are made visible here.
        cells: The terminal's width, or None for as wide as it takes.
        style: Given (column title, text, padded text), returns the padded text with colour.
    """
    clean = [[visible(text) for text in row] for row in rows]
    widths = [
        max([width(column.title), *(width(row[i]) for row in clean)]) for i, column in enumerate(columns)
    ]
    shown = list(range(len(columns)))
    if cells is not None:
        _squeeze(columns, widths, shown, cells)
    lines = [_line(columns, [c.title for c in columns], widths, shown, None)]
    lines.extend(_line(columns, row, widths, shown, style) for row in clean)
    return lines


def _squeeze(columns: Sequence[Column], widths: list[int], shown: list[int], cells: int) -> None:
    def over() -> int:
        return sum(widths[i] for i in shown) + len(_GAP) * (len(shown) - 1) - cells

    while over() > 0:
        soft = [i for i in shown if columns[i].flexible and widths[i] > columns[i].least]
        if soft:
            widest = max(soft, key=lambda i: widths[i])
            next_widest = max((widths[i] for i in soft if i != widest), default=0)
            room = widths[widest] - max(columns[widest].least, min(next_widest, widths[widest] - 1))
            widths[widest] -= min(over(), max(1, room))
            continue
        spare = [i for i in shown if columns[i].optional]
        if not spare:
            return
        shown.remove(spare[-1])


def _line(
    columns: Sequence[Column],
    texts: Sequence[str],
    widths: Sequence[int],
    shown: Sequence[int],
    style: Callable[[str, str, str], str] | None,
) -> str:
    parts = []
    for i in shown:
        text = fit(texts[i], widths[i])
        blank = " " * (widths[i] - width(text))
        padded = blank + text if columns[i].right else text + blank
        parts.append(style(columns[i].title, texts[i], padded) if style else padded)
    return _GAP.join(parts).rstrip()
