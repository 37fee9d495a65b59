"""`mosaic ui`: the desktop. Needs a display, and the packages of the extra `ui`."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

import click

from mosaic.cli import options
from mosaic.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["can_open", "has_display", "open_desktop", "ui_command"]

_NEEDED = ("PySide6", "pyqtgraph", "tsdownsample")


@click.command("ui")
@click.argument("run", required=False)
def ui_command(*, run: str | None) -> int:
    """Open the desktop, showing RUN if one is named.

    \b
    Example:
      mosaic ui
      mosaic ui last
    """
    return open_desktop(options.find(run)[1].run_id if run else None)


def has_display(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a window could be shown here."""
    if platform in ("darwin", "win32"):
        return True
    wanted = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(environ.get(name) for name in wanted)


def can_open(environ: Mapping[str, str]) -> bool:
    """Whether the desktop can be opened here."""
    return has_display(environ) and all(importlib.util.find_spec(name) is not None for name in _NEEDED)


def open_desktop(run_id: str | None = None) -> int:
    """Open the window, on a run if one is named, and stay until it is closed.

    Raises:
        UsageError: the packages are not installed, or there is no display.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"the desktop needs {' and '.join(missing)}, which this Python does not have. "
            'Install it with: pip install "mosaic-workbench[ui]"'
        )
    if not has_display(os.environ):
        raise UsageError(
            "there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set). "
            "The commands work without one: mosaic --help"
        )
    from mosaic.ui.app import main

    return main(options.root(), run_id=run_id)
