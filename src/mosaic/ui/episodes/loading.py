"""A run's episodes, read from its store by cursor and pages. For one thread at a time, never the window's."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from mosaic.protocol.counting import mark_of
from mosaic.store.series import SeriesReader
from mosaic.ui.episodes.model import RUNNING, Episodes

if TYPE_CHECKING:
    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow

__all__ = ["EpisodeLoader"]

_PAGE = 1000
_TYPES: Final = {
    "index": np.int64, "return_": np.float64, "steps": np.int64, "outcome": np.int32,
    "role": np.int32, "mark": np.int32, "seed": np.float64,
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
            now = reader.mark()
            if now.inode != self._inode or now.seq < self._seq:
                self._forget()
                self._inode = now.inode
                self._next = max(0, reader.summary().episodes - self.most)
            if self._upto is None:
                if now.seq == self._seq:
                    return None
                self._upto = now.seq  # what changes behind us while we read pages comes with the next round
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
            "role": [self._code(row.role or "") for row in rows],
            "mark": [mark_of(row.outcome, row.role) for row in rows],
            "seed": [np.nan if row.seed is None else float(row.seed) for row in rows],
            "env": [self._code(_env(row)) for row in rows],
            "agent": [self._code(row.agent_id or "") for row in rows],
            "t_end": [np.nan if row.t_end is None else row.t_end for row in rows],
        }
        index = np.array(fresh["index"], np.int64)
        known = self._columns["index"][: self._count]
        row = np.searchsorted(known, index)
        there = np.zeros(len(index), bool)
        inside = row < self._count
        there[inside] = known[row[inside]] == index[inside]
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
            made[row[there]] = column[there]
            made[self._count : self._count + new] = column[~there]
            self._columns[name] = made
        self._count += new
        # Pages come by index, so new ones go to the end; a gap filled later is put where it belongs.
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
