"""Qt view of logs: what the run in focus wrote, as it comes. Scrolled up, it holds still. Plain text only."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
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
from mosaic.ui.logs.model import STREAMS, Line, Log, Stream, matches, read_on
from mosaic.ui.shell.model.words import title
from mosaic.ui.shell.theme import GAP, TIGHT, tone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mosaic.ui.shell.context import Context
    from mosaic.ui.shell.ops import Operation

__all__ = ["LogDrawer"]

_POLL_MILLIS = 250
_LINES = 5000


class LogDrawer(QWidget):
    """Qt view of a Log: the one of the run in focus. Reads only while it can be seen."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._run_id: str | None = None
        self._log = Log(most_lines=_LINES)
        self._offsets: dict[Stream, int | None] = {}
        self._reading: Operation | None = None
        self._held = 0
        self._make()
        self._timer = QTimer(self, interval=_POLL_MILLIS)
        self._timer.timeout.connect(self._poll)
        self._timer.start()
        context.selection.changed.connect(self._turn_to_focus)
        context.runs.changed.connect(lambda moved: self._name() if self._run_id in moved else None)
        self._turn_to_focus()

    def _make(self) -> None:
        self.whose = QLabel()
        self.whose.setTextFormat(Qt.TextFormat.PlainText)
        self.whose.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.filter = QLineEdit(placeholderText="Filter lines", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter log lines")
        self.filter.setMaximumWidth(260)
        self.filter.textChanged.connect(self._refill)
        self.streams = QComboBox()
        self.streams.setAccessibleName("Which output")
        for text, data in (("Both", STREAMS), ("stdout", STREAMS[:1]), ("stderr", STREAMS[1:])):
            self.streams.addItem(text, data)
        self.streams.currentIndexChanged.connect(self._refill)
        self.follow = QPushButton("Following")
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.follow.setAccessibleName("Follow the log")
        self.follow.setToolTip("Keep the newest line in view; scrolling up holds still")
        self.follow.toggled.connect(self._follow_toggled)
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setAccessibleName("Log of the run")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setMaximumBlockCount(_LINES)
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

    # Which run.

    def _turn_to_focus(self) -> None:
        if self._context.selection.focus == self._run_id and self._run_id is not None:
            return
        self._run_id = self._context.selection.focus
        if self._reading is not None:
            self._reading.abandon()
            self._reading = None
        self._log, self._offsets = Log(most_lines=_LINES), {}
        self.follow.setChecked(True)
        self._refill()
        self._name()
        self._poll()

    def _name(self) -> None:
        row = self._context.runs.get(self._run_id)
        if row is None:
            self.whose.setText("Choose a run to see what it writes.")
            return
        forgotten = f", {count(self._log.forgotten)} older lines not shown" if self._log.forgotten else ""
        lines = len(self._log.lines)
        said = f"{count(lines)} line{'' if lines == 1 else 's'}" if lines else "nothing written yet"
        self.whose.setText(f"{title(row)}: {said}{forgotten}")

    # Reading.

    def _poll(self) -> None:
        if self._run_id is None or self._reading is not None or not self.isVisible():
            return
        folder = self._context.root.run(self._run_id)
        paths: Mapping[Stream, Path] = {"stdout": folder.stdout, "stderr": folder.stderr}
        offsets = dict(self._offsets)
        self._reading = self._context.ops.run(
            lambda: read_on(paths, offsets), done=self._take, failed=lambda _: self._take({})
        )

    def _take(self, found: dict[Stream, tuple[bytes, int]]) -> None:
        self._reading = None
        fresh: list[Line] = []
        for stream, (data, end) in found.items():
            self._offsets[stream] = end
            fresh += self._log.take(stream, data) if data else []
        parts = [self._log.partial(stream) for stream in self.streams.currentData()]
        shown = "  ".join(part for part in parts if part)
        self.partial.setText(shown)
        self.partial.setVisible(bool(shown))
        if not fresh:
            return
        self._name()
        if self.following:
            self._append(self._wanted(fresh))
        else:
            self._held += len(self._wanted(fresh))
            self.follow.setText(f"{count(self._held)} new" if self._held else "Follow")

    # Showing.

    def _wanted(self, lines: Iterable[Line]) -> list[Line]:
        words, streams = self.filter.text(), self.streams.currentData()
        return [line for line in lines if matches(line, words, streams)]

    def _append(self, lines: list[Line]) -> None:
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for stream, group in groupby(lines[-_LINES:], key=lambda line: line.stream):
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
        self._append(self._wanted(self._log.lines))

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
