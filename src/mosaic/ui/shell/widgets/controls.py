"""Small controls, made the same way everywhere: each with a tip and a name for screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QToolButton

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["choice", "plain", "tool"]


def tool(
    text: str,
    *,
    tip: str,
    name: str = "",
    checkable: bool = False,
    flat: bool = False,
    act: Callable[[], object] | None = None,
) -> QToolButton:
    """A button; `name` is what a screen reader says, by default the tip."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(name or tip)
    button.setCheckable(checkable)
    button.setAutoRaise(flat)
    if act is not None:
        button.clicked.connect(lambda *_: act())
    return button


def choice(options: Mapping[str, str], *, tip: str, name: str = "") -> QComboBox:
    """One of several: what it is called, by what it is."""
    box = QComboBox()
    box.setToolTip(tip)
    box.setAccessibleName(name or tip)
    for value, title in options.items():
        box.addItem(title, value)
    return box


def plain(text: str = "", *, wrap: bool = False) -> QLabel:
    """Text that is never taken for markup, and can be selected."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
