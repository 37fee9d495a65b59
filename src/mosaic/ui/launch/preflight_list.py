"""Qt view of a preflight: what was looked at, how it stands, what to do. And of the command to be run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from PySide6.QtGui import QFontDatabase, QGuiApplication, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from mosaic.app.submitting import shown
from mosaic.ui.shell.widgets.bits import Fold, Heading, Note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mosaic.protocol.cards import Check, Level
    from mosaic.ui.shell.theme import Tone

__all__ = ["CommandPreview", "PreflightList"]

_GLYPHS: dict[Level, str] = {"ok": "✓", "warn": "!", "fail": "✗"}
_TONES: dict[Level, Tone] = {"ok": "good", "warn": "warn", "fail": "bad"}


class PreflightList(QWidget):
    """Qt view of a list of checks: what fails and what is doubtful in full, what is fine folded away."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Preflight")
        self._shown: list[Check] | None = None
        self._lines: list[Note] = []
        self._state = Note()
        self._loud = QVBoxLayout()
        self._fine_body = QWidget()
        self._fine = QVBoxLayout(self._fine_body)
        self._fine.setContentsMargins(0, 0, 0, 0)
        self.fold = Fold("", self._fine_body)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(Heading("Preflight"))
        column.addWidget(self._state)
        column.addLayout(self._loud)
        column.addWidget(self.fold)

    def show_checks(self, checks: Sequence[Check], *, state: str = "") -> None:
        """Show these; `state` says what is under way, or why there are none."""
        self._state.say(state)
        if self._shown == list(checks):
            return
        self._shown = list(checks)
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines = [_line(check) for check in checks]
        for check, line in zip(checks, self._lines, strict=True):
            (self._fine if check.level == "ok" else self._loud).addWidget(line)
        fine = sum(1 for check in checks if check.level == "ok")
        self.fold.title(f"{fine} {'check' if fine == 1 else 'checks'} passed")
        self.fold.setVisible(fine > 0)

    @property
    def texts(self) -> list[str]:
        """What is shown, line by line."""
        return [_text(check) for check in self._shown or []]


class CommandPreview(QWidget):
    """The exact command, to be read, selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName("The exact command")
        self._text.setPlaceholderText("Shown once everything above is filled in.")
        self._text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(self._text.fontMetrics().lineSpacing() * 5 + 12)
        self.copy = QPushButton("Copy")
        self.copy.setFlat(True)
        self.copy.setAccessibleName("Copy the command")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text))
        head = QHBoxLayout()
        head.addWidget(Heading("Command"))
        head.addStretch(1)
        head.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._text)
        self.show_words([])

    @property
    def text(self) -> str:
        """The command, quoted as for a shell."""
        return self._text.toPlainText()

    def show_words(self, words: Sequence[str]) -> None:
        """Show a command, without the secrets in it."""
        text = shlex.join(shown(words))
        if text != self.text:
            self._text.setPlainText(text)
        self.copy.setVisible(bool(text))


def _text(check: Check) -> str:
    said = f"{_GLYPHS[check.level]} {check.name}: {check.text}"
    return said + (f"\n→ {check.remedy}" if check.remedy else "")


def _line(check: Check) -> Note:
    line = Note(_text(check), meaning="quiet" if check.level == "ok" else _TONES[check.level])
    line.setAccessibleName(f"{check.level}: {check.name}: {check.text} {check.remedy}".strip())
    return line
