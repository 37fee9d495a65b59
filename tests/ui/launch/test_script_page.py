"""The form for a command of the user's own: typed, checked, and told what is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtTest import QTest

from mosaic.ui.launch.model.script import RECORDED, script_form
from mosaic.ui.launch.script_page import ScriptPage
from mosaic.ui.shell.widgets.bits import Note

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


def test_what_is_typed_reaches_the_form_and_the_note_says_what_is_recorded(
    qtbot: QtBot, context: Context, tmp_path: Path
) -> None:
    form = script_form(home=tmp_path)
    page = ScriptPage(form, context.ops)
    qtbot.addWidget(page)
    page.show()
    QTest.keyClicks(page.form.rows["command"].editor, "python 'x")
    assert form.text("command") == "python 'x"
    assert page.form.rows["command"].problem.isVisible()
    assert any(note.text() == RECORDED for note in page.findChildren(Note))
