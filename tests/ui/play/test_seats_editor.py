"""The seats of a form: an operator each, what its kind asks for, seats that come and go."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from mosaic.ui.play.model.setup import Setup, Who
from mosaic.ui.play.seats_editor import SeatsEditor
from tests.ui.play.model.test_setup import BOARD, CARDS, form


def editor(qtbot: QtBot, setup: Setup) -> SeatsEditor:
    made = SeatsEditor(setup)
    qtbot.addWidget(made)
    made.show()
    return made


def choose(one: SeatsEditor, at: int, title: str) -> None:
    box = one.choices[at]
    line = box.findText(title)
    box.setCurrentIndex(line)
    box.activated.emit(line)


def test_an_operator_is_chosen_by_its_title_and_asked_for_what_it_needs(qtbot: QtBot) -> None:
    setup = form()
    one = editor(qtbot, setup)
    assert not one.arguments[0].isVisible(), "chance needs nothing"
    choose(one, 0, "A Python file of yours")
    assert one.arguments[0].isVisible()
    assert one.arguments[0].placeholderText() == "FILE.py"
    one.arguments[0].textEdited.emit("mind.py")
    assert setup.sitting == {"*": "python:mind.py"}


def test_seats_are_added_named_and_taken_away_where_there_are_several_agents(qtbot: QtBot) -> None:
    setup = form(env_id=BOARD)
    one = editor(qtbot, setup)
    one.add.click()
    assert len(one.choices) == 2
    actor = one.actors[1]
    assert actor is not None
    actor.textEdited.emit("player_1")
    choose(one, 1, "A person")
    assert setup.sitting == {"*": "random", "player_1": "person"}
    setup.basics.set("env_id", "CartPole-v1")
    assert not one.add.isVisible(), "one agent, one seat"
    setup.remove(1)
    assert len(one.choices) == 1


@pytest.mark.parametrize(("who", "offered"), [("hybrid", True), ("human", False)])
def test_a_person_is_not_their_own_opponent(qtbot: QtBot, who: Who, *, offered: bool) -> None:
    one = editor(qtbot, form(who, env_id=BOARD))
    assert (one.choices[0].findText("A person") >= 0) is offered


def test_an_operator_that_cannot_be_used_says_why(qtbot: QtBot) -> None:
    setup = form()
    one = editor(qtbot, setup)
    choose(one, 0, "broken")
    texts = [widget.text() for widget in one._made if hasattr(widget, "text")]
    assert "no module named x" in texts
    assert len(CARDS) == one.choices[0].count()
