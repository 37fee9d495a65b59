"""Small parts the launch panels are made of: pills, notes, folds. They know no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mosaic.ui.shell.theme import GAP, INSET, TIGHT, Tone, tone

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QWheelEvent

__all__ = [
    "Choice", "Fold", "Heading", "Note", "Pills", "Primary", "foot", "is_restyling", "reveal", "scrolled",
]  # fmt: skip

_PRIMARY = """
QPushButton { border: 1px solid palette(mid); border-radius: 4px; padding: 6px; }
QPushButton:enabled { background: palette(highlight); color: palette(highlighted-text); font-weight: 600; }
QPushButton:focus { border: 2px solid palette(text); }
QPushButton:pressed { background: palette(mid); }
"""


def is_restyling(event: QEvent) -> bool:
    """Whether the theme changed. Fonts and colours set by hand are lost then, once this event is over."""
    return event.type() in (event.Type.ApplicationPaletteChange, event.Type.StyleChange)


def reveal(widget: QWidget, *, shown: bool) -> None:
    """Show or hide a widget; one that has no parent yet comes with it, and is not a window meanwhile."""
    if shown and widget.parentWidget() is None:
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)
    else:
        widget.setVisible(shown)


def scrolled(body: QWidget) -> QScrollArea:
    """A form that scrolls up and down, and is as wide as its panel."""
    # As high as its width asks: the area would otherwise keep the height of the widest layout.
    body.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(body)
    area.setMinimumWidth(280)
    return area


def foot(why: QWidget, button: QWidget) -> QFrame:
    """What stands below a form: why it cannot be started, and the button that does."""
    made = QFrame()
    column = QVBoxLayout(made)
    column.setContentsMargins(INSET, GAP, INSET, GAP)
    column.setSpacing(TIGHT)
    column.addWidget(why)
    column.addWidget(button)
    return made


class Heading(QLabel):
    """A short title above a part."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setStyleSheet("font-weight: 600;")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class Note(QLabel):
    """A sentence that wraps, in the colour of its meaning. Always plain text; hidden while it is empty."""

    def __init__(self, text: str = "", *, meaning: Tone = "quiet") -> None:
        super().__init__()
        self._meaning: Tone = meaning
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.say(text, meaning=meaning)

    def say(self, text: str, *, meaning: Tone | None = None) -> None:
        """Show this; nothing hides the note."""
        self._meaning = meaning or self._meaning
        if text != self.text():
            self.setText(text)
        self.setAccessibleName(text)
        reveal(self, shown=bool(text))
        self._colour()

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed: the same meaning, another colour."""
        super().changeEvent(event)
        if is_restyling(event):
            QTimer.singleShot(0, self, self._colour)

    def _colour(self) -> None:
        palette = self.palette()
        wanted = tone(self._meaning)
        if palette.color(QPalette.ColorRole.WindowText) != wanted:
            palette.setColor(QPalette.ColorRole.WindowText, wanted)
            self.setPalette(palette)


class Pills(QWidget):
    """Buttons of which one is down: arrow keys go from one to the next."""

    chosen = Signal(str)

    def __init__(self, choices: list[tuple[str, str]], *, name: str) -> None:
        super().__init__()
        self._buttons: dict[str, QPushButton] = {}
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for key, title in choices:
            button = QPushButton(title)
            button.setCheckable(True)
            button.setAccessibleName(f"{name}: {title}")
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            button.toggled.connect(lambda _=False, button=button: _mark(button))
            self._group.addButton(button)
            self._buttons[key] = button
            row.addWidget(button, 1)

    def changeEvent(self, event: QEvent) -> None:
        """The theme changed."""
        super().changeEvent(event)
        if is_restyling(event):
            QTimer.singleShot(0, self, self._mark)

    def _mark(self) -> None:
        for button in self._buttons.values():
            _mark(button)

    def choose(self, key: str) -> None:
        """Press one down, without saying so."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)
            self._mark()

    def button(self, key: str) -> QPushButton:
        """One of the buttons."""
        return self._buttons[key]


def _mark(button: QPushButton) -> None:
    """Say by its letters, too, that a pill is the chosen one."""
    palette, font = QPalette(), QFont(button.font())
    if button.isChecked():
        palette.setColor(QPalette.ColorRole.ButtonText, tone("accent"))
    font.setBold(button.isChecked())
    button.setFont(font)
    button.setPalette(palette)


class Fold(QWidget):
    """A part that is folded away until it is asked for."""

    def __init__(self, title: str, body: QWidget) -> None:
        super().__init__()
        self._body = body
        self.is_open = False
        self.head = QToolButton()
        self.head.setAutoRaise(True)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.head.clicked.connect(lambda: self.open(wide=not self.is_open))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.head)
        column.addWidget(body)
        self.title(title)
        self.open(wide=False)

    def title(self, text: str) -> None:
        """Say what is folded away."""
        self.head.setText(text)
        self.head.setAccessibleName(text)

    def open(self, *, wide: bool = True) -> None:
        """Show the part, or fold it away."""
        self.is_open = wide
        self.head.setArrowType(Qt.ArrowType.DownArrow if wide else Qt.ArrowType.RightArrow)
        self.head.setAccessibleDescription("shown" if wide else "folded away")
        self._body.setVisible(wide)


class Primary(QPushButton):
    """The one button that starts something: in the accent's colour while it can."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumHeight(34)
        self.setStyleSheet(_PRIMARY)


class Choice(QComboBox):
    """A combo box that scrolls only once it was clicked: the wheel over a long form must change nothing."""

    def __init__(self, choices: list[str]) -> None:
        super().__init__()
        self.addItems(choices)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(4)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Passed on to what is scrolled, unless the box has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
