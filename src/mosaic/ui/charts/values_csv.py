"""The charts' values as CSV: all that the store holds, not what is drawn. Qt-free; for another thread."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from mosaic.analysis.axes import as_ended
from mosaic.protocol.counting import keeps_clock, outcome_of, role_of
from mosaic.store.series import SeriesReader
from mosaic.ui.charts.model import OF_EPISODES, logged_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from mosaic.paths import DataRoot

__all__ = ["COLUMNS", "write_csv"]

COLUMNS = ("run_id", "run", "metric", "logged_as", "step", "episode", "t", "value", "outcome", "role")
_PAGE = 4096


def write_csv(path: Path, root: DataRoot, *, names: Mapping[str, str], keys: Sequence[str]) -> int:
    """Write every value of these metrics of these runs (id to name), and say how many there were.

    The file appears whole or not at all. `step` is what the script gave, for episodes all steps so
    far. Every ended episode is there, with its outcome and role where they are known.
    """
    written = 0
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for run_id, name in names.items():
                if not root.run(run_id).store.exists():
                    continue
                with SeriesReader(root.run(run_id)) as reader:
                    for key in keys:
                        for row in _rows(reader, key):
                            table.writerow((run_id, name, *row))
                            written += 1
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return written


def _rows(reader: SeriesReader, key: str) -> Iterator[tuple[str, ...]]:
    if key in OF_EPISODES:
        points = reader.returns()
        if len(points):
            values = points.return_ if key == "return" else points.steps
            order, ended = as_ended(points.index, points.t_end, points.steps, keeps_clock(points.mark))
            steps = np.empty(len(points), np.int64)
            steps[order] = ended.steps_so_far
            columns = (steps, points.index, points.t_end, values, points.mark)
            for step, index, t, value, mark in zip(*(column.tolist() for column in columns), strict=True):
                said = (outcome_of(mark) or "", role_of(mark) or "")
                yield key, f"episode/{key}", str(step), str(index), _text(t), _text(float(value)), *said
            return
    source = logged_as(reader.names(), key)
    since, more = 0, True
    while source is not None and more:
        page = reader.metric_from(source, since_seq=since, limit=_PAGE)
        since, more = page.seq, page.more
        for step, t, value in zip(page.step.tolist(), page.t.tolist(), page.value.tolist(), strict=True):
            yield key, source, "" if step != step else f"{step:.0f}", "", _text(t), _text(value), "", ""  # noqa: PLR0124


def _text(value: float) -> str:
    """Every digit; spelled so that pandas, R and spreadsheets know it."""
    return "NaN" if value != value else repr(value)  # noqa: PLR0124
