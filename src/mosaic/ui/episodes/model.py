"""A run's episodes as columns: read by pages, sorted and filtered without a row being made. Qt-free.

`EpisodeLoader` reads on one other thread at a time; `view` is a pure function of what it read.
"""

from __future__ import annotations

import operator
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from mosaic.errors import UsageError
from mosaic.store.series import SeriesReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow

__all__ = ["COLUMNS", "EpisodeLoader", "Episodes", "Filter", "best", "last", "parse_filter", "view", "worst"]

COLUMNS: Final = ("index", "return", "length", "outcome", "seed", "env", "agent", "ended")
"""What can be shown and sorted by."""
RUNNING = "running"
_NUMBERS = {"return": "return_", "length": "steps", "index": "index", "seed": "seed"}
_PAGE = 1000
_WORD = re.compile(r"(return|length|index|seed)\s*(<=|>=|<|>|=)\s*(\S+)")
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip


@dataclass(frozen=True)
class Episodes:
    """Columns by place; texts are numbers into `texts`. Never changed once given out."""

    index: npt.NDArray[np.int64]
    return_: npt.NDArray[np.float64]
    steps: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.int32]
    seed: npt.NDArray[np.float64]
    env: npt.NDArray[np.int32]
    agent: npt.NDArray[np.int32]
    t_end: npt.NDArray[np.float64]
    texts: tuple[str, ...] = ()
    more: bool = False

    def __len__(self) -> int:
        return len(self.index)

    def text(self, code: int) -> str:
        """The text behind a number."""
        return self.texts[code]


@dataclass(frozen=True)
class Filter:
    """What must hold of an episode: comparisons, and words that stand in its outcome, env or agent."""

    comparisons: tuple[tuple[str, str, float], ...] = ()
    words: tuple[str, ...] = ()


def parse_filter(text: str) -> Filter:
    """`return>100 length<=50 truncated`.

    Raises:
        UsageError: a number is none.
    """
    try:
        comparisons = [(name, sign, float(value)) for name, sign, value in _WORD.findall(text)]
    except ValueError as error:
        raise UsageError(f"{error}. Try: return>100 length<50 truncated") from None
    rest = _WORD.sub(" ", text)
    return Filter(tuple(comparisons), tuple(word.lower() for word in rest.split()))


def view(
    episodes: Episodes, *, by: str = "index", descending: bool = True, wanted: Filter | None = None
) -> npt.NDArray[np.int64]:
    """The places of the episodes to show, in order. What has no value comes last either way."""
    keep = np.ones(len(episodes), bool)
    for name, sign, value in (wanted or Filter()).comparisons:
        keep &= _COMPARE[sign](getattr(episodes, _NUMBERS[name]), value)
    for word in (wanted or Filter()).words:
        codes = np.array([word in one.lower() for one in episodes.texts], bool)
        if not len(codes):
            keep[:] = False
            break
        keep &= codes[episodes.outcome] | codes[episodes.env] | codes[episodes.agent]
    places = np.flatnonzero(keep)
    column, index = _sortable(episodes, by)[places], episodes.index[places]
    way = -1 if descending else 1
    return places[np.lexsort((way * index, way * column))]  # NaN sorts last


def _sortable(episodes: Episodes, by: str) -> npt.NDArray[np.float64]:
    if by in ("outcome", "env", "agent"):
        ranks = np.empty(len(episodes.texts) or 1)
        for rank, code in enumerate(
            sorted(range(len(episodes.texts)), key=lambda code: episodes.texts[code])
        ):
            ranks[code] = rank
        codes: npt.NDArray[np.int32] = getattr(episodes, by)
        return ranks[codes] if len(codes) else np.empty(0)
    name = {"ended": "t_end", **_NUMBERS}[by]
    found: npt.NDArray[np.float64] = getattr(episodes, name).astype(np.float64)
    return found


def _ended(episodes: Episodes) -> npt.NDArray[np.int64]:
    return np.flatnonzero(~np.isnan(episodes.t_end))


def best(episodes: Episodes) -> int | None:
    """The place of the ended episode with the highest return; the first of several."""
    places = _ended(episodes)
    places = places[~np.isnan(episodes.return_[places])]
    return int(places[np.argmax(episodes.return_[places])]) if len(places) else None


def worst(episodes: Episodes) -> int | None:
    """The place of the ended episode with the lowest return; the first of several."""
    places = _ended(episodes)
    places = places[~np.isnan(episodes.return_[places])]
    return int(places[np.argmin(episodes.return_[places])]) if len(places) else None


