"""Signals without Qt."""

from __future__ import annotations

from mosaic.ui.shell.model.asks import Asks
from mosaic.ui.shell.model.signal import Signal


def test_listeners_are_told_in_the_order_they_came() -> None:
    signal: Signal[[int]] = Signal()
    told: list[tuple[str, int]] = []
    signal.connect(lambda value: told.append(("first", value)))
    signal.connect(lambda value: told.append(("second", value)))
    signal.emit(7)
    assert told == [("first", 7), ("second", 7)]


def test_who_leaves_during_a_round_is_told_no_more_and_who_joins_only_from_the_next_on() -> None:
    signal: Signal[[]] = Signal()
    told: list[str] = []

    def first() -> None:
        told.append("first")
        leave()
        signal.connect(lambda: told.append("late"))

    signal.connect(first)
    leave = signal.connect(lambda: told.append("gone"))
    signal.emit()
    assert told == ["first"]
    leave()
    signal.emit()
    assert told == ["first", "first", "late"]


def test_every_ask_can_be_heard() -> None:
    asks = Asks()
    heard: list[str] = []
    asks.watch.connect(heard.append)
    asks.compare.connect(lambda: heard.append("compare"))
    asks.watch.emit("a run")
    asks.compare.emit()
    assert heard == ["a run", "compare"]
