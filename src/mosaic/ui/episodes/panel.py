"""Qt view of episodes: sorted, filtered, followed live; a double click replays one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from mosaic.errors import UsageError
from mosaic.ui.episodes.loading import EpisodeLoader
from mosaic.ui.episodes.model import (
    COLUMNS,
    Episodes,
    Filter,
    best,
    last,
    parse_filter,
    view,
    worst,
)
from mosaic.ui.episodes.table import EpisodeTable
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.controls import plain, tool
from mosaic.ui.shell.widgets.following_panel import FollowingPanel
from mosaic.ui.shell.widgets.rows_table import as_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mosaic.ui.shell.context import Context

__all__ = ["EpisodesPanel"]

_NO_RUN = "Choose a run on the left to see its episodes."
_NONE_YET = "No episode yet. They appear here as soon as the environment is reset for the first time."
_WIDTHS = {
    "index": 50, "return": 72, "length": 60, "outcome": 88, "seed": 46, "env": 130, "agent": 80, "ended": 60,
}  # fmt: skip
_Found = tuple[Episodes, "npt.NDArray[np.int64]"]


class EpisodesPanel(FollowingPanel):
    """Qt view of the episodes of the run in focus.

    Args:
        context: shared by all parts of the window.
        gap_ms: the shortest time between two reads.
    """

    def __init__(self, context: Context, *, gap_ms: int = 300) -> None:
        super().__init__(context, gap_ms=gap_ms, empty=_NO_RUN)
        self._run_id: str | None = None
        self._loader: EpisodeLoader | None = None
        self._episodes: Episodes | None = None
        self._by, self._descending = "index", True
        self._filter = Filter()
        self.model = EpisodeTable()
        self._make_table()
        self._make_bar()
        self._lay_out()

    def _make_bar(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Filter: return>100 length<50 truncated")
        self.search.setAccessibleName("Filter episodes")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter_changed)
        self.best = tool("Best", tip="Go to the highest return", act=lambda: self._go(best))
        self.worst = tool("Worst", tip="Go to the lowest return", act=lambda: self._go(worst))
        self.last = tool("Last", tip="Go to the episode that ended last", act=lambda: self._go(last))
        self.replay = tool("Replay", tip="Replay the chosen episode (Enter)", act=self._replay)
        self._told = plain(wrap=True)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        bar.setSpacing(TIGHT)
        bar.addWidget(plain("Go to"))
        for button in (self.best, self.worst, self.last):
            bar.addWidget(button)
        bar.addStretch(1)
        bar.addWidget(self.replay)
        above = QHBoxLayout()
        above.setContentsMargins(GAP, GAP, GAP, 0)
        above.addWidget(self.search)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(above)
        column.addLayout(bar)
        column.addWidget(self.table, 1)
        self._told.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        column.addWidget(self._told)
        self._stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._stack)

    def _make_table(self) -> None:
        self.table = table = QTableView()
        table.setModel(self.model)
        as_rows(table, name="Episodes", spare=8)
        table.setFrameShape(QTableView.Shape.NoFrame)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        heads = table.horizontalHeader()
        heads.setSectionsClickable(True)
        heads.setSortIndicatorShown(True)
        heads.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        heads.setStretchLastSection(True)
        heads.sectionClicked.connect(self._sort)
        for column, name in enumerate(COLUMNS):
            table.setColumnWidth(column, _WIDTHS[name])
        table.activated.connect(lambda _: self._replay())  # Enter, or a double click

    @property
    def said(self) -> str:
        """What the panel tells in words."""
        return self._said(self._told.text())

    # -- following ------------------------------------------------------------------------------------------

    def _chosen(self) -> None:
        if not self.isVisible():
            return
        focus = self._context.selection.focus
        if focus != self._run_id:
            self._run_id = focus
            self._loader = None if focus is None else EpisodeLoader(self._context.root.run(focus))
            self._episodes = None
            self.following.let_go()
            self.model.show(None, np.empty(0, np.int64))
            self._say(_NO_RUN if focus is None else "Loading…")
        self.following.ask()

    def _work(self, due: tuple[str, ...]) -> Callable[[], _Found | None]:
        loader, known = self._loader, self._episodes
        by, descending, wanted = self._by, self._descending, self._filter

        def work() -> _Found | None:
            found = None if loader is None else loader.load()
            found = known if found is None else found  # the same ones, perhaps in another order
            return (
                None if found is None else (found, view(found, by=by, descending=descending, wanted=wanted))
            )

        return work

    def _take(self, found: _Found | None) -> bool:
        if found is not None:
            chosen = self.model.episode_at(self.table.currentIndex().row())
            self._episodes = found[0]
            self.model.show(*found)
            self._keep(chosen)
        shown = self._episodes
        if shown is None or not len(shown):
            self._say(_NONE_YET)
        else:
            self._stack.setCurrentIndex(1)
            self._tell(shown)
            self._fit_columns(shown)
        return found is not None and found[0].more

    def _tell(self, shown: Episodes) -> None:
        count, listed = len(shown), len(self.model.order)
        parts = [f"{count:,} episodes" if listed == count else f"{listed:,} of {count:,} episodes"]
        parts += ["still reading…"] if shown.more else []
        parts += [shown.text(int(shown.env[0]))] if _same(shown.env) else []
        self._told.setText("   ".join(parts))

    def _fit_columns(self, shown: Episodes) -> None:
        """Columns that say the same in every row, or nothing, are not shown."""
        for name, hidden in (
            ("seed", bool(np.isnan(shown.seed).all())),
            ("env", _same(shown.env)),
            ("agent", _same(shown.agent)),
        ):
            column = COLUMNS.index(name)
            if self.table.isColumnHidden(column) != hidden:
                self.table.setColumnHidden(column, hidden)

    # -- asking ---------------------------------------------------------------------------------------------

    def _sort(self, column: int) -> None:
        by = COLUMNS[column]
        self._descending = not self._descending if by == self._by else True
        self._by = by
        order = Qt.SortOrder.DescendingOrder if self._descending else Qt.SortOrder.AscendingOrder
        self.table.horizontalHeader().setSortIndicator(column, order)
        self._again()

    def _filter_changed(self, text: str) -> None:
        try:
            self._filter = parse_filter(text)
        except UsageError as error:
            self._told.setText(str(error))
            palette = self._told.palette()
            palette.setColor(self._told.foregroundRole(), tone("bad"))
            self._told.setPalette(palette)
            return
        self._told.setPalette(self.palette())
        self._again()

    def _again(self) -> None:
        self.following.ask(anew=True)

    def _go(self, which: Callable[[Episodes], int | None]) -> None:
        shown = self._episodes
        row = None if shown is None else which(shown)
        if shown is None or row is None:
            self._context.toasts.say("No episode has ended yet.")
            return
        episode = int(shown.index[row])
        if self.model.row_of(episode) is None:
            self._context.toasts.say(f"Episode {episode} is filtered out.")
            return
        self._keep(episode, scroll=True)
        self.table.setFocus()

    def _keep(self, episode: int | None, *, scroll: bool = False) -> None:
        """Choose an episode's row, wherever it is now."""
        row = None if episode is None else self.model.row_of(episode)
        if row is None:
            return
        flags = QItemSelectionModel.SelectionFlag
        cell = self.model.index(row, 0)
        self.table.selectionModel().setCurrentIndex(cell, flags.ClearAndSelect | flags.Rows)
        if scroll:
            self.table.scrollTo(cell, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _replay(self) -> None:
        episode = self.model.episode_at(self.table.currentIndex().row())
        if self._run_id is not None and episode is not None:
            self._context.asks.replay.emit(self._run_id, episode)


def _same(codes: npt.NDArray[np.int32]) -> bool:
    """Whether every row says the same."""
    return bool((codes == codes[0]).all())
