"""Qt view of a Log: what a run wrote, as it comes. Scrolled up, it holds still. Plain text only."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mosaic.text import count
from mosaic.ui.logs.model import STREAMS
from mosaic.ui.shell.model.words import title
from mosaic.ui.shell.theme import GAP, TIGHT, tone

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from mosaic.ui.logs.feed import LogFeed
    from mosaic.ui.logs.model import Line, Log
    from mosaic.ui.shell.context import Context

__all__ = ["LogDrawer"]

_STREAMS = {"Both": STREAMS, "stdout": STREAMS[:1], "stderr": STREAMS[1:]}


class LogDrawer(QWidget):
    """Qt view of a Log.

    Args:
        context: shared by all parts of the window.
        log: what is shown.
        feed: what reads for it while somebody looks.
    """

    def __init__(self, context: Context, log: Log, feed: LogFeed) -> None:
        super().__init__()
        self._context, self._log, self._feed = context, log, feed
        self._held = 0  # lines that came while this view holds still
        self._make()
        log.turned.connect(self._turn)
        log.changed.connect(self._show_wanted)
        log.grew.connect(self._grow)
        context.runs.changed.connect(lambda moved: self._name() if log.run_id in moved else None)
        self._show_wanted()
        self._name()

    def _make(self) -> None:
        self.whose = QLabel()
        self.whose.setTextFormat(Qt.TextFormat.PlainText)
        self.whose.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.filter = QLineEdit(placeholderText="Filter lines", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter log lines")
        self.filter.setMaximumWidth(260)
        self.filter.textChanged.connect(lambda words: self._log.want(words=words))
        self.streams = QComboBox()
        self.streams.setAccessibleName("Which output")
        self.streams.addItems(list(_STREAMS))
        self.streams.currentTextChanged.connect(lambda name: self._log.want(streams=_STREAMS[name]))
        self.follow = QPushButton("Following")
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.follow.setAccessibleName("Follow the log")
        self.follow.setToolTip("Keep the newest line in view; scrolling up holds still")
        self.follow.toggled.connect(self._follow_toggled)
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setAccessibleName("Log of the run")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setMaximumBlockCount(self._log.most_lines)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setUndoRedoEnabled(False)
        self.text.setMinimumHeight(48)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.partial = QLabel()
        self.partial.setTextFormat(Qt.TextFormat.PlainText)
        self.partial.setFont(self.text.font())
        self.partial.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.partial.setAccessibleName("The line being written")
        self.partial.hide()
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(self.whose, 1)
        for widget in (self.filter, self.streams, self.follow):
            head.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        column.setSpacing(TIGHT)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addWidget(self.partial)

    @property
    def following(self) -> bool:
        """Whether the newest line is kept in view."""
        return bool(self.follow.isChecked())

    # Being seen.

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks: read."""
        super().showEvent(event)
        self._feed.start(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: read nothing."""
        self._feed.stop(self)
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: the lines' colours with it. What is held back stays so."""
        if event.type() == QEvent.Type.PaletteChange:
            scrolled, lines = self.text.verticalScrollBar().value(), self._log.wanted()
            self.text.clear()
            self._append(lines[: max(0, len(lines) - self._held)])
            if not self.following:
                self.text.verticalScrollBar().setValue(scrolled)
        super().changeEvent(event)

    # Showing.

    def _turn(self) -> None:
        self.follow.setChecked(True)
        self._refill()
        self._name()

    def _name(self) -> None:
        row = self._context.runs.get(self._log.run_id)
        said = "Choose a run to see what it writes." if row is None else f"{title(row)}: {self._log.said}"
        self.whose.setText(said)

    def _show_wanted(self) -> None:
        """The controls as the log is set, by whichever view, and the lines they want."""
        if self.filter.text() != self._log.words:
            self.filter.setText(self._log.words)
        self.streams.setCurrentIndex(list(_STREAMS.values()).index(self._log.streams))
        self._refill()

    def _show_being_written(self) -> None:
        self.partial.setText(self._log.being_written)
        self.partial.setVisible(bool(self._log.being_written))

    def _grow(self, fresh: list[Line]) -> None:
        self._show_being_written()
        if not fresh:
            return
        self._name()
        wanted = self._log.wanted(fresh)
        if self.following:
            self._append(wanted)
        else:
            self._held += len(wanted)
            self.follow.setText(f"{count(self._held)} new" if self._held else "Follow")

    def _append(self, lines: list[Line]) -> None:
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for stream, group in groupby(lines[-self._log.most_lines :], key=lambda line: line.stream):
            shape = QTextCharFormat()
            if stream == "stderr":
                shape.setForeground(tone("warn"))
            text = "\n".join(line.text for line in group)
            cursor.insertText(text if self.text.document().isEmpty() else "\n" + text, shape)
        cursor.endEditBlock()
        self._to_end()

    def _refill(self) -> None:
        self._held = 0
        self.text.clear()
        self._append(self._log.wanted())
        self._show_being_written()

    def _to_end(self) -> None:
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _scrolled(self, value: int) -> None:
        """The user went up: hold still. Down to the end: follow again."""
        bar = self.text.verticalScrollBar()
        if bar.isSliderDown() or self.text.hasFocus() or self.text.underMouse():
            self.follow.setChecked(value >= bar.maximum())

    def _follow_toggled(self, on: bool) -> None:
        self.follow.setText("Following" if on else "Follow")
        if on and self._held:
            self._refill()
        elif on:
            self._held = 0
            self._to_end()
