"""Qt view of what was trained: checkpoints, what is known of one, trust, import, and the evaluation."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mosaic.text import age, visible
from mosaic.ui.launch.model.basics import COMMON_ENVS
from mosaic.ui.launch.model.trained import facts_of, hash_lines, title_of
from mosaic.ui.launch.param_form import ParamForm
from mosaic.ui.launch.path_line import PathOffers
from mosaic.ui.shell.theme import TIGHT, tone
from mosaic.ui.shell.widgets.bits import Fold, Heading, Note, is_restyling

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.artifacts.checkpoints import Known
    from mosaic.ui.launch.evaluating import Evaluating
    from mosaic.ui.launch.model.form import Form
    from mosaic.ui.launch.model.launch import Launch
    from mosaic.ui.launch.model.trained import Shelf
    from mosaic.ui.shell.ops import Ops

__all__ = ["TrainedPanel"]

_PATH = Qt.ItemDataRole.UserRole


class TrainedPanel(QWidget):
    """Qt view of Trained, for the runner a Launch has chosen."""

    def __init__(self, evaluating: Evaluating, launch: Launch, ops: Ops) -> None:
        super().__init__()
        self._evaluating = evaluating
        self._trained = evaluating.trained
        self._launch = launch
        self._filling = False
        self._shown: object = None
        self.tree = self._make_tree()
        self.empty = Note()
        self.facts = Note()
        self.problem = Note(meaning="bad")
        self.form_view: ParamForm | None = None
        self._form: Form | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addLayout(self._head())
        for widget in (self.tree, self.empty, self._importing(ops), self.problem, self.facts):
            self._column.addWidget(widget)
        self._column.addWidget(self._trust_box())
        self._column.addWidget(self._switch_box())
        self._trained.changed.connect(self._show)
        launch.picked.connect(self._show)
        self._show()

    # -- making ----------------------------------------------------------------------------------

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.addWidget(Heading("Checkpoints"))
        head.addStretch(1)
        self.refresh = QPushButton("Look again")
        self.refresh.setFlat(True)
        self.refresh.clicked.connect(self._evaluating.look)
        head.addWidget(self.refresh)
        return head

    def _make_tree(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setAccessibleName("Checkpoints by environment and algorithm")
        tree.setHeaderHidden(True)
        tree.setIndentation(12)
        tree.setFixedHeight(tree.fontMetrics().lineSpacing() * 12)
        tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.currentItemChanged.connect(self._current)
        return tree

    def _importing(self, ops: Ops) -> Fold:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        self.path = QLineEdit()
        self.path.setPlaceholderText("/path/to/a/checkpoint")
        self.path.setAccessibleName("The file to use")
        PathOffers(self.path, ops)
        self.take = QPushButton("Use this file")
        self.take.clicked.connect(lambda: self._evaluating.import_file(self.path.text()))
        self.path.returnPressed.connect(self.take.click)
        self.path.textChanged.connect(lambda text: self.take.setEnabled(bool(text.strip())))
        self.take.setEnabled(False)
        column.addWidget(self.path)
        column.addWidget(
            Note("It stays where it is, and is treated as a checkpoint of the algorithm chosen above.")
        )
        column.addWidget(self.take, 0, Qt.AlignmentFlag.AlignLeft)
        self.import_fold = Fold("Import a file…", body)
        return self.import_fold

    def _trust_box(self) -> QWidget:
        self.trust_box = QWidget()
        column = QVBoxLayout(self.trust_box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        self.trust_note = Note(meaning="warn")
        self.trust = QPushButton("I trust this file")
        self.trust.clicked.connect(self._evaluating.trust_chosen)
        column.addWidget(self.trust_note)
        column.addWidget(self.trust, 0, Qt.AlignmentFlag.AlignLeft)
        return self.trust_box

    def _switch_box(self) -> QWidget:
        self.switch_box = QWidget()
        column = QVBoxLayout(self.switch_box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        self.switch_note = Note(meaning="warn")
        self.switch = QPushButton("Switch environment")
        self.switch.clicked.connect(self._switch)
        column.addWidget(self.switch_note)
        column.addWidget(self.switch, 0, Qt.AlignmentFlag.AlignLeft)
        return self.switch_box

    def showEvent(self, event: QShowEvent) -> None:
        """Keep up while somebody looks."""
        super().showEvent(event)
        self._evaluating.following.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self._evaluating.following.stop()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: what cannot be used takes its colours."""
        super().changeEvent(event)
        if is_restyling(event):
            self._shown = None
            QTimer.singleShot(0, self, self._show)

    # -- showing ---------------------------------------------------------------------------------

    def _show(self) -> None:
        if self._launch.page != "trained":
            return
        shelves = self._trained.shelves(self._launch.runner)
        if self._shown != shelves:
            self._shown = shelves
            self._fill(shelves)
        self._mark_chosen()
        entry = self._launch.entry
        title = entry.title if entry is not None else "this runner"
        nothing = (
            f"No checkpoint of {title} yet. Train one, or import a file." if self._trained.loaded else ""
        )
        self.empty.say("" if shelves else nothing or "Looking for checkpoints…")
        self.tree.setVisible(bool(shelves))
        self.problem.say(self._trained.problem)
        self._show_form()
        self._show_chosen()

    def _fill(self, shelves: list[Shelf]) -> None:
        self._filling = True
        self.tree.clear()
        now = time.time()
        for shelf in shelves:
            top = QTreeWidgetItem([visible(f"{shelf.env_id or 'Imported'} · {shelf.algorithm}")])
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.tree.addTopLevelItem(top)
            top.setExpanded(True)
            for one in shelf.members:
                top.addChild(_item(one, newest=str(one.path) == shelf.highlight, now=now))
        self._filling = False

    def _mark_chosen(self) -> None:
        chosen = self._trained.chosen
        self._filling = True
        for index in range(self.tree.topLevelItemCount()):
            top = self.tree.topLevelItem(index)
            for below in range(top.childCount() if top is not None else 0):
                item = top.child(below) if top is not None else None
                if item is not None and chosen is not None and item.data(0, _PATH) == str(chosen.path):
                    self.tree.setCurrentItem(item)
        self._filling = False

    def _current(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and not self._filling and item.data(0, _PATH):
            self._trained.choose(item.data(0, _PATH))

    def _show_form(self) -> None:
        form = self._evaluating.form
        if form is self._form:
            return
        if self.form_view is not None:
            self.form_view.let_go()
            self.form_view.hide()
            self.form_view.deleteLater()
        self._form = form
        self.form_view = ParamForm(form, title="Evaluation", completions={"env_id": COMMON_ENVS})
        self._column.addWidget(self.form_view)

    def _show_chosen(self) -> None:
        chosen = self._trained.chosen
        here = chosen is not None and chosen.runner == self._launch.runner
        self.facts.say(facts_of(chosen) if chosen is not None and here else "")
        untrusted = here and self._trained.untrusted() and chosen is not None and chosen.usable
        self.trust_box.setVisible(untrusted)
        if untrusted and chosen is not None:
            self.trust_note.say(
                "This file does not come from a run that was started here. Loading it can run code hidden in "
                f"it. Trust it only if you know where it comes from. SHA-256: \n{hash_lines(chosen)}"
            )
        trained_on = self._trained.mismatch(self._evaluating.form) if here else ""
        self.switch_box.setVisible(bool(trained_on))
        wanted = self._evaluating.form.text("env_id").strip()
        self.switch_note.say(f"It was trained on {trained_on}; you named {wanted}." if trained_on else "")
        self.switch.setText(f"Switch environment to {trained_on}")

    def _switch(self) -> None:
        trained_on = self._trained.mismatch(self._evaluating.form)
        if trained_on:
            self._evaluating.form.set("env_id", trained_on)


def _item(one: Known, *, newest: bool, now: float) -> QTreeWidgetItem:
    who = one.run_name or one.run_id[-6:] or one.path.name
    lines = [title_of(one), f"{visible(who)}, {age(one.row.t, now=now)}"]
    if newest:
        lines[0] = f"★ {lines[0]}"
    if not one.usable:
        lines[1] = visible(one.note)
    item = QTreeWidgetItem(["\n".join(lines)])
    item.setData(0, _PATH, str(one.path))
    item.setToolTip(0, str(one.path))
    if newest:
        item.setToolTip(0, f"The newest of a training that ended well\n{one.path}")
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"newest that ended well: {lines[0]} {lines[1]}")
        font = QFont()
        font.setBold(True)
        item.setFont(0, font)
    if not one.usable:
        item.setForeground(0, tone("quiet"))
    return item
