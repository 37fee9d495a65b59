"""A line of the run list: how high it is, and what an editor in it starts from and hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem

from mosaic.ui.parts import make_runs
from mosaic.ui.runs.delegate import RunDelegate, plain_tip
from mosaic.ui.runs.panel import RunPanel
from tests.ui.rows import row, run_id

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> RunPanel:
    made = make_runs(context)
    qtbot.addWidget(made)
    context.runs.update([row(1, name="mine", tags={"b": "2", "a": "1"})])
    return made


def delegate(panel: RunPanel) -> RunDelegate:
    made = panel.list.itemDelegate()
    assert isinstance(made, RunDelegate)
    return made


@pytest.mark.parametrize(("what", "text"), [("name", "mine"), ("tags", "a=1 b=2")])
def test_an_editor_starts_from_what_there_is_all_of_it_selected(
    panel: RunPanel, what: str, text: str
) -> None:
    drawing, index = delegate(panel), panel.model.index_of(run_id(1))
    drawing.editing = what
    editor = drawing.createEditor(panel.list.viewport(), QStyleOptionViewItem(), index)
    assert isinstance(editor, QLineEdit)
    drawing.setEditorData(editor, index)
    assert (editor.text(), editor.selectedText()) == (text, text)
    assert ("Tags" in editor.accessibleName()) is (what == "tags")


def test_a_run_takes_three_lines_and_a_header_one(panel: RunPanel, context: Context) -> None:
    panel.group.setCurrentIndex(panel.group.findData("tag:a"))
    drawing, option = delegate(panel), QStyleOptionViewItem()
    header, run = (drawing.sizeHint(option, panel.model.index(at, 0)).height() for at in (0, 1))
    line = option.fontMetrics.height()
    assert line < header < 3 * line < run


def test_a_tip_shows_text_as_it_is_even_when_it_looks_like_markup() -> None:
    tip = plain_tip("<b>a</b> & 'b'\nnext")
    assert "&lt;b&gt;a&lt;/b&gt; &amp; &#x27;b&#x27;\nnext" in tip
    assert "pre-wrap" in tip
