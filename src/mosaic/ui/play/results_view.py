"""Qt view of `Results`: a table with a row per seat, kept up to date while somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget

from mosaic.ui.play.model.results import COLUMNS
from mosaic.ui.shell.following import Following
from mosaic.ui.shell.widgets.message import Message
from mosaic.ui.shell.widgets.rows_table import Rows, RowsTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.app.results import SeatResult
    from mosaic.ui.play.model.results import Results
    from mosaic.ui.shell.context import Context

__all__ = ["ResultsView"]

_Found = dict[str, "tuple[SeatResult, ...]"]
_WIDTHS = (18, 10, 16, 12, 24, 24, 9, 9)


class ResultsView(QStackedWidget):
    """Qt view of Results.

    Args:
        context: the window's.
        results: which runs, and what they came to.
        gap_ms: the shortest time between two reads.
    """

    def __init__(self, context: Context, results: Results, *, gap_ms: int = 500) -> None:
        super().__init__()
        self._context, self._results = context, results
        self.rows = Rows(COLUMNS, right=frozenset({3, 6, 7}))
        self.table = RowsTable(self.rows, name="Results by seat", widths=_WIDTHS)
        self.message = Message()
        self.addWidget(self.message)
        self.addWidget(self.table)
        self._following: Following[_Found] = Following(
            context,
            wanted=lambda: results.run_ids,
            work=self._work,
            take=self._take,
            failed=results.fail,
            gap_ms=gap_ms,
        )
        self._unhear = results.changed.connect(self._show)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks."""
        super().showEvent(event)
        self._following.start(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: nothing is read."""
        super().hideEvent(event)
        self._following.stop(self)

    def ask(self) -> None:
        """Other runs are chosen: read at once."""
        self._following.ask()

    def _work(self, due: tuple[str, ...]) -> Callable[[], _Found]:
        root = self._context.root

        def work() -> _Found:
            from mosaic.app.results import results_of  # not before somebody looks: the window opens sooner
            from mosaic.store.reader import StoreReader

            found: _Found = {}
            for folder in map(root.run, due):
                if folder.store.exists():
                    with StoreReader(folder) as reader:
                        found[folder.run_id] = results_of(reader)
            return found

        return work

    def _take(self, found: _Found) -> bool:
        self._results.take(found)
        return False

    def _show(self) -> None:
        rows, empty = self._results.rows, self._results.empty
        self.message.say(empty)
        self.rows.replace(len(rows), lambda at: rows[at])
        self.setCurrentWidget(self.message if empty else self.table)
