"""Lines of seats: what each says, its button, and no widget made anew while the seats are the same."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from mosaic.ui.play.model.playing import SeatLine
from mosaic.ui.play.seats_view import SeatsView


def line(actor: str, *, mine: bool = False, step: str = "3") -> SeatLine:
    by = "you" if mine else "random"
    return SeatLine(actor, "random", by, step, "1.5", "waits for you" if mine else "", mine)


@pytest.fixture
def view(qtbot: QtBot) -> SeatsView:
    made = SeatsView()
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_line_says_who_sits_who_decides_and_how_far_it_is(view: SeatsView) -> None:
    view.show_seats([line("player_0"), line("player_1", mine=True)])
    assert view.texts(0) == ["player_0", "random", "random", "3", "1.5", ""]
    assert view.texts(1) == ["player_1", "random", "you", "3", "1.5", "waits for you"]
    assert [button.text() for button in view.buttons] == ["Take over", "Give back"]
    assert view.buttons[1].accessibleName() == "Give back player_1"


def test_a_button_takes_a_seat_or_gives_it_back(view: SeatsView) -> None:
    asked: list[tuple[str, bool]] = []
    view.toggled.connect(lambda actor, take: asked.append((actor, take)))
    view.show_seats([line("player_0"), line("player_1", mine=True)])
    for button in view.buttons:
        button.click()
    assert asked == [("player_0", True), ("player_1", False)]


def test_one_seat_needs_no_button_of_its_own(view: SeatsView) -> None:
    view.show_seats([line("agent")])
    assert not view.buttons[0].isVisible()


def test_widgets_stay_while_only_numbers_move(view: SeatsView) -> None:
    view.show_seats([line("player_0"), line("player_1")])
    before = list(view.buttons)
    view.show_seats([line("player_0", step="4"), line("player_1", step="5")])
    assert view.buttons == before
    assert [view.texts(at)[3] for at in (0, 1)] == ["4", "5"]
    view.show_seats([line("other")])
    assert view.buttons != before


def test_of_very_many_seats_the_first_are_shown_and_the_rest_counted(view: SeatsView) -> None:
    view.show_seats([line(f"agent_{at}") for at in range(15)])
    assert len(view.buttons) == 12
    assert view.more.text() == "and 3 more seats"


def test_what_a_worker_calls_its_agents_is_plain_text(view: SeatsView) -> None:
    view.show_seats([line("<b>x\x1b</b>"), line("y")])
    assert "\x1b" not in view.texts(0)[0]
