"""Qt view of Checkpoints: of the run in focus or of all runs, and what can be done with each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mosaic.text import visible
from mosaic.ui.shell.model.words import breakable
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.controls import plain, tool
from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.checkpoints.feed import CheckpointsFeed
    from mosaic.ui.checkpoints.model import Card, Checkpoints
    from mosaic.ui.shell.context import Context

__all__ = ["CheckpointsPanel"]

_HEADS = ("Step", "Run", "Why", "Return", "Saved", "Size", "State")
_RUN = _HEADS.index("Run")
_CARD = Qt.ItemDataRole.UserRole


class CheckpointsPanel(QWidget):
    """Qt view of Checkpoints.

    Args:
        context: shared by all parts of the window.
        listed: what is shown.
        feed: what reads for it while somebody looks.
    """

    def __init__(self, context: Context, listed: Checkpoints, feed: CheckpointsFeed) -> None:
        super().__init__()
        self._context, self._listed, self._feed = context, listed, feed
        self._make_list()
        self._make_buttons()
        self._lay_out()
        listed.changed.connect(self._fill)
        self._fill()
        self._tell()

    def _make_list(self) -> None:
        self.list = QTreeWidget()
        self.list.setAccessibleName("Checkpoints")
        self.list.setHeaderLabels(list(_HEADS))
        self.list.setUniformRowHeights(True)
        self.list.setRootIsDecorated(False)
        self._row = QSize(0, self.list.fontMetrics().height() + 8)
        self.list.setIndentation(10)
        self.list.setAlternatingRowColors(True)
        self.list.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for column, width in enumerate((72, 90, 62, 62, 52, 64, 60)):
            self.list.setColumnWidth(column, width)
        self.list.currentItemChanged.connect(lambda *_: self._tell())
        self.list.itemActivated.connect(lambda *_: self.evaluate.click())

    def _make_buttons(self) -> None:
        self.everywhere = QCheckBox("All runs")
        self.everywhere.setToolTip("Show the checkpoints of all runs, by environment and algorithm")
        self.everywhere.toggled.connect(self._listed.show_everywhere)
        self.evaluate = tool("Evaluate", tip="Play this checkpoint", act=self._evaluate)
        self.train = tool("Train from", tip="Start a training from this checkpoint", act=self._train)
        self.verify = tool("Verify", tip="Compare the file's bytes with the record", act=self._verify)
        self.copy = tool("Copy path", tip="Copy the file's path", act=self._copy)
        self.folder = tool("Open folder", tip="Show the file's folder", act=self._open_folder)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(GAP, GAP, GAP, TIGHT)
        top.addWidget(self.everywhere)
        top.addStretch(1)
        self._count = plain()
        self._count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        top.addWidget(self._count)
        acts = QHBoxLayout()
        acts.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        acts.setSpacing(TIGHT)
        for button in (self.evaluate, self.train, self.verify, self.copy, self.folder):
            acts.addWidget(button)
        acts.addStretch(1)
        self._about = plain(wrap=True)
        self._about.setContentsMargins(GAP, 0, GAP, GAP)
        self._about.setAccessibleName("About the chosen checkpoint")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        column.addLayout(acts)
        column.addWidget(self._about)
        self._message = Message()
        self._stack = QStackedWidget()
        self._stack.addWidget(self._message)
        self._stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self._stack, 1)

    @property
    def said(self) -> str:
        """What the panel tells in words."""
        return self._listed.empty or self._about.text()

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
        """The theme changed: the rows' colours with it."""
        if event.type() == QEvent.Type.PaletteChange:
            self._fill()
        super().changeEvent(event)

    # -- the list -------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        self.everywhere.setChecked(self._listed.everywhere)
        empty, count = self._listed.empty, len(self._listed.known)
        self._count.setText("" if empty else "1 checkpoint" if count == 1 else f"{count:,} checkpoints")
        self._stack.setCurrentIndex(0 if empty else 1)
        if empty:
            self._message.say(empty)
            return
        chosen = self.chosen
        self.list.clear()
        self.list.setColumnHidden(_RUN, not self._listed.everywhere)
        first: QTreeWidgetItem | None = None
        for group in self._listed.groups(self._context.runs.rows):
            head = QTreeWidgetItem(self.list, [group.title])
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.setSizeHint(0, self._row)
            head.setFirstColumnSpanned(True)
            font = head.font(0)
            font.setBold(True)
            head.setFont(0, font)
            for card in group.cards:
                item = self._add(head, card)
                if chosen is not None and card.key == chosen.key:
                    self.list.setCurrentItem(item)
                first = first or item
        self.list.expandAll()
        if self.list.currentItem() is None and first is not None:
            self.list.setCurrentItem(first)
        self._tell()

    def _add(self, head: QTreeWidgetItem, card: Card) -> QTreeWidgetItem:
        run = card.known.run_name or card.known.run_id
        saved = card.saved[11:16] if card.saved.startswith(time.strftime("%Y-%m-%d")) else card.saved[5:10]
        texts = [card.title, visible(run), card.reason, card.return_, saved, card.size, card.state]
        item = QTreeWidgetItem(head, texts)
        item.setData(0, _CARD, card)
        item.setSizeHint(0, self._row)
        for column in (0, 3, 5):
            item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for column, text in enumerate(texts):
            item.setToolTip(column, card.saved if text == saved else text)
            if card.newest:
                font = item.font(column)
                font.setBold(True)
                item.setFont(column, font)
                item.setForeground(column, tone("good"))
                item.setToolTip(column, "The most recent one that can be used")
            elif not card.good:
                item.setForeground(column, tone("quiet"))
        return item

    @property
    def chosen(self) -> Card | None:
        """The checkpoint that is chosen."""
        item = self.list.currentItem()
        card: Card | None = item.data(0, _CARD) if item is not None else None
        return card

    def _tell(self) -> None:
        card = self.chosen
        for button, refusal, tip in (
            (self.evaluate, card.cannot_evaluate if card else "", "Play this checkpoint"),
            (self.train, card.cannot_train if card else "", "Start a training from this checkpoint"),
        ):
            button.setEnabled(card is not None and not refusal)
            button.setToolTip(refusal or tip)
        for other in (self.verify, self.copy, self.folder):
            other.setEnabled(card is not None)
        lines = [] if card is None else [f"{label}: {line}" for label, line in card.about]
        refusals = [] if card is None else list(dict.fromkeys((card.cannot_evaluate, card.cannot_train)))
        self._about.setText("\n".join(breakable(line) for line in [*lines, *(r for r in refusals if r)]))

    # -- what can be done -----------------------------------------------------------------------------------

    def _evaluate(self) -> None:
        self._with(lambda card: self._context.asks.evaluate.emit(card.known.run_id, str(card.known.path)))

    def _train(self) -> None:
        self._with(lambda card: self._context.asks.train_from.emit(card.known.run_id, str(card.known.path)))

    def _copy(self) -> None:
        def copy(card: Card) -> None:
            QGuiApplication.clipboard().setText(str(card.known.path))
            self._context.toasts.say("Copied: the checkpoint's path")

        self._with(copy)

    def _open_folder(self) -> None:
        self._with(lambda card: QDesktopServices.openUrl(QUrl.fromLocalFile(str(card.known.path.parent))))

    def _verify(self) -> None:
        self._with(self._feed.verify)

    def _with(self, act: Callable[[Card], object]) -> None:
        card = self.chosen
        if card is not None:
            act(card)
