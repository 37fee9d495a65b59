"""The desktop program: one application, one window. Importing this loads Qt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from mosaic.ui import layout
from mosaic.ui.context import make_context
from mosaic.ui.feed import Feed
from mosaic.ui.theme import Theme
from mosaic.ui.window import Window

if TYPE_CHECKING:
    from mosaic.paths import DataRoot

__all__ = ["main"]


def main(root: DataRoot) -> int:
    """Open the window on a data root, and stay until it is closed. The daemon is started meanwhile."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("MOSAIC")
    app.setDesktopFileName("mosaic")
    theme = Theme(app, layout.load(root).theme)
    context = make_context(root)
    context.colours.set_dark(theme.dark)
    theme.changed.connect(context.colours.set_dark)
    window = Window(context)
    window.theme_chosen.connect(theme.choose)
    feed = Feed(context)
    window.show()
    feed.start()
    try:
        return app.exec()
    finally:
        feed.close()
        context.close()
