"""Qt view of a `Catalog`: search, runners with their algorithms and badges, and installing in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mosaic.ui.launch.model.launch import SCRIPT
from mosaic.ui.launch.path_line import PathOffers
from mosaic.ui.shell.theme import TIGHT, Tone, tone
from mosaic.ui.shell.widgets.bits import Heading, Note, is_restyling

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from mosaic.ui.launch.model.catalog import Badge, Catalog, Entry
    from mosaic.ui.launch.model.launch import Launch
    from mosaic.ui.shell.ops import Ops

__all__ = ["CatalogView"]

_TONES: dict[Badge, Tone] = {"ready": "good", "missing": "quiet", "broken": "bad", "installing": "busy"}
_KEY = Qt.ItemDataRole.UserRole


class CatalogView(QWidget):
    """Qt view of Catalog and of what a Launch has chosen in it."""

    install = Signal(str)
    """Install this runner."""
    cancel = Signal(str)
    """Give its installation up."""
    look_in = Signal(str, str)
    """Have this runner look for its algorithms in that folder."""

    def __init__(self, catalog: Catalog, launch: Launch, ops: Ops) -> None:
        super().__init__()
        self.catalog = catalog
        self.launch = launch
        self._filling = False
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search runners and algorithms")
        self.search.setAccessibleName("Search runners and algorithms")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _: self._fill())
        self.tree = self._make_tree()
        self._about = Note()
        self.how = Note()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName("Progress of the installation")
        self.button = QPushButton()
        self.button.clicked.connect(self._pressed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for widget in (Heading("Train with"), self.search, self.tree, self._about):
            column.addWidget(widget)
        column.addWidget(self._folder_box(ops))
        column.addWidget(self.how)
        column.addWidget(self.bar)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        column.addLayout(row)
        catalog.changed.connect(self._fill)
        catalog.progressed.connect(lambda _: self._show_state())
        launch.picked.connect(self._show_choice)
        self._fill()

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: badges take its colours."""
        super().changeEvent(event)
        if is_restyling(event):
            QTimer.singleShot(0, self, self._fill)

    def _make_tree(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setAccessibleName("Runners and algorithms")
        tree.setColumnCount(2)
        tree.setHeaderHidden(True)
        tree.setIndentation(14)
        tree.setUniformRowHeights(True)
        tree.setFixedHeight(tree.fontMetrics().lineSpacing() * 9 + 16)
        tree.header().setStretchLastSection(False)
        tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.currentItemChanged.connect(self._current)
        return tree

    def _folder_box(self, ops: Ops) -> QWidget:
        """Where a runner finds its algorithms: a folder of the user's."""
        self.folder_box = QWidget()
        column = QVBoxLayout(self.folder_box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        self.folder = QLineEdit()
        self.folder.setPlaceholderText("/path/to/your/checkout")
        self.folder.setAccessibleName("Folder of the checkout")
        PathOffers(self.folder, ops, folders_only=True)
        self.folder_problem = Note(meaning="bad")
        there = QPushButton("Look there")
        there.clicked.connect(lambda: self.look_in.emit(self.launch.runner, self.folder.text()))
        self.folder.returnPressed.connect(there.click)
        row = QHBoxLayout()
        row.addWidget(self.folder, 1)
        row.addWidget(there)
        column.addLayout(row)
        column.addWidget(self.folder_problem)
        return self.folder_box

    def _fill(self) -> None:
        """The rows anew; what was open stays open, what was chosen stays chosen."""
        typed = self.search.text().strip()
        opened = {item.data(0, _KEY)[0] for item in self._tops() if item.isExpanded()}
        self._filling = True
        self.tree.clear()
        for entry, algorithms in self.catalog.matching(typed):
            badge, said = self.catalog.badge(entry.id)
            top = QTreeWidgetItem([entry.title, said])
            top.setData(0, _KEY, (entry.id, ""))
            top.setForeground(1, tone(_TONES[badge]))
            top.setToolTip(0, entry.card.help if entry.card is not None else entry.text)
            top.setToolTip(1, entry.text)
            for algorithm in algorithms:
                below = QTreeWidgetItem([algorithm.title or algorithm.id])
                below.setData(0, _KEY, (entry.id, algorithm.id))
                below.setToolTip(0, algorithm.help)
                below.setFirstColumnSpanned(True)
                top.addChild(below)
            self.tree.addTopLevelItem(top)
            top.setExpanded(bool(typed) or entry.id in opened or entry.id == self.launch.runner)
        self._filling = False
        self._show_choice()

    def _tops(self) -> list[QTreeWidgetItem]:
        found = [self.tree.topLevelItem(index) for index in range(self.tree.topLevelItemCount())]
        return [item for item in found if item is not None]

    def _show_choice(self) -> None:
        algorithm = self.launch.algorithm
        wanted = (self.launch.runner, algorithm.id if algorithm is not None else "")
        self._filling = True
        for top in self._tops():
            for item in [top, *[top.child(index) for index in range(top.childCount())]]:
                if item is not None and tuple(item.data(0, _KEY)) == wanted:
                    top.setExpanded(True)
                    self.tree.setCurrentItem(item)
                    self.tree.scrollToItem(item)
        self._filling = False
        self._show_state()

    def _current(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and not self._filling:
            runner_id, algorithm_id = item.data(0, _KEY)
            self.launch.pick(runner_id, algorithm_id)

    def _show_state(self) -> None:
        entry = self.launch.entry
        self.bar.hide()
        self.button.hide()
        self.folder_box.setVisible(entry is not None and entry.discovers)
        if entry is None:
            self._about.say("" if self.catalog.loaded else "Looking for runners…")
            self.how.say("")
            return
        algorithm = self.launch.algorithm
        self._about.say((algorithm.help if algorithm is not None else "") or _about(entry))
        if entry.discovers and not self.folder.hasFocus():
            self.folder.setText(self.launch.checkouts.get(entry.id, ""))
        self.folder_problem.say(entry.folder_problem)
        install = self.catalog.install(entry.id)
        badge, _ = self.catalog.badge(entry.id)
        if badge == "installing" and install is not None:
            self.how.say(install.text, meaning="busy")
            self.bar.setRange(0, 0 if install.fraction is None else 1000)
            self.bar.setValue(round((install.fraction or 0.0) * 1000))
            self.bar.show()
            self._offer("Cancel", f"Give the installation of {entry.title} up")
        elif entry.state == "ready":
            self.how.say("")
        else:
            self._show_missing(entry, install.failed if install is not None else "")

    def _show_missing(self, entry: Entry, failed: str) -> None:
        can = entry.card is not None and bool(entry.card.requirements)
        said = [failed or f"{entry.title}: {entry.text}{entry.size}", "" if can else entry.remedy]
        bad = bool(failed) or entry.state == "broken"
        self.how.say("\n".join(part for part in said if part), meaning="bad" if bad else "warn")
        if can and self.catalog.installing:
            self.how.say("Can be installed once the installation under way is done.", meaning="quiet")
        elif can:
            what = "Try again" if failed else "Install anew" if entry.state == "broken" else "Install"
            self._offer(f"{what}: {entry.title}", f"In a terminal: {entry.remedy}")

    def _offer(self, text: str, hint: str) -> None:
        self.button.setText(text)
        self.button.setToolTip(hint)
        self.button.setAccessibleName(text)
        self.button.show()

    def _pressed(self) -> None:
        entry = self.launch.entry
        if entry is not None:
            installing = self.catalog.badge(entry.id)[0] == "installing"
            (self.cancel if installing else self.install).emit(entry.id)


def _about(entry: Entry) -> str:
    if entry.card is None or entry.id == SCRIPT:
        return ""
    return entry.card.help
