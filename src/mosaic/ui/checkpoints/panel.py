"""Qt view of checkpoints: of the run in focus or of all runs, and what can be done with each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mosaic.text import visible
from mosaic.ui.checkpoints.model import by_kind, by_run
from mosaic.ui.shell.model.words import breakable
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.controls import plain, tool
from mosaic.ui.shell.widgets.following_panel import FollowingPanel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mosaic.artifacts.checkpoints import Known
    from mosaic.protocol.cards import Capabilities
    from mosaic.ui.checkpoints.model import Card, Group
    from mosaic.ui.shell.context import Context

__all__ = ["CheckpointsPanel"]

_NO_RUN = "Choose a run on the left to see its checkpoints, or tick All runs."
_NONE = "This run has saved no checkpoint yet.\nWhat it saves with its framework appears here by itself."
_NONE_AT_ALL = "No run has saved a checkpoint yet."
_HEADS = ("Step", "Run", "Why", "Return", "Saved", "Size", "State")
_RUN = _HEADS.index("Run")
_CARD = Qt.ItemDataRole.UserRole
_EVERYWHERE = ""  # shown for all runs, where else a run's id stands
_Found = tuple[list["Known"], dict[str, "Capabilities"]]


class CheckpointsPanel(FollowingPanel):
    """Qt view of checkpoints.

    Args:
        context: shared by all parts of the window.
        gap_ms: the shortest time between two reads.
        most: how many are listed; of more, the newest.
    """

    def __init__(self, context: Context, *, gap_ms: int = 2000, most: int = 2000) -> None:
        super().__init__(context, gap_ms=gap_ms, empty=_NO_RUN)
        self._most = most
        self._known: list[Known] = []
        self._capabilities: dict[str, Capabilities] = {}
        self._verified: dict[tuple[str, int, str], Known] = {}
        self._shown_for: str | None = None
        self._make_list()
        self._make_buttons()
        self._lay_out()
        context.runs.changed.connect(self._runs_moved)
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
        self.everywhere.toggled.connect(lambda _: self._chosen())
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
        self._stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self._stack, 1)

    @property
    def said(self) -> str:
        """What the panel tells in words."""
        return self._said(self._about.text())

    # -- following ------------------------------------------------------------------------------------------

    def _wanted(self) -> Sequence[str]:
        if self.everywhere.isChecked():
            return [row.run_id for row in self._context.runs.rows]
        return super()._wanted()

    def _chosen(self) -> None:
        if not self.isVisible():
            return
        focus, everywhere = self._context.selection.focus, self.everywhere.isChecked()
        shown = _EVERYWHERE if everywhere else focus
        if shown != self._shown_for:
            self._shown_for = shown
            self.following.let_go()
            self._say(_NO_RUN if shown is None else "Loading…")  # not another run's, while these are read
        if everywhere and not len(self._context.runs):
            self._say(_NONE_AT_ALL)
        self.following.ask()

    def _runs_moved(self, moved: frozenset[str]) -> None:
        """Of all runs, one that is gone takes its checkpoints with it."""
        if self.everywhere.isChecked() and any(self._context.runs.get(run_id) is None for run_id in moved):
            self.following.ask(anew=True)

    def _work(self, due: tuple[str, ...]) -> Callable[[], _Found]:
        root, most, everywhere = self._context.root, self._most, self.everywhere.isChecked()

        def work() -> _Found:
            from mosaic.artifacts import checkpoints

            found = checkpoints.everywhere(root) if everywhere else checkpoints.of_run(root, due[0])
            return found[:most], _capabilities()

        return work

    def _take(self, found: _Found) -> bool:
        self._known, self._capabilities = found
        self._fill()
        return False

    # -- the list -------------------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        super()._say(text)
        self._count.setText("")

    def _groups(self) -> list[Group]:
        found = [self._verified.get((one.run_id, one.row.seq, str(one.path)), one) for one in self._known]
        focus = self._context.selection.focus
        runs = {row.run_id: row for row in self._context.runs.rows}
        if self.everywhere.isChecked():
            return by_kind(found, focus=focus, capabilities=self._capabilities, runs=runs)
        row = runs.get(focus or "")
        name = row.name if row is not None and row.name else focus or ""
        return by_run(found, name=name, capabilities=self._capabilities, runs=runs)

    def _fill(self) -> None:
        chosen = self.chosen
        if not self._known:
            self._say(_NONE_AT_ALL if self.everywhere.isChecked() else _NONE)
            return
        self._stack.setCurrentIndex(1)
        count = len(self._known)
        self._count.setText(f"{count:,} checkpoints" if count != 1 else "1 checkpoint")
        self.list.clear()
        self.list.setColumnHidden(_RUN, not self.everywhere.isChecked())
        first: QTreeWidgetItem | None = None
        for group in self._groups():
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
        def verify(card: Card) -> None:
            def done(known: Known) -> None:
                self._verified[card.key] = known
                self._fill()
                good = known.intact is True
                said = "The bytes are the recorded ones" if good else known.note or "The bytes have changed"
                self._context.toasts.say(f"{said}: {known.path.name}", level="good" if good else "bad")

            def work() -> Known:
                from mosaic.artifacts import checkpoints

                return checkpoints.verified(card.known)

            self._context.ops.run(work, done=done)

        self._with(verify)

    def forget_verified(self) -> None:
        """What was compared once may have changed since."""
        self._verified.clear()
        self._fill()

    def _with(self, act: Callable[[Card], object]) -> None:
        card = self.chosen
        if card is not None:
            act(card)


def _capabilities() -> dict[str, Capabilities]:
    """What each runner can do."""
    from mosaic.runners import registry

    return {one.id: one.runner.card.capabilities for one in registry.listed() if one.runner is not None}
