"""What a reading stream can follow: pages of a store's rows after a cursor, as messages.

A cursor is a store sequence number. Every page says where to go on, and whether more is there already; rows
come once, unless they changed.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, NamedTuple

from mosaic.rpc import convert
from mosaic.rpc.pb import trainer_pb2 as pb

if TYPE_CHECKING:
    from mosaic.store.reader import StoreReader

__all__ = ["SOURCES", "Episodes", "Events", "Metrics", "Page", "Source", "Steps"]


class Page(NamedTuple):
    """Rows after a cursor. `next_seq`: the cursor after them. `more`: others are in the store already."""

    rows: list[Any]
    next_seq: int
    more: bool


class Source(abc.ABC):
    """How one kind of row is read, for one stream.

    `kind` narrows it down: a metric's name, an event's type, or nothing.
    """

    batch_type: Any

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    @abc.abstractmethod
    def read(self, reader: StoreReader, since_seq: int, *, limit: int) -> Page:
        """At most `limit` rows after `since_seq`."""

    @abc.abstractmethod
    def cut_after(self, row: Any, since_seq: int) -> int:
        """The cursor when the page after `since_seq` is sent only up to `row`."""

    @abc.abstractmethod
    def restart(self) -> None:
        """The cursor is about to jump."""


class _BySeq(Source):
    """Rows that are written once, in the order of their numbers."""

    def read(self, reader: StoreReader, since_seq: int, *, limit: int) -> Page:
        """See Source."""
        # SYNC: the head is asked before the rows: all rows up to it, and up to the last one found, are found.
        head = reader.summary().store_seq
        rows = self.rows(reader, since_seq, limit)
        if len(rows) >= limit:
            return Page(rows, rows[-1].seq, more=True)
        return Page(rows, max([head, since_seq, *(row.seq for row in rows[-1:])]), more=False)

    @abc.abstractmethod
    def rows(self, reader: StoreReader, since_seq: int, limit: int) -> list[Any]:
        """The first `limit` rows after `since_seq`. Called by `read`."""

    def cut_after(self, row: Any, since_seq: int) -> int:
        """See Source."""
        del since_seq
        return int(row.seq)

    def restart(self) -> None:
        """See Source."""


class Steps(_BySeq):
    """Steps in the order they were stored."""

    batch_type = pb.StepBatch

    def rows(self, reader: StoreReader, since_seq: int, limit: int) -> list[Any]:
        """See Source."""
        found, _ = reader.steps_since(since_seq, limit=limit)
        return [convert.step_to_pb(episode_id, row) for episode_id, row in found]


class Metrics(_BySeq):
    """Metrics in the order they were stored, all or those of one name."""

    batch_type = pb.MetricBatch

    def rows(self, reader: StoreReader, since_seq: int, limit: int) -> list[Any]:
        """See Source."""
        found = reader.metrics(name=self.kind or None, since_seq=since_seq, limit=limit)
        return [convert.metric_to_pb(row) for row in found]


class Events(_BySeq):
    """Events without a row type of their own, all or those of one type."""

    batch_type = pb.EventBatch

    def rows(self, reader: StoreReader, since_seq: int, limit: int) -> list[Any]:
        """See Source."""
        found = reader.events(self.kind or None, since_seq=since_seq, limit=limit)
        return [convert.event_to_pb(event) for event in found]


class Episodes(Source):
    """Episodes that changed after the cursor, by index.

    Goes through them in rounds. The cursor moves when a round is through; what changes meanwhile belongs to
    the next one, so no change is missed and none is sent twice.
    """

    batch_type = pb.EpisodeBatch

    def __init__(self, kind: str = "") -> None:
        super().__init__(kind)
        self._in_round = False
        self._head = 0
        self._next_index = 0

    def read(self, reader: StoreReader, since_seq: int, *, limit: int) -> Page:
        """See Source."""
        if not self._in_round:
            self._in_round, self._head, self._next_index = True, reader.summary().store_seq, 0
        found = reader.episodes(since_seq=since_seq, first_index=self._next_index, limit=limit)
        rows = [convert.episode_to_pb(row) for row in found if row.seq <= self._head]
        if len(found) >= limit:
            self._next_index = found[-1].index + 1
            return Page(rows, since_seq, more=True)
        self._in_round = False
        return Page(rows, max(self._head, since_seq), more=False)

    def cut_after(self, row: Any, since_seq: int) -> int:
        """See Source. The round goes on after that row."""
        self._in_round, self._next_index = True, row.index + 1
        return since_seq

    def restart(self) -> None:
        """See Source."""
        self._in_round = False


SOURCES: dict[str, type[Source]] = {
    "StreamRunSteps": Steps,
    "StreamRunEpisodes": Episodes,
    "StreamRunMetrics": Metrics,
    "StreamRunEvents": Events,
}
