"""The bar of an export: what it proposes, and what it says when it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.ui.replay.export_bar import ExportBar
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


@pytest.fixture
def bar(qtbot: QtBot, context: Context) -> ExportBar:
    made = ExportBar(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_another_kind_of_file_is_another_place(bar: ExportBar, context: Context) -> None:
    folder = Stored(context.root).folder
    bar.offer(folder, 7)
    assert bar.path.text() == str(folder.path / "videos" / "episode-000007.mp4")
    QTest.keyClick(bar.kind, Qt.Key.Key_Down)
    assert bar.path.text() == str(folder.path / "videos" / "episode-000007.gif")
    QTest.keyClick(bar.kind, Qt.Key.Key_Down)
    assert bar.path.text() == str(folder.path / "videos" / "episode-000007")


def test_without_an_episode_or_a_place_there_is_nothing_to_start(bar: ExportBar, context: Context) -> None:
    bar.path.setText("/somewhere/clip.mp4")
    bar.start()
    assert not bar.busy
    bar.offer(Stored(context.root).folder, 0)
    bar.path.setText("  ")
    QTest.keyClick(bar.path, Qt.Key.Key_Return)
    assert not bar.busy


def test_an_episode_that_cannot_be_replayed_is_told_and_the_bar_can_be_used_again(
    qtbot: QtBot, bar: ExportBar, context: Context
) -> None:
    run = Stored(context.root)
    run.commit(ended=True)
    bar.offer(run.folder, 3)
    bar.start()
    assert (bar.busy, bar.progress.isVisible(), bar.stop.isVisible(), bar.go.isVisible()) == (
        True, True, True, False,
    )  # fmt: skip
    qtbot.waitUntil(lambda: not bar.busy, timeout=60_000)
    assert context.toasts.history[-1].text.startswith("Not exported: ")
    assert (bar.progress.isVisible(), bar.stop.isVisible(), bar.go.isVisible()) == (False, False, True)


def test_a_click_on_a_button_leaves_the_keys_to_what_had_them(qtbot: QtBot, bar: ExportBar) -> None:
    bar.activateWindow()
    bar.path.setFocus()
    qtbot.waitUntil(bar.path.hasFocus, timeout=60_000)
    QTest.mouseClick(bar.go, Qt.MouseButton.LeftButton)
    assert bar.path.hasFocus()
    QTest.keyClick(bar.path, Qt.Key.Key_Tab)
    assert bar.go.hasFocus(), "with the keyboard alone it can still be reached"
