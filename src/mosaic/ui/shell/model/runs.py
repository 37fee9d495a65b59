"""The runs of the data root as the window knows them: rows by id, and what changed. Qt-free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mosaic.protocol.runs import RunRow

__all__ = ["RunList"]


class RunList:
    """Every run, newest first. `changed` carries the ids that came, changed or went."""

    def __init__(self) -> None:
        self.changed: Signal[[frozenset[str]]] = Signal()
        self._rows: dict[str, RunRow] = {}
        self._order: list[str] | None = []  # newest first; None until it is needed again

    @property
    def rows(self) -> list[RunRow]:
        """All rows, newest first."""
        if self._order is None:
            newest = sorted(self._rows.values(), key=lambda row: (row.created, row.run_id), reverse=True)
            self._order = [row.run_id for row in newest]
        return [self._rows[run_id] for run_id in self._order]

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, run_id: str | None) -> RunRow | None:
        """One row, if the run is known."""
        return self._rows.get(run_id) if run_id is not None else None

    def update(self, rows: Iterable[RunRow], *, gone: Iterable[str] = ()) -> None:
        """Take in new rows and forget those that are gone; says once what changed."""
        moved = {row.run_id for row in rows if self._put(row)}
        moved.update(run_id for run_id in gone if self._rows.pop(run_id, None) is not None)
        if len(self._rows) != len(self._order or ()):
            self._order = None
        if moved:
            self.changed.emit(frozenset(moved))

    def _put(self, row: RunRow) -> bool:
        before = self._rows.get(row.run_id)
        self._rows[row.run_id] = row
        if before is None or before.created != row.created:
            self._order = None
        return before != row
