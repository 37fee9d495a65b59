"""Qt view of an export: what, where to, how far. In place; nothing modal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QProgressBar, QPushButton, QWidget

from mosaic.text import count
from mosaic.ui.replay.exports import Export, Kind, path_for
from mosaic.ui.shell.model.views import FRAME
from mosaic.ui.shell.theme import GAP, TIGHT, is_dark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.paths import RunFolder
    from mosaic.ui.shell.context import Context

__all__ = ["ExportBar"]

_KINDS: tuple[tuple[str, Kind], ...] = (("MP4 video", "mp4"), ("GIF", "gif"), ("PNG files", "png"))


class ExportBar(QWidget):
    """Writes the open episode to a file. One export at a time."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._folder: RunFolder | None = None
        self._episode = 0
        self._allowed: tuple[str, ...] = ()
        self._view = FRAME
        self._export: Export | None = None
        self.kind = QComboBox()
        self.kind.setAccessibleName("Kind of file")
        for text, _ in _KINDS:
            self.kind.addItem(text)
        self.kind.activated.connect(lambda _: self._propose())
        self.path = QLineEdit()
        self.path.setAccessibleName("Where to")
        self.path.setToolTip("The file that is written; for PNG files, their folder")
        self.path.returnPressed.connect(self.start)
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Export progress")
        self.go = QPushButton("Export")
        self.go.clicked.connect(self.start)
        self.stop = QPushButton("Cancel")
        self.stop.clicked.connect(self.cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        row.setSpacing(TIGHT)
        row.addWidget(self.kind)
        row.addWidget(self.path, 1)
        row.addWidget(self.progress, 1)
        for button in (self.go, self.stop):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        self._show()

    def offer(self, folder: RunFolder, episode: int, *, allowed: Sequence[str] = ()) -> None:
        """What would be written next."""
        self._folder, self._episode, self._allowed = folder, episode, tuple(allowed)
        self._propose()

    def set_view(self, view: str) -> None:
        """Write what is on screen: frames, or scenes in the colours of the window."""
        self._view = view

    def _propose(self) -> None:
        if self._folder is not None:
            kind = _KINDS[self.kind.currentIndex()][1]
            self.path.setText(str(path_for(self._folder, self._episode, kind)))
            self.path.setCursorPosition(len(self.path.text()))

    @property
    def busy(self) -> bool:
        """Whether an export is under way."""
        return self._export is not None

    def start(self) -> None:
        """Write it."""
        text = self.path.text().strip()
        if self._folder is None or self._export is not None or not text:
            return
        post = self._context.bridge.post
        export = Export(
            self._folder,
            self._episode,
            kind=_KINDS[self.kind.currentIndex()][1],
            path=Path(text).expanduser(),
            allowed=self._allowed,
            view=self._view,
            dark=is_dark(self.palette()),
            progress=lambda done, of: post(lambda: self._advance(done, of)),
        )
        self._export = export
        self.progress.setRange(0, 0)
        self._show()
        self._context.ops.run(export.run, done=lambda frames: self._done(export, frames), failed=self._failed)

    def cancel(self) -> None:
        """Leave the export that is under way."""
        if self._export is not None:
            self._export.cancel()

    def _advance(self, done: int, of: int) -> None:
        if self._export is not None:
            self.progress.setRange(0, of)
            self.progress.setValue(done)

    def _done(self, export: Export, frames: int) -> None:
        self._export = None
        self._show()
        self._context.toasts.say(f"Wrote {count(frames)} frames: {export.path}", level="good", secs=10.0)

    def _failed(self, why: str) -> None:
        self._export = None
        self._show()
        self._context.toasts.say(f"Not exported: {why}", level="bad", secs=10.0)

    def _show(self) -> None:
        busy = self._export is not None
        self.progress.setVisible(busy)
        self.stop.setVisible(busy)
        for widget in (self.kind, self.path, self.go):
            widget.setVisible(not busy)
