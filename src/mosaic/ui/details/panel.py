"""Qt view of Details: everything about the run in focus, as text to read, select and copy."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mosaic.protocol.runs import ENDED
from mosaic.ui.details.model import sections
from mosaic.ui.shell.model.words import breakable
from mosaic.ui.shell.theme import GAP, INSET, TIGHT, tone, tone_of_state
from mosaic.ui.shell.widgets.controls import plain, tool
from mosaic.ui.shell.widgets.message import Message

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.details.feed import DetailsFeed
    from mosaic.ui.details.model import Details, Field, Section
    from mosaic.ui.shell.context import Context

__all__ = ["DetailsPanel"]

_NO_RUN = "Choose a run on the left to see everything about it."


class DetailsPanel(QWidget):
    """Qt view of Details.

    Args:
        context: shared by all parts of the window.
        details: what is shown, beside the run's row.
        feed: what reads for it while somebody looks.
        every_ms: how often the lines of a live run are written anew while somebody looks: its time goes on.
    """

    def __init__(
        self, context: Context, details: Details, feed: DetailsFeed, *, every_ms: int = 1000
    ) -> None:
        super().__init__()
        self._context, self._details, self._feed = context, details, feed
        self._clock = QTimer(self, interval=every_ms)
        self._clock.timeout.connect(self._tick)
        self._shape: tuple[object, ...] = ()
        self._labels: list[QLabel] = []
        self._state = plain()
        self._folder = tool("Open folder", tip="Show the run's files", act=self._open_folder)
        self.copy_all = tool("Copy all", tip="Copy everything as text", act=self._copy_all)
        head = QHBoxLayout()
        head.setContentsMargins(INSET, GAP, INSET, TIGHT)
        head.addWidget(self._state, 1)
        head.addWidget(self._folder)
        head.addWidget(self.copy_all)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._scroll, 1)
        self._message = Message(_NO_RUN)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._message)
        self._stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._stack)
        details.changed.connect(self._write)
        context.runs.changed.connect(lambda moved: self._write() if details.run_id in moved else None)

    @property
    def text(self) -> str:
        """All lines as plain text."""
        return "\n\n".join(
            "\n".join(
                [one.title, *(f"  {field.label:<16} {field.copy or field.text}" for field in one.fields)]
            )
            for one in self._sections()
        )

    # -- being seen -----------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: the time of a live run goes on."""
        super().showEvent(event)
        self._write()
        self._feed.start(self)
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: stand still."""
        self._clock.stop()
        self._feed.stop(self)
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: the state's colour with it."""
        if event.type() == QEvent.Type.PaletteChange:
            QTimer.singleShot(0, self, self._write)  # the style sheet has yet to give labels its own colours
        super().changeEvent(event)

    def _tick(self) -> None:
        row = self._context.runs.get(self._details.run_id)
        if row is not None and row.state not in ENDED:
            self._write()

    # -- writing --------------------------------------------------------------------------------------------

    def _sections(self) -> list[Section]:
        row = self._context.runs.get(self._details.run_id)
        if row is None:
            return []
        parent = self._context.runs.get(row.parent)
        return sections(
            row,
            folder=self._context.root.run(row.run_id),
            facts=self._details.facts,
            parent_name=parent.name if parent is not None else "",
            now=time.time(),
        )

    def _write(self) -> None:
        if not self.isVisible():
            return
        run_id, problem = self._details.run_id, self._details.problem
        row = self._context.runs.get(run_id)
        if row is None or problem:
            self._message.say(problem or ("This run is not in the list any more." if run_id else _NO_RUN))
            self._stack.setCurrentIndex(0)
            return
        self._stack.setCurrentIndex(1)
        self._state.setText(f"●  {row.state.value}")
        palette = self._state.palette()
        palette.setColor(QPalette.ColorRole.WindowText, tone(tone_of_state(row.state)))
        self._state.setPalette(palette)
        found = self._sections()
        shape = tuple((one.title, tuple((f.label, bool(f.copy)) for f in one.fields)) for one in found)
        if shape != self._shape:
            self._shape = shape
            self._build(found)
        for label, field in zip(self._labels, (f for one in found for f in one.fields), strict=True):
            shown = breakable(field.text)
            if label.text() != shown:
                label.setText(shown)

    def _build(self, found: list[Section]) -> None:
        """New lines; when only their texts change, the labels stay, and with them what is selected."""
        scrolled = self._scroll.verticalScrollBar().value()
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(INSET, TIGHT, INSET, INSET)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(TIGHT)
        grid.setColumnStretch(1, 1)
        self._labels = []
        line = 0
        for section in found:
            title = plain(section.title)
            font = title.font()
            font.setBold(True)
            title.setFont(font)
            title.setContentsMargins(0, GAP if line else 0, 0, 0)
            grid.addWidget(title, line, 0, 1, 3)
            line += 1
            for at, field in enumerate(section.fields):
                self._add(grid, line, field, section=section, at=at)
                line += 1
        grid.setRowStretch(line, 1)
        self._scroll.setWidget(inner)
        self._scroll.verticalScrollBar().setValue(scrolled)

    def _add(self, grid: QGridLayout, line: int, field: Field, *, section: Section, at: int) -> None:
        top = Qt.AlignmentFlag.AlignTop
        value = plain(wrap=True)
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        value.setAccessibleName(field.label or section.title)
        self._labels.append(value)
        if field.label:
            name = plain(field.label)
            name.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            grid.addWidget(name, line, 0, top)
            grid.addWidget(value, line, 1, top)
        else:
            grid.addWidget(value, line, 0, 1, 2, top)
        if field.copy:
            title = section.title

            def copy() -> None:
                now = next((one for one in self._sections() if one.title == title), None)
                if now is not None and at < len(now.fields):
                    QGuiApplication.clipboard().setText(now.fields[at].copy)
                    self._context.toasts.say(f"Copied: {field.label}")

            grid.addWidget(tool("Copy", tip=f"Copy: {field.label}", flat=True, act=copy), line, 2, top)

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self._context.toasts.say("Copied: everything about this run")

    def _open_folder(self) -> None:
        run_id = self._details.run_id
        if run_id is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._context.root.run(run_id).path)))
