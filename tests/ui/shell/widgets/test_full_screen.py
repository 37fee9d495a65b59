"""One part on the whole screen: it comes back, and its keys go with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from mosaic.ui.shell.model.actions import Action
from mosaic.ui.shell.widgets.full_screen import FullScreen


class Home(QWidget):
    """Where the part lives."""

    def __init__(self) -> None:
        super().__init__()
        self.part = QWidget()
        self.column = QVBoxLayout(self)
        self.column.addWidget(self.part)
        self.pressed: list[str] = []
        self.returned = 0
        self.full: FullScreen | None = None

    def leave_home(self) -> None:
        keys = [Action(id="x.k", title="", call=lambda: self.pressed.append("K"), keys=("K",))]
        self.full = FullScreen(self.part, actions=keys, left=self.take_back)

    def take_back(self) -> None:
        self.full = None
        self.returned += 1
        self.column.addWidget(self.part)


def test_keys_work_and_escape_gives_the_part_back_again_and_again(qtbot: QtBot) -> None:
    home = Home()
    qtbot.addWidget(home)
    home.show()
    for _ in range(10):  # nobody but the screen itself holds it while it leaves
        home.leave_home()
        assert home.part.window() is not home
        QTest.keyClick(home.part.window(), Qt.Key.Key_K)
        QTest.keyClick(home.part.window(), Qt.Key.Key_Escape)
        assert home.part.window() is home
        qtbot.wait(1)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert home.pressed == ["K"] * 10
    assert home.returned == 10


def test_closing_it_is_leaving_it_once(qtbot: QtBot) -> None:
    home = Home()
    qtbot.addWidget(home)
    home.show()
    home.leave_home()
    assert home.full is not None
    home.full.close()
    assert (home.returned, home.part.window() is home) == (1, True)
