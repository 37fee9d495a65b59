"""Qt view of which episode is open: to others, to the best and the worst, and how exact its replay is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSpinBox, QToolButton, QVBoxLayout, QWidget

from mosaic.replay.verdicts import DIVERGED, EXACT
from mosaic.text import count, number, visible
from mosaic.ui.shell.theme import GAP, TIGHT, tone
from mosaic.ui.shell.widgets.icons import Sign, icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent

    from mosaic.replay.verdicts import Verdict
    from mosaic.ui.replay.model import Book
    from mosaic.ui.replay.projector import Opened
    from mosaic.ui.shell.theme import Tone

__all__ = ["EpisodeBar", "badge_of"]


def badge_of(verdict: Verdict) -> tuple[str, Tone, str]:
    """A verdict as a short word, its tone, and a sentence."""
    if verdict.status == EXACT:
        return "Exact", "good", "Every observation, reward and flag came out bit for bit as recorded."
    if verdict.status == DIVERGED:
        since = "its reset" if verdict.step in (None, -1) else f"step {count((verdict.step or 0) + 1)}"
        why = f" {verdict.reason}." if verdict.reason else ""
        said = (
            f"From {since} on it is not as recorded: {verdict.what} was {verdict.recorded}, is {verdict.now}."
        )
        return "Diverged", "bad", visible(said + why)
    return "Cannot", "warn", visible(verdict.sentence())


class EpisodeBar(QWidget):
    """Two rows: how to get to an episode, and what is known of the one that is open."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: Callable[[int], object] = lambda _episode: None
        """Called with the number of the episode that was typed."""
        self._tone: Tone = "quiet"
        self.badge = _said("Replay verdict")
        self.previous = self._arrow("previous", "Previous episode (Ctrl+Left)")
        self.next = self._arrow("next", "Next episode (Ctrl+Right)")
        self.number = QSpinBox()
        self.number.setAccessibleName("Episode")
        self.number.setToolTip("Type an episode's number and press Enter")
        self.number.setKeyboardTracking(False)
        self.number.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.number.setGroupSeparatorShown(True)
        self.number.setMinimumWidth(72)
        self.number.lineEdit().returnPressed.connect(lambda: self.chosen(self.number.value()))
        self.of = _said("Finished episodes")
        self.last, self.best, self.worst = (
            _button(text, tip)
            for text, tip in (
                ("Last", "The newest finished episode"),
                ("Best", "The episode with the highest return"),
                ("Worst", "The episode with the lowest return"),
            )
        )
        self.follow = _button("Follow live", "Alt+Right. Show each newest finished episode as it comes")
        self.follow.setCheckable(True)
        row = QHBoxLayout()
        row.setSpacing(TIGHT)
        row.addWidget(QLabel("Episode"))
        for widget in (self.previous, self.number, self.next, self.of):
            row.addWidget(widget)
        row.addStretch(1)
        for button in (self.last, self.best, self.worst, self.follow):
            row.addWidget(button)
        self.about = _said("About this episode")
        self.about.setWordWrap(True)
        self._told = told = QHBoxLayout()
        told.setSpacing(GAP)
        told.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignTop)
        told.addWidget(self.about, 1)
        self._told = told
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, TIGHT, GAP, TIGHT)
        column.setSpacing(TIGHT)
        column.addLayout(row)
        column.addLayout(told)
        self.close_episode()

    def add_widget(self, widget: QWidget) -> None:
        """Something else at the right end of the second row."""
        self._told.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)

    def show_book(self, book: Book) -> None:
        """Which episodes there are."""
        last = book.last
        self.number.setMaximum(last if last is not None else 0)
        self.of.setText(f"of {count(len(book))} finished")
        for widget in (self.number, self.last, self.best, self.worst):
            widget.setEnabled(len(book) > 0)

    def show_number(self, episode: int) -> None:
        """Which one is being opened."""
        self.number.setMaximum(max(self.number.maximum(), episode))
        self.number.setValue(episode)

    def show_opened(self, opened: Opened) -> None:
        """What is known of the open one."""
        word, kind, sentence = badge_of(opened.verdict)
        row = opened.row
        self.badge.setText(f" {word} ")
        self._tone = kind
        self._tint()
        self.badge.setVisible(True)
        parts = [visible(opened.env_id), f"return {number(row.return_)}", f"{count(opened.last)} steps"]
        parts += [f"agent {visible(row.agent_id)}"] if row.agent_id else []
        parts += [f"seed {row.seed}"] if row.seed is not None else []
        parts += [visible(row.outcome)] if row.outcome else []
        about = " · ".join(part for part in parts if part)
        self.about.setText(about if opened.verdict.exact else f"{about}\n{sentence}")
        self.badge.setToolTip(sentence)
        self.about.setToolTip(sentence)
        self.badge.setAccessibleDescription(sentence)

    def changeEvent(self, event: QEvent) -> None:
        """Another theme, other colours."""
        if event.type() == event.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def _tint(self) -> None:
        colour = tone(self._tone, self.palette()).name()
        sheet = f"color: {colour}; border: 1px solid {colour}; border-radius: 3px; font-weight: bold"
        if sheet != self.badge.styleSheet():
            self.badge.setStyleSheet(sheet)
            self.previous.setIcon(icon("previous", self.palette()))
            self.next.setIcon(icon("next", self.palette()))

    def close_episode(self) -> None:
        """None is open."""
        self.badge.setVisible(False)
        self.about.setText("")

    def _arrow(self, sign: Sign, name: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(sign, self.palette()))
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    width = button.fontMetrics().horizontalAdvance(text)
    button.setMinimumWidth(width + 18)
    button.setMaximumWidth(width + 28)
    return button


def _said(name: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setAccessibleName(name)
    return label
