"""The curves of runs, read from their stores by cursor: history once, then only what is new. Qt-free.

Used on one thread at a time, never the window's. Opens a store read-only for a moment and keeps no file open,
so a daemon that dies or a store that is built anew changes nothing here: a store that is another one, or has
gone back, is read from its beginning.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mosaic.analysis.axes import MetricColumns, as_ended, episodes_x, metric_x
from mosaic.analysis.series import Growing, prepare, thinned
from mosaic.analysis.smoothing import Smoother
from mosaic.errors import MosaicError
from mosaic.protocol.counting import chosen, counts, is_evaluation, keeps_clock
from mosaic.store.series import SeriesReader
from mosaic.ui.charts.model import OF_EPISODES, Loaded, logged_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.analysis.axes import Axis, EpisodeColumns
    from mosaic.analysis.series import Bools, Curve, Floats, Ints
    from mosaic.paths import DataRoot
    from mosaic.store.series import CurvePage
    from mosaic.ui.charts.model import Asked

__all__ = ["ChartLoader"]

_PAGE = 4096


@dataclass
class _Metric:
    seq: int = 0
    count: int = 0
    points: Growing = field(default_factory=lambda: Growing(4))  # t, step, value, how many so far
    thinned: bool = False


class _Run:
    """What is kept of one run."""

    def __init__(self) -> None:
        self.inode = -1
        self.forget()

    def forget(self) -> None:
        self.seq = -1
        self.block = 0
        self.t_first = 0.0
        self.names: tuple[tuple[str, str | None], ...] = ()
        self.episodes = Growing(5)  # t_end, return, steps, mark, index
        self.rows = np.empty(0, np.int64)  # where in `episodes` an episode's index is, -1: nowhere
        self.metrics: dict[str, _Metric] = {}
        self.shown: tuple[object, ...] = ()
        self.more = False

    @property
    def points(self) -> int:
        return len(self.episodes) + sum(len(metric.points) for metric in self.metrics.values())

    def source(self, key: str) -> str | None:
        return logged_as(self.names, key)

    def add_episodes(self, page: CurvePage) -> None:
        """Take in ended episodes; one that comes again replaces what was known of it."""
        self.block = page.block
        points = page.points
        if not len(points):
            return
        index = points.index
        if int(index.max()) >= len(self.rows):
            room = np.full(max(1024, 2 * int(index.max())), -1)
            room[: len(self.rows)] = self.rows
            self.rows = room
        last = np.full(int(index.max()) + 1, -1)
        last[index] = np.arange(len(index))  # of one told twice in this page, the later
        newest = np.sort(last[last >= 0])
        index = index[newest]
        columns = [column[newest] for column in (points.t_end, points.return_, points.steps, points.mark)]
        row = self.rows[index]
        known = row >= 0
        if known.any():
            now = np.array([self.episodes.column(n)[row[known]] for n in range(4)])
            told = np.array([column[known] for column in columns], np.float64)
            if not np.array_equal(now, told, equal_nan=True):
                self._correct(row[known], told)
        fresh = ~known
        self.rows[index[fresh]] = len(self.episodes) + np.arange(int(fresh.sum()))
        self.episodes.append(*(column[fresh].astype(np.float64) for column in (*columns, index)))

    def _correct(self, row: np.ndarray[tuple[int], np.dtype[np.int64]], told: Floats) -> None:
        # Copies: the views given out stay as they are.
        changed = [self.episodes.column(number).copy() for number in range(4)]
        for column, values in zip(changed, told, strict=True):
            column[row] = values
        index = self.episodes.column(4)
        self.episodes = Growing(5)
        self.episodes.append(*changed, index)

    # -- which episodes are drawn ---------------------------------------------------------------------------

    @property
    def marks(self) -> Ints:
        """How each episode ended and what it was for."""
        return self.episodes.column(3).astype(np.int64)

    def wanted(self, which: str) -> Bools:
        """Those of a choice in `WHICH`."""
        marks, steps = self.marks, self.episodes.column(2)
        if which == "all":
            return np.ones(len(marks), bool)
        found: Bools = chosen(steps, marks) if which == "" else counts(steps, marks) & is_evaluation(marks)
        return found

    # -- where a value lies ---------------------------------------------------------------------------------

    def episodes_x(self, ended: EpisodeColumns, axis: Axis) -> Floats:
        updates = self.metrics.get(self.clock or "")
        updates_t = None if updates is None else updates.points.column(0)
        return episodes_x(axis, ended, t_first=self.t_first, updates_t=updates_t)

    def metric_x(self, metric: _Metric, ended: EpisodeColumns, axis: Axis) -> Floats:
        t, step, _, number = (metric.points.column(n) for n in range(4))
        return metric_x(axis, MetricColumns(t, step, number), ended, t_first=self.t_first)

    @property
    def clock(self) -> str | None:
        """The metric whose values count as updates: the first loss that is logged, else the first metric."""
        losses = (name for name, own in self.names if (own or "").startswith("loss/"))
        return next(losses, self.names[0][0] if self.names else None)


class ChartLoader:
    """Reads and keeps curves.

    Args:
        root: the data root.
        points_per_series: of a longer metric the older half is thinned to its extremes (32 bytes a point);
            episodes are all kept (48 bytes each).
        points_in_all: beyond that, runs that have not been asked for the longest are forgotten.
        page: how many values are read at once: other threads get their turn in between.
    """

    def __init__(
        self,
        root: DataRoot,
        *,
        points_per_series: int = 12_000_000,
        points_in_all: int = 24_000_000,
        page: int = _PAGE,
    ) -> None:
        self._root = root
        self._most = points_per_series
        self._in_all = points_in_all
        self._page = page
        self._runs: dict[str, _Run] = {}

    def load(
        self, asked: Asked, *, anew: frozenset[str] = frozenset(), budget_secs: float = 0.2
    ) -> list[Loaded]:
        """Bring the runs asked for up to date; what is not done in time comes with the next call.

        Args:
            asked: what is wanted.
            anew: runs whose curves the caller does not have (any more): told even when nothing is new.
            budget_secs: about how long it may take.
        """
        until = time.monotonic() + budget_secs
        found = []
        for run_id in asked.runs:
            run = self._runs.pop(run_id, None) or _Run()
            self._runs[run_id] = run  # last asked for, last forgotten
            if run_id in anew:
                run.shown = ()
            try:
                loaded = self._load(run_id, run, asked, until)
            except (MosaicError, OSError) as error:
                run.forget()
                loaded = Loaded(run_id=run_id, problem=str(error))
            if loaded is not None:
                found.append(loaded)
        self._forget(asked.runs)
        return found

    def _load(self, run_id: str, run: _Run, asked: Asked, until: float) -> Loaded | None:
        folder = self._root.run(run_id)
        if not folder.store.exists():
            return Loaded(run_id=run_id, problem="" if folder.path.exists() else "This run is gone.")
        with SeriesReader(folder) as reader, reader.snapshot():
            now = reader.mark()
            if now.inode != run.inode or now.seq < run.seq:
                run.forget()
            shown = (now.seq, asked.keys, asked.axis, asked.smoothing, asked.which)
            if shown == run.shown and not run.more:
                return None
            if now.seq != run.seq:
                run.t_first = now.t_first or 0.0
                run.names = tuple(reader.names())
                run.add_episodes(reader.curve_from(run.block))
            run.more = self._read_metrics(reader, run, self._sources(run, asked), until)
            run.inode, run.seq, run.shown = now.inode, now.seq, shown
        self._thin(run)
        return Loaded(
            run_id=run_id,
            seq=run.seq,
            names=run.names,
            has_episodes=len(run.episodes) > 0,
            has_evaluation=bool(is_evaluation(run.marks).any()),
            curves=self._curves(run, asked),
            more=run.more,
        )

    def _sources(self, run: _Run, asked: Asked) -> list[str]:
        wanted = [run.source(key) for key in asked.keys if key not in OF_EPISODES or not len(run.episodes)]
        if asked.axis == "updates":
            wanted.append(run.clock)
        return list(dict.fromkeys(name for name in wanted if name is not None))

    def _read_metrics(self, reader: SeriesReader, run: _Run, names: Iterable[str], until: float) -> bool:
        more = False
        for name in names:
            metric = run.metrics.setdefault(name, _Metric())
            while True:
                page = reader.metric_from(name, since_seq=metric.seq, limit=self._page)
                metric.seq = page.seq
                numbers = np.arange(metric.count + 1.0, metric.count + len(page.t) + 1)
                metric.count += len(page.t)
                metric.points.append(page.t, page.step, page.value, numbers)
                if not page.more:
                    break
                time.sleep(0)  # the window's thread first
                if time.monotonic() > until:
                    more = True
                    break
        return more

    def _curves(self, run: _Run, asked: Asked) -> dict[str, Curve]:
        curves = {}
        t_end, return_, steps, _, index = (run.episodes.column(n) for n in range(5))
        order, ended = as_ended(index, t_end, steps, keeps_clock(run.marks))
        wanted = run.wanted(asked.which)[order]
        for key in asked.keys:
            smoother = Smoother(asked.smoothing)
            if key in OF_EPISODES and len(run.episodes):
                values = (return_ if key == "return" else steps)[order][wanted]
                x = run.episodes_x(ended.of(wanted), asked.axis)
                curves[key] = prepare(x, values, smoother=smoother)
                continue
            metric = run.metrics.get(run.source(key) or "")
            if metric is not None and len(metric.points):
                x = run.metric_x(metric, ended, asked.axis)
                curves[key] = prepare(
                    x, metric.points.column(2), smoother=smoother, was_thinned=metric.thinned
                )
        return curves

    def _thin(self, run: _Run) -> None:
        for metric in run.metrics.values():
            if len(metric.points) > self._most:
                columns = thinned([metric.points.column(n) for n in range(4)], 2, keep=self._most)
                metric.points = Growing(4)
                metric.points.append(*columns)
                metric.thinned = True

    def _forget(self, wanted: tuple[str, ...]) -> None:
        kept = sum(run.points for run in self._runs.values())
        for run_id in [one for one in self._runs if one not in wanted]:
            if kept <= self._in_all:
                return
            kept -= self._runs.pop(run_id).points
