"""Several sessions as one: after an order to all they do the same, and each is said in a few words."""

from __future__ import annotations

from typing import Any

from mosaic.analysis import scores
from mosaic.app.results import SeatResult
from mosaic.protocol.hands import Now, SeatNow
from mosaic.ui.play.model.several import MOST_SESSIONS, Several, result_said, seats_said
from tests.ui.play.talking import now, offer


class Desk:
    """Several sessions whose orders are written down."""

    def __init__(self, *stands: Now) -> None:
        self.several = Several()
        self.orders: list[tuple[str, str, dict[str, Any]]] = []
        self.several.turn_to([f"r{at}" for at in range(len(stands))])
        for (run_id, playing), stand in zip(self.several.playing.items(), stands, strict=True):

            def order(do: str, *, run_id: str = run_id, **words: Any) -> int:
                self.orders.append((run_id, do, words))
                return len(self.orders)

            playing.opened(order)
            playing.heard(offer())
            playing.heard(stand)


def test_those_that_are_shown_keep_their_connection_when_another_comes() -> None:
    desk = Desk(now(), now())
    before = desk.several.playing["r1"]
    told: list[None] = []
    desk.several.changed.connect(lambda: told.append(None))
    desk.several.turn_to(["r1", "r7"])
    desk.several.turn_to(["r1", "r7"])
    assert desk.several.playing["r1"] is before
    assert len(told) == 1
    desk.several.turn_to(str(at) for at in range(50))
    assert len(desk.several.playing) == MOST_SESSIONS


def test_pausing_stops_those_that_go_and_going_on_starts_all() -> None:
    desk = Desk(now(paused=True), now())
    assert not desk.several.paused
    desk.several.pause_or_go()
    assert desk.orders == [("r1", "pause", {})]
    desk = Desk(now(paused=True), now(paused=True))
    assert desk.several.paused
    desk.several.pause_or_go()
    assert desk.orders == [("r0", "go", {}), ("r1", "go", {})]


def test_reset_and_step_go_to_each_with_one_seed() -> None:
    desk = Desk(now(paused=True), now(paused=True))
    desk.several.reset(7)
    desk.several.step()
    assert desk.orders == [
        ("r0", "reset", {"seed": 7}),
        ("r1", "reset", {"seed": 7}),
        ("r0", "step", {}),
        ("r1", "step", {}),
    ]


def test_one_speed_for_all_from_the_slowest() -> None:
    desk = Desk(now(pace="tick", fps=10.0), now(pace="free"))
    desk.several.faster()
    assert [words for _, _, words in desk.orders] == [{"pace": "tick", "fps": 15.0}] * 2
    desk.orders.clear()
    desk.several.slower()
    assert [words for _, _, words in desk.orders] == [{"pace": "tick", "fps": 5.0}] * 2
    desk = Desk(now(pace="free"), now(pace="free"))
    desk.several.slower()
    assert [words["fps"] for _, _, words in desk.orders] == [240.0, 240.0]


def test_a_persons_seat_is_not_taken_from_here() -> None:
    assert Desk(now(SeatNow(actor="a", operator="person", by="person"))).orders == []


def test_each_is_said_in_a_few_words() -> None:
    desk = Desk(now(*(SeatNow(actor=f"a{n}", operator="x", by="x", step=n) for n in range(6)), seed=3))
    said = seats_said(desk.several.playing["r0"]).splitlines()
    assert said[0] == "Episode 1 of 1, seed 3, turn by turn"
    assert said[1:] == [f"x: step {n}, return 0" for n in range(4)] + ["and 2 more seats"]
    desk.several.playing["r0"].closed()
    assert seats_said(desk.several.playing["r0"]) == "Waiting for the session…"
    assert result_said([]) == "No episode was played to its end yet."
    figure = scores.iqm([2.0, 2.0])
    played = SeatResult("agent", (), (2.0, 2.0), 0, 1.0, figure, figure, 0)
    assert result_said([played]) == "IQM: agent 2 over 2"
