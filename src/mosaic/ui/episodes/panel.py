"""Qt view of an EpisodeList: sorted, filtered, followed live; a double click replays one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from mosaic.ui.episodes.model import COLUMNS, best, last, worst
from mosaic.ui.episodes.table import EpisodeTable
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.controls import plain, tool
from mosaic.ui.shell.widgets.message import Message
from mosaic.ui.shell.widgets.rows_table import as_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.episodes.feed import EpisodesFeed
    from mosaic.ui.episodes.model import EpisodeList, Episodes
    from mosaic.ui.shell.context import Context

__all__ = ["EpisodesPanel"]

_WIDTHS = {
    "index": 50, "return": 72, "length": 60, "outcome": 88, "role": 54, "seed": 46, "env": 130, "agent": 80,
    "ended": 60,
}  # fmt: skip


class EpisodesPanel(QWidget):
    """Qt view of an EpisodeList.

    Args:
        context: shared by all parts of the window.
        listed: what is shown.
        feed: what reads for it while somebody looks.
    """

    def __init__(self, context: Context, listed: EpisodeList, feed: EpisodesFeed) -> None:
        super().__init__()
        self._context, self._listed, self._feed = context, listed, feed
        self.model = EpisodeTable()
        self._make_table()
        self._make_bar()
        self._lay_out()
        listed.changed.connect(self._show)
        self._show()

    def _make_bar(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Filter: return>100 length<50 role=eval truncated")
        self.search.setAccessibleName("Filter episodes")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._listed.filter)
        self.best = tool(
            "Best",
            tip="Go to the highest return listed, training before evaluation",
            act=lambda: self._go(best),
        )
        self.worst = tool(
            "Worst",
            tip="Go to the lowest return listed, training before evaluation",
            act=lambda: self._go(worst),
        )
        self.last = tool("Last", tip="Go to the episode listed that ended last", act=lambda: self._go(last))
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
        self._message = Message()
        self._stack = QStackedWidget()
        self._stack.addWidget(self._message)
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
        heads.setStretchLastSection(True)
        heads.sectionClicked.connect(lambda column: self._listed.sort(COLUMNS[column]))
        for column, name in enumerate(COLUMNS):
            table.setColumnWidth(column, _WIDTHS[name])
        table.activated.connect(lambda _: self._replay())  # Enter, or a double click

    @property
    def said(self) -> str:
        """What the panel tells in words."""
        return self._listed.empty or self._told.text()

    # -- being seen -----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Keep up while somebody looks."""
        super().showEvent(event)
        self._feed.start(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self._feed.stop(self)
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: a refusal's colour with it."""
        if event.type() == QEvent.Type.PaletteChange:
            QTimer.singleShot(0, self, self._tell)  # the style sheet has yet to give labels its own colours
        super().changeEvent(event)

    # -- what is shown --------------------------------------------------------------------------------------

    def _show(self) -> None:
        listed = self._listed
        chosen = self.model.episode_at(self.table.currentIndex().row())
        self.model.show(listed.episodes, listed.rows)
        self._keep(chosen)
        if self.search.text() != listed.words:
            self.search.setText(listed.words)
        order = Qt.SortOrder.DescendingOrder if listed.descending else Qt.SortOrder.AscendingOrder
        self.table.horizontalHeader().setSortIndicator(COLUMNS.index(listed.by), order)
        idle = listed.idle_columns
        for column, name in enumerate(COLUMNS):
            if self.table.isColumnHidden(column) != (name in idle):
                self.table.setColumnHidden(column, name in idle)
        self._tell()
        self._message.say(listed.empty)
        self._stack.setCurrentIndex(0 if listed.empty else 1)

    def _tell(self) -> None:
        self._told.setText(self._listed.said)
        palette = QPalette()  # else as the panel's, whatever that becomes
        if self._listed.refusal:
            palette.setColor(self._told.foregroundRole(), tone("bad"))
        self._told.setPalette(palette)

    # -- asking ---------------------------------------------------------------------------------------------

    def _go(self, which: Callable[[Episodes, npt.NDArray[np.int64]], int | None]) -> None:
        shown = self._listed.episodes
        row = None if shown is None else which(shown, self._listed.rows)
        if shown is None or row is None:
            self._context.toasts.say("No episode listed here was played to its end.")
            return
        self._keep(int(shown.index[row]), scroll=True)
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
        run_id = self._listed.run_id
        if run_id is not None and episode is not None:
            self._context.asks.replay.emit(run_id, episode)
