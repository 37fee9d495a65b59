"""The tour of the desktop names parts, keys and pictures that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.ui.window import Window
from tests.ui.conftest import context, garbage_collected_here, qapp_args

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

__all__ = ["context", "garbage_collected_here", "qapp_args"]

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "desktop.md").read_text(encoding="utf-8")
ARROWS = {"←": "Left", "→": "Right"}


def test_every_part_and_every_key_it_names_is_in_the_window(qtbot: QtBot, context: Context) -> None:
    window = Window(context)
    qtbot.addWidget(window)
    parts = {title for title, _ in window.tabs_in_order}
    named = set(re.findall(r"^\| \*\*(\w+)\*\* \|", TEXT, flags=re.M))
    assert parts <= named
    known = {key for action in context.actions.all() for key in action.keys}
    keys = set(re.findall(r"`((?:Ctrl\+)?(?:Shift\+)?(?:[←→?.]|F\d+|[A-Z]|Return|Space))`", TEXT))
    assert len(keys) > 10
    for key in keys:
        plain = key
        for arrow, name in ARROWS.items():
            plain = plain.replace(arrow, name)
        assert plain in known, f"the tour names {key}, which is no key of the window"


def test_its_pictures_are_taken_by_make_screenshots() -> None:
    taken = (DOCS / "screenshots.py").read_text(encoding="utf-8")
    pictures = re.findall(r"\(images/desktop-(\w+)-(light|dark)-(\d+)\.png\)", TEXT)
    assert len(pictures) > 4
    for name, _, wide in pictures:
        assert f'"{name}"' in taken
        assert f"({wide}, " in taken