def last(episodes: Episodes) -> int | None:
    """The place of the episode that ended last."""
    places = _ended(episodes)
    return int(places[np.argmax(episodes.t_end[places])]) if len(places) else None


_TYPES: Final = {
    "index": np.int64, "return_": np.float64, "steps": np.int64, "outcome": np.int32, "seed": np.float64,
    "env": np.int32, "agent": np.int32, "t_end": np.float64,
}  # fmt: skip


@dataclass
class EpisodeLoader:
    """Reads one run's episodes by cursor, a page at a time.

    Args:
        folder: the run.
        most: how many episodes are kept (60 bytes each); of more, the newest.
        page: how many are read at once: other threads get their turn in between.
    """

    folder: RunFolder
    most: int = 2_000_000
    page: int = _PAGE
    _columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)
    _count: int = 0
    _next: int = 0
    _seq: int = 0
    _upto: int | None = None
    _inode: int = -1

    def load(self, *, budget_secs: float = 0.2) -> Episodes | None:
        """What there is now, or None when nothing changed. A long history comes with several calls."""
        if not self.folder.store.exists():
            return None
        until = time.monotonic() + budget_secs
        with SeriesReader(self.folder) as reader, reader.snapshot():
            place = reader.place()
            if place.inode != self._inode or place.seq < self._seq:
                self._forget()
                self._inode = place.inode
                self._next = max(0, reader.summary().episodes - self.most)
            if self._upto is None:
                if place.seq == self._seq:
                    return None
                self._upto = place.seq  # what changes behind us while we read pages comes with the next round
            more = self._read(reader, until)
            if not more:
                self._seq, self._next, self._upto = self._upto, 0, None
            return self._given(more=more)

    def _read(self, reader: SeriesReader, until: float) -> bool:
        while True:
            rows = reader.episodes(since_seq=self._seq, first_index=self._next, limit=self.page)
            self._add(rows)
            if len(rows) < self.page:
                return False
            self._next = rows[-1].index + 1
            time.sleep(0)  # the window's thread first
            if time.monotonic() > until:
                return True

    def _forget(self) -> None:
        self._columns = {name: np.empty(1024, kind) for name, kind in _TYPES.items()}
        self._texts = {"": 0}
        self._count = self._next = self._seq = 0
        self._upto = None

    def _code(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _add(self, rows: list[EpisodeRow]) -> None:
        if not rows:
            return
        fresh = {
            "index": [row.index for row in rows],
            "return_": [row.return_ for row in rows],
            "steps": [row.steps for row in rows],
            "outcome": [
                self._code(row.outcome or ("" if row.t_end is not None else RUNNING)) for row in rows
            ],
            "seed": [np.nan if row.seed is None else float(row.seed) for row in rows],
            "env": [self._code(_env(row)) for row in rows],
            "agent": [self._code(row.agent_id or "") for row in rows],
            "t_end": [np.nan if row.t_end is None else row.t_end for row in rows],
        }
        index = np.array(fresh["index"], np.int64)
        known = self._columns["index"][: self._count]
        place = np.searchsorted(known, index)
        there = np.zeros(len(index), bool)
        inside = place < self._count
        there[inside] = known[place[inside]] == index[inside]
        new = int((~there).sum())
        room = len(self._columns["index"])
        grow = self._count + new > room
        for name, values in fresh.items():
            column = np.array(values, _TYPES[name])
            kept = self._columns[name]
            # Given out as views: changed only in a copy.
            made = (
                np.empty(max(2 * room, self._count + new) if grow else room, kept.dtype)
                if grow or there.any()
                else kept
            )
            if made is not kept:
                made[: self._count] = kept[: self._count]
            made[place[there]] = column[there]
            made[self._count : self._count + new] = column[~there]
            self._columns[name] = made
        self._count += new
        # Pages come by index, so new ones go to the end; a gap filled later is put in its place.
        index = self._columns["index"][: self._count]
        if new and len(index) > 1 and (index[1:] < index[:-1]).any():
            order = np.argsort(index, kind="stable")
            self._columns = {
                name: np.concatenate([column[: self._count][order], column[self._count :]])
                for name, column in self._columns.items()
            }

    def _given(self, *, more: bool) -> Episodes:
        columns = {name: column[: self._count] for name, column in self._columns.items()}
        return Episodes(**columns, texts=tuple(self._texts), more=more)


def _env(row: EpisodeRow) -> str:
    env = row.env_id or ""
    return f"{env} #{row.env_index}" if row.env_index else env
