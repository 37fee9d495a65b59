"""A session as a person sees it: what is shown of it, and which orders keys, clicks and buttons become."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic.protocol.hands import Answer, Binding, KeyMap, SeatNow
from mosaic.ui.play.model.playing import Playing
from tests.ui.play.talking import LAKE, now, offer


class Desk:
    """A playing whose orders are written down."""

    def __init__(self, *said: Any) -> None:
        self.playing = Playing()
        self.orders: list[dict[str, Any]] = []
        self.playing.opened(self._order)
        for one in said:
            self.playing.heard(one)

    def _order(self, do: str, **words: Any) -> int:
        self.orders.append({"do": do, **words})
        return len(self.orders)

    def since(self) -> list[dict[str, Any]]:
        found, self.orders = self.orders, []
        return found


def seat(**more: Any) -> SeatNow:
    return SeatNow(**{"actor": "agent", "operator": "random", "by": "random", **more})


MINE = seat(by="desktop", mine=True)


def test_what_a_session_says_is_shown_in_words() -> None:
    desk = Desk(offer(), now(seat(step=12, returned=1.5), pace="tick", fps=30.0, seed=7, tick=12, episodes=3))
    playing = desk.playing
    assert playing.headline == "FrozenLake-v1 · episode 1 of 3 · seed 7 · step 12 · 30 steps/s"
    (line,) = playing.seats
    assert tuple(line) == ("agent", "random", "random", "12", "1.5", "", False)
    playing.heard(now(seat(by="desktop", mine=True, waits=True), paused=True))
    assert playing.headline.endswith("paused")
    assert (playing.seats[0].by, playing.seats[0].state) == ("you", "waits for you")
    assert playing.waits_for_us


@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({"waits": True}, "waits for a person"),
        ({"over": True}, "over"),
        ({"loading": "last:best"}, "last:best is being loaded"),
        ({"trouble": "there is no such file", "waits": True}, "there is no such file"),
    ],
)
def test_each_state_of_a_seat_has_its_words(more: dict[str, Any], state: str) -> None:
    assert Desk(offer(), now(seat(**more))).playing.seats[0].state == state


def test_turn_by_turn_each_press_is_one_action_and_a_key_that_repeats_is_none() -> None:
    desk = Desk(offer(), now(MINE))
    for _ in range(3):
        desk.playing.press("Left")
    desk.playing.release("Left")
    desk.playing.press("Q")
    desk.playing.press("Right")
    desk.playing.press("Space")
    assert desk.since() == [
        {"do": "act", "actor": "agent", "action": 0},
        {"do": "act", "actor": "agent", "action": 2},
        {"do": "act", "actor": "agent", "action": 3},
    ]


def test_under_a_tick_what_is_held_is_told_when_it_changes_and_let_go_when_nobody_is_there() -> None:
    desk = Desk(offer(), now(MINE, pace="tick", fps=30.0))
    playing = desk.playing
    playing.press("Left")
    playing.press("Q")
    playing.press("Right")
    playing.release("Right")
    playing.let_go()
    assert [order.get("action") for order in desk.since()] == [0, 2, 0, None]
    assert playing.held == ()
    playing.let_go()
    assert desk.since() == []


def test_a_hold_that_was_refused_is_told_and_tried_again() -> None:
    desk = Desk(offer(), now(MINE, pace="tick", fps=30.0))
    desk.playing.press("Left")
    desk.playing.heard(Answer(id=1, refused="take the seat first"))
    assert desk.playing.trouble == "The action was refused: take the seat first"
    desk.playing.press("Q")
    assert [order["do"] for order in desk.since()] == ["hold", "hold"]


def test_the_seat_that_was_lost_has_no_key_down() -> None:
    desk = Desk(offer(), now(MINE, pace="tick", fps=30.0))
    desk.playing.press("Left")
    assert desk.playing.captured
    desk.playing.heard(now(seat(), pace="tick", fps=30.0))
    assert (desk.playing.held, desk.playing.captured) == ((), False)


def test_a_persons_own_seat_is_taken_once_and_one_that_somebody_has_is_left_alone() -> None:
    mine, theirs = (
        seat(actor="a", operator="person", by="person"),
        seat(actor="b", operator="person", by="eve"),
    )
    desk = Desk(offer("a", "b"), now(mine, theirs))
    desk.playing.heard(now(mine, theirs))
    assert desk.since() == [{"do": "take", "actor": "a"}]


def test_t_takes_over_and_gives_back_and_a_persons_own_seat_is_only_left() -> None:
    desk = Desk(offer(), now())
    desk.playing.toggle_taken()
    desk.playing.heard(now(MINE))
    assert desk.playing.badge == "Keyboard captured: Esc gives back"
    desk.playing.toggle_taken()
    assert [order["do"] for order in desk.since()] == ["take", "give"]
    desk = Desk(offer(), now(seat(operator="person", by="desktop", mine=True)))
    for captured in (False, True, False):
        desk.playing.toggle_taken()
        assert desk.playing.captured is captured
    assert desk.since() == []
    assert desk.playing.badge == "Keyboard released: T plays on"


def test_leaving_gives_back_what_was_taken_over_and_lets_keys_go() -> None:
    taken = seat(actor="a", by="desktop", mine=True)
    own = seat(actor="b", operator="person", by="desktop", mine=True)
    desk = Desk(offer("a", "b"), now(taken, own, pace="tick", fps=10.0))
    desk.playing.press("Left")
    desk.playing.leave()
    assert [(order["do"], order.get("actor"), order.get("action")) for order in desk.since()] == [
        ("hold", "a", 0),
        ("hold", "a", None),
        ("give", "a", None),
    ]
    assert not desk.playing.captured


def test_keys_are_for_the_seat_of_ours_whose_turn_it_is() -> None:
    both = [seat(actor=name, by="desktop", mine=True, waits=name == "b") for name in ("a", "b")]
    desk = Desk(offer("a", "b"), now(*both))
    desk.playing.choose("a")
    desk.playing.press("Left")
    assert desk.since() == [{"do": "act", "actor": "b", "action": 0}]


def test_what_is_not_legal_is_not_sent_and_says_what_is() -> None:
    desk = Desk(offer(), now(seat(by="desktop", mine=True, waits=True, legal=[1, 2, 9])))
    desk.playing.press("Left")
    assert desk.since() == []
    assert desk.playing.trouble == "left is not legal now. Legal: down, right, 9."
    desk.playing.press("Down")
    desk.playing.heard(Answer(id=1))
    assert desk.playing.trouble == ""


def test_a_click_is_for_the_step_on_screen_and_says_why_when_it_cannot_be() -> None:
    desk = Desk(offer(), now(seat(step=4)))
    desk.playing.clicked(2)
    assert desk.playing.trouble == "Take over first (T): the seat is not yours."
    other = seat(actor="b", waits=True)
    desk.playing.heard(now(seat(by="desktop", mine=True, step=4), other))
    desk.playing.clicked(2)
    assert desk.playing.trouble == "It is not your turn: b is asked."
    desk.playing.heard(now(seat(by="desktop", mine=True, step=4, waits=True), other))
    desk.playing.clicked(2)
    assert desk.since() == [{"do": "act", "actor": "agent", "action": 2, "step": 4}]
    desk.playing.missed("this column is full")
    assert desk.playing.trouble == "this column is full"


@pytest.mark.parametrize(
    ("stands", "slower", "faster"),
    [
        ({"pace": "tick", "fps": 30.0}, ("tick", 15.0), ("tick", 60.0)),
        ({"pace": "tick", "fps": 17.0}, ("tick", 15.0), ("tick", 30.0)),
        ({"pace": "tick", "fps": 1.0}, None, ("tick", 2.0)),
        ({"pace": "tick", "fps": 240.0}, ("tick", 120.0), ("free", None)),
        ({"pace": "free"}, ("tick", 240.0), None),
        ({"pace": "turn"}, None, ("tick", 4.0)),
    ],
)
def test_slower_and_faster_go_from_speed_to_speed(
    stands: dict[str, Any], slower: tuple[str, float | None] | None, faster: tuple[str, float | None] | None
) -> None:
    for call, wanted in (("slower", slower), ("faster", faster)):
        desk = Desk(offer(), now(**stands))
        getattr(desk.playing, call)()
        found = [(order["pace"], order.get("fps")) for order in desk.since()]
        assert found == ([] if wanted is None else [wanted])


def test_one_step_pauses_what_goes_on() -> None:
    desk = Desk(offer(), now())
    desk.playing.step()
    desk.playing.heard(now(paused=True))
    desk.playing.step()
    desk.playing.pause_or_go()
    desk.playing.reset(5)
    desk.playing.reset()
    desk.playing.quit()
    assert desk.since() == [
        {"do": "pause"}, {"do": "step"}, {"do": "step"}, {"do": "go"}, {"do": "reset", "seed": 5},
        {"do": "reset"}, {"do": "quit"},
    ]  # fmt: skip


def test_sliders_are_held_under_a_tick_and_sent_once_otherwise() -> None:
    keys = KeyMap(bindings=[Binding(keys=["Left"], axis=0, value=-1.0)], rest=[0.0])
    box = {"kind": "Box", "text": "Box(-2, 2)", "shape": [1], "low": [-2.0], "high": [2.0]}
    desk = Desk(offer(keys=keys, space=box), now(MINE, pace="tick", fps=10.0))
    desk.playing.slide(0, 0.5)
    desk.playing.press("Left")
    assert [order["action"] for order in desk.since()] == [[0.5], [-0.5]]
    desk = Desk(offer(keys=keys, space=box), now(MINE))
    desk.playing.slide(0, 1.5)
    assert desk.since() == []
    desk.playing.send_sliders()
    assert desk.since() == [{"do": "act", "actor": "agent", "action": [1.5]}]


def test_keys_of_ones_own_are_used_at_once_and_forgotten_again() -> None:
    desk = Desk(offer(), now(MINE))
    desk.playing.set_keys(KeyMap(bindings=[Binding(keys=["A"], action=1)], source="yours"))
    assert (desk.playing.wants("A"), desk.playing.wants("Left")) == (True, False)
    desk.playing.press("A")
    assert desk.since() == [{"do": "act", "actor": "agent", "action": 1}]
    desk.playing.forget_keys()
    assert desk.playing.keys == LAKE


def test_a_frame_is_looked_for_before_anything_else_when_it_moved() -> None:
    heard: list[str] = []
    desk = Desk(offer())
    desk.playing.changed.connect(lambda: heard.append("changed"))
    desk.playing.stood.connect(lambda: heard.append("stood"))
    desk.playing.taken.connect(lambda: heard.append("taken"))
    desk.playing.heard(now(MINE))
    desk.playing.heard(now(MINE))
    assert heard == ["stood", "changed", "taken", "stood", "changed"]


def test_a_line_that_broke_says_so_and_knows_nothing_more() -> None:
    desk = Desk(offer(), now(MINE))
    desk.playing.press("Left")
    desk.playing.closed("the session has ended")
    assert (desk.playing.connected, desk.playing.captured, desk.playing.seats) == (False, False, [])
    assert desk.playing.trouble == "the session has ended"
