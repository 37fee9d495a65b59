"""The results of the chosen sessions, as rows of words. Qt-free; reads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mosaic.text import count, number
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mosaic.analysis.bootstrap import Figure
    from mosaic.app.results import SeatResult

__all__ = ["COLUMNS", "ResultRow", "Results", "figure_said"]

COLUMNS = ("Run", "Seat", "Operator", "Episodes", "IQM (95 %)", "Mean (95 %)", "Length", "Corrected")
MOST_RUNS = 9


class ResultRow(NamedTuple):
    """One seat of one session, in words, under `COLUMNS`."""

    run: str
    seat: str
    operator: str
    episodes: str
    iqm: str
    mean: str
    length: str
    corrected: str


def figure_said(figure: Figure | None) -> str:
    """A figure and its interval: `12.5 (10.1 to 14)`; one run says nothing of its spread."""
    if figure is None:
        return "-"
    if figure.interval is None:
        return number(figure.value)
    return f"{number(figure.value)} ({number(figure.interval.low)} to {number(figure.interval.high)})"


class Results:
    """What the chosen sessions came to. At most `MOST_RUNS` of them."""

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self.run_ids: tuple[str, ...] = ()
        self.names: dict[str, str] = {}
        self.problem = ""
        self._found: dict[str, tuple[SeatResult, ...]] = {}

    def turn_to(self, runs: Mapping[str, str]) -> None:
        """Show these runs, by id, each with its name."""
        chosen = dict(list(runs.items())[:MOST_RUNS])
        if chosen == self.names:
            return
        self.run_ids, self.names, self.problem = tuple(chosen), chosen, ""
        self._found = {run_id: self._found[run_id] for run_id in chosen if run_id in self._found}
        self.changed.emit()

    def take(self, found: Mapping[str, tuple[SeatResult, ...]]) -> None:
        """What was read."""
        self.problem = ""
        self._found |= {run_id: result for run_id, result in found.items() if run_id in self.names}
        self.changed.emit()

    def fail(self, why: str) -> None:
        """It could not be read."""
        self.problem = why
        self.changed.emit()

    def of(self, run_id: str) -> Sequence[SeatResult]:
        """What one session came to."""
        return self._found.get(run_id, ())

    @property
    def rows(self) -> list[ResultRow]:
        """Every seat of every run, in order."""
        return [_row(self.names[run_id], one) for run_id in self.run_ids for one in self.of(run_id)]

    @property
    def empty(self) -> str:
        """Why there is no row; empty when there are some."""
        if self.problem:
            return self.problem
        if not self.run_ids:
            return "Choose one or more sessions in the list of runs: what each seat came to is shown here."
        return "" if self.rows else "No episode was begun yet."


def _row(name: str, one: SeatResult) -> ResultRow:
    played = count(len(one.returns))
    return ResultRow(
        run=name,
        seat=one.seat,
        operator=", ".join(one.operators) or "-",
        episodes=f"{played} and {count(one.cut)} cut" if one.cut else played,
        iqm=figure_said(one.iqm),
        mean=figure_said(one.mean),
        length="-" if one.length is None else number(one.length),
        corrected=count(one.corrected),
    )
