"""Charts as files: as sharp as promised, and told when they could not be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from mosaic.ui.charts.export import export_png, export_svg, svg_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def widget(qtbot: QtBot) -> QLabel:
    made = QLabel("a chart")
    qtbot.addWidget(made)
    made.resize(120, 80)
    return made


def test_a_frame_has_twice_the_resolution_of_the_screen(
    qtbot: QtBot, context: Context, widget: QLabel, tmp_path: Path
) -> None:
    path = tmp_path / "charts.png"
    export_png(context, widget, path)
    qtbot.waitUntil(lambda: bool(context.toasts.history), timeout=WAIT_MS)
    assert context.toasts.history[0].text == f"Saved {path}"
    image = QImage(str(path))
    assert (image.width(), image.height()) == (240, 160)


def test_a_drawing_has_the_size_of_what_is_shown_and_its_title(qtbot: QtBot, widget: QLabel) -> None:
    drawn = svg_of(widget).decode()
    assert 'viewBox="0 0 120 80"' in drawn
    assert "<title>MOSAIC charts</title>" in drawn


@pytest.mark.parametrize("export", [export_png, export_svg])
def test_a_folder_that_is_not_there_is_told_and_nothing_is_said_to_be_saved(
    qtbot: QtBot,
    context: Context,
    widget: QLabel,
    tmp_path: Path,
    export: Callable[[Context, QLabel, Path], None],
) -> None:
    export(context, widget, tmp_path / "none" / "charts.x")
    qtbot.waitUntil(lambda: bool(context.toasts.history), timeout=WAIT_MS)
    (toast,) = context.toasts.history
    assert toast.level == "bad"
    assert "none/charts.x" in toast.text
