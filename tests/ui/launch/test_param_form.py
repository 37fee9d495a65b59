"""The generated form: an editor per parameter, problems under it, marks on what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit

from mosaic.protocol.cards import Parameter
from mosaic.runners.parameters import convert
from mosaic.ui.launch.model.form import Form
from mosaic.ui.launch.param_form import ParamForm

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

PARAMETERS = [
    Parameter(
        name="rate", type="float", default=0.001, minimum=0, exclusive_minimum=True, help="How <b>far</b>."
    ),
    Parameter(name="norm", type="bool", default=True, group="Net"),
    Parameter(
        name="act", type="choice", default="relu", choices=["relu", "tanh"], group="Net", optional=True
    ),
    Parameter(name="clip", type="float", optional=True, advanced=True),
    Parameter(name="env", type="str", default=""),
]


def shown(qtbot: QtBot) -> tuple[Form, ParamForm]:
    form = Form(PARAMETERS, convert=convert)
    view = ParamForm(form, title="Parameters", completions={"env": ["CartPole-v1", "Taxi-v4"]})
    qtbot.addWidget(view)
    view.resize(310, 500)
    view.show()
    return form, view


def line(view: ParamForm, name: str) -> QLineEdit:
    found = view.rows[name].editor
    assert isinstance(found, QLineEdit)
    return found


def test_each_kind_has_its_editor_and_keeps_its_name_for_screen_readers(qtbot: QtBot) -> None:
    _, view = shown(qtbot)
    kinds = {name: type(row.editor) for name, row in view.rows.items()}
    assert issubclass(kinds["rate"], QLineEdit)
    assert issubclass(kinds["norm"], QCheckBox)
    assert issubclass(kinds["act"], QComboBox)
    assert all(row.editor.accessibleName() == name for name, row in view.rows.items())
    assert "Default: 0.001" in view.rows["rate"].editor.toolTip()


def test_typing_is_checked_at_once_and_marked(qtbot: QtBot) -> None:
    form, view = shown(qtbot)
    editor = line(view, "rate")
    editor.selectAll()
    QTest.keyClicks(editor, "-1")
    assert form.text("rate") == "-1"
    assert "> 0" in view.rows["rate"].problem.text()
    assert view.rows["rate"].problem.isVisible()
    editor.selectAll()
    QTest.keyClicks(editor, "3e-4")
    assert not view.rows["rate"].problem.isVisible()
    assert form.values() == {"rate": 3e-4}
    assert view.rows["rate"].editor.accessibleName() == "rate, changed"
    assert view.rows["rate"].label.font().bold()


def test_one_field_or_all_go_back_to_their_defaults(qtbot: QtBot) -> None:
    form, view = shown(qtbot)
    assert not view.reset_all.isVisible()
    QTest.mouseClick(
        view.rows["norm"].editor, Qt.MouseButton.LeftButton, pos=view.rows["norm"].editor.rect().center() / 8
    )
    view.rows["norm"].editor.setFocus()
    if form.text("norm") == "true":  # a style may put the box elsewhere: the key works everywhere
        QTest.keyClick(view.rows["norm"].editor, Qt.Key.Key_Space)
    assert form.values() == {"norm": False}
    QTest.mouseClick(view.rows["norm"].reset, Qt.MouseButton.LeftButton)
    assert form.differing == {}
    form.set("act", "none")
    form.set("rate", "1")
    assert form.values() == {"act": None, "rate": 1.0}
    assert view.reset_all.isVisible()
    QTest.mouseClick(view.reset_all, Qt.MouseButton.LeftButton)
    assert form.differing == {}
    assert line(view, "rate").text() == "0.001"


def test_advanced_fields_are_folded_away_and_counted(qtbot: QtBot) -> None:
    form, view = shown(qtbot)
    assert not view.rows["clip"].editor.isVisible()
    assert view.fold.head.text() == "Advanced (1)"
    QTest.mouseClick(view.fold.head, Qt.MouseButton.LeftButton)
    assert view.rows["clip"].editor.isVisible()
    form.set("clip", "0.5")
    assert view.fold.head.text() == "Advanced (1, 1 changed)"


def test_texts_offered_while_typing_are_found_in_the_middle_of_a_name(qtbot: QtBot) -> None:
    _, view = shown(qtbot)
    completer = line(view, "env").completer()
    completer.setCompletionPrefix("pole")
    assert completer.currentCompletion() == "CartPole-v1"
    view.rows["env"].complete(["MyPole-v0"])
    completer.setCompletionPrefix("pole")
    assert completer.currentCompletion() == "MyPole-v0"


def test_a_view_that_was_let_go_follows_no_more(qtbot: QtBot) -> None:
    form, view = shown(qtbot)
    view.let_go()
    form.set("rate", "7")
    assert line(view, "rate").text() == "0.001"
