"""A line that offers paths while one is typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from mosaic.ui.launch.path_line import PathOffers

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


def test_typing_offers_what_lies_there(qtbot: QtBot, context: Context, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    line = QLineEdit()
    qtbot.addWidget(line)
    offers = PathOffers(line, context.ops, folders_only=True)
    line.show()
    QTest.keyClicks(line, f"{tmp_path}/pr")
    qtbot.waitUntil(lambda: offers.stringList() == [f"{tmp_path}/project/"], timeout=30_000)
