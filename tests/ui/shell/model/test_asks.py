"""Asks: every question has a way of its own."""

from __future__ import annotations

from mosaic.ui.shell.model.asks import Asks
from mosaic.ui.shell.model.signal import Signal

GIVEN: dict[str, tuple[object, ...]] = {
    "watch": ("a",),
    "replay": ("a", None),
    "evaluate": ("a", "/p"),
    "train_from": ("a", "/p"),
    "resume": ("a",),
    "launch": ("sb3", "ppo", "CartPole-v1"),
    "run_script": (),
    "compare": (),
}


def test_what_is_asked_is_heard_by_those_who_can_do_it_and_by_nobody_else() -> None:
    asks, heard = Asks(), list[tuple[object, ...]]()
    signals = {name: signal for name, signal in vars(asks).items() if isinstance(signal, Signal)}
    assert set(signals) == set(GIVEN)
    for name, signal in signals.items():
        signal.connect(lambda *given, name=name: heard.append((name, *given)))
    for name, given in GIVEN.items():
        heard.clear()
        signals[name].emit(*given)
        assert heard == [(name, *given)]


def test_two_windows_do_not_hear_each_other() -> None:
    one, other, heard = Asks(), Asks(), list[str]()
    one.watch.connect(heard.append)
    other.watch.emit("theirs")
    assert heard == []
