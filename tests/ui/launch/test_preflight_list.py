"""The preflight: what fails stands in full, what is fine is folded away; the command can be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from mosaic.protocol.cards import Check
from mosaic.ui.launch.preflight_list import CommandPreview, PreflightList
from mosaic.ui.shell.widgets.bits import Note
from mosaic_worker.common.redact import MARK

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

FINE = Check(name="disk", level="ok", text="much")
BAD = Check(name="environment", level="fail", text="there is <b>none</b>", remedy="did you mean X?")


def visible(view: PreflightList) -> list[str]:
    return [note.text() for note in view.findChildren(Note) if note.isVisible()]


def test_failures_are_shown_with_their_remedy_as_plain_text(qtbot: QtBot) -> None:
    view = PreflightList()
    qtbot.addWidget(view)
    view.show()
    view.show_checks([FINE, BAD])
    shown = ["✗ environment: there is <b>none</b>\n→ did you mean X?"]
    qtbot.waitUntil(lambda: visible(view) == shown, timeout=30_000)
    bad = next(note for note in view.findChildren(Note) if note.isVisible())
    assert bad.textFormat() == Qt.TextFormat.PlainText
    assert view.fold.head.text() == "1 check passed"
    QTest.mouseClick(view.fold.head, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "✓ disk: much" in visible(view), timeout=30_000)


def test_what_was_found_before_is_replaced(qtbot: QtBot) -> None:
    view = PreflightList()
    qtbot.addWidget(view)
    view.show()
    view.show_checks([BAD], state="Checking…")
    qtbot.waitUntil(lambda: visible(view)[:1] == ["Checking…"], timeout=30_000)
    view.show_checks([FINE])
    assert visible(view) == []
    assert view.texts == ["✓ disk: much"]


def test_the_command_is_quoted_and_copied_whole(qtbot: QtBot) -> None:
    view = CommandPreview()
    qtbot.addWidget(view)
    view.show()
    assert not view.copy.isVisible()
    view.show_words(["python", "a b.py", "x=1"])
    assert view.text == "python 'a b.py' x=1"
    QTest.mouseClick(view.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "python 'a b.py' x=1"


def test_the_command_is_shown_without_its_secrets(qtbot: QtBot) -> None:
    view = CommandPreview()
    qtbot.addWidget(view)
    view.show_words(["python", "a.py", "--api-key", "canary"])
    assert view.text == f"python a.py --api-key '{MARK}'"
