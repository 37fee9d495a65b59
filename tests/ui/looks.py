"""The window's themes in a test: with the style sheet, which changes more than the palette does."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from mosaic.ui.shell.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QApplication

__all__ = ["themed"]


@contextmanager
def themed(app: QApplication) -> Iterator[Theme]:
    """A theme, light at first; afterwards the application looks as it did before."""
    before = app.palette(), app.styleSheet(), app.style().objectName()
    theme = Theme(app, "light")
    try:
        yield theme
    finally:
        theme.deleteLater()
        app.setStyle(before[2])
        app.setPalette(before[0])
        app.setStyleSheet(before[1])
