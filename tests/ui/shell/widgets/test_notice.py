"""What stands where a frame would: words, progress, and offers."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QProgressBar
from pytestqt.qtbot import QtBot

from mosaic.ui.shell.widgets.notice import Notice


def test_it_says_offers_and_takes_offers_back(qtbot: QtBot) -> None:
    notice = Notice()
    qtbot.addWidget(notice)
    notice.show()
    done: list[str] = []
    notice.say("Title", "<b>text</b>", offers=(("One", lambda: done.append("1")), ("Two", lambda: None)))
    assert notice.text == "Title\n<b>text</b>"
    assert [button.text() for button in notice.buttons] == ["One", "Two"]
    notice.buttons[0].click()
    assert done == ["1"]
    notice.say("Other", "")
    assert notice.buttons == []
    assert notice.accessibleName() == "Other"
    labels = notice.findChildren(QLabel)
    assert all(label.textFormat().name == "PlainText" for label in labels)


def test_an_offer_may_change_what_is_offered(qtbot: QtBot) -> None:
    notice = Notice()
    qtbot.addWidget(notice)
    notice.say("A", "", offers=(("Go on", lambda: notice.say("B", "", offers=(("Back", lambda: None),))),))
    notice.buttons[0].click()
    assert [button.text() for button in notice.buttons] == ["Back"]


def test_progress_is_shown_while_there_is_some(qtbot: QtBot) -> None:
    notice = Notice()
    qtbot.addWidget(notice)
    notice.show()
    (bar,) = notice.findChildren(QProgressBar)
    notice.say("A", "", progress=(3, 10))
    assert (bar.isVisible(), bar.value(), bar.maximum()) == (True, 3, 10)
    notice.say("A", "", progress=(0, 0))
    assert bar.maximum() == 0, "nobody knows how much there is to do"
    notice.say("A", "")
    assert not bar.isVisible()
