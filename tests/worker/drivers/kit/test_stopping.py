"""Being told to stop: once, twice, and in the middle of a save."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from mosaic_worker.drivers.kit.stopping import Insisted, Stop

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def stop() -> Iterator[Stop]:
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    yield Stop()
    for name, handler in before.items():
        signal.signal(name, handler)


def tell(name: signal.Signals) -> None:
    os.kill(os.getpid(), name)  # to the main thread itself: handled before the next line


def test_outside_the_gentle_part_a_signal_ends_the_process(stop: Stop) -> None:
    with pytest.raises(SystemExit) as caught:
        tell(signal.SIGTERM)
    assert caught.value.code == 128 + signal.SIGTERM


def test_the_first_signal_asks_and_the_second_insists(stop: Stop) -> None:
    with stop.gently():
        tell(signal.SIGINT)
        assert stop.asked == signal.SIGINT
        with pytest.raises(Insisted):
            tell(signal.SIGTERM)
    assert stop.exit_code == 128 + signal.SIGTERM


def test_a_save_is_finished_whatever_comes(stop: Stop) -> None:
    with stop.gently(), stop.saving():
        tell(signal.SIGINT)
        tell(signal.SIGTERM)
        tell(signal.SIGTERM)
    assert stop.asked == signal.SIGTERM


def test_an_update_that_takes_too_long_is_interrupted(stop: Stop) -> None:
    stop._patience_secs = 0.01

    def update() -> None:
        tell(signal.SIGINT)
        while True:
            signal.pause()

    with stop.gently(), pytest.raises(Insisted):
        update()
    assert stop.exit_code == 128 + signal.SIGINT


def test_a_save_is_not_interrupted_by_impatience(stop: Stop) -> None:
    stop._patience_secs = 600
    with stop.gently():
        tell(signal.SIGINT)
        with stop.saving():
            tell(signal.SIGALRM)
        with pytest.raises(Insisted):
            tell(signal.SIGALRM)


def test_who_stops_in_time_is_not_interrupted_afterwards(stop: Stop) -> None:
    with stop.gently():
        tell(signal.SIGINT)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_nobody_asked(stop: Stop) -> None:
    assert (stop.asked, stop.exit_code) == (0, 0)


def test_after_the_gentle_part_a_signal_ends_the_process_again(stop: Stop) -> None:
    with stop.gently():
        pass
    with pytest.raises(SystemExit):
        tell(signal.SIGINT)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGALRM])
def test_it_insists_once_and_then_ends_the_process(stop: Stop, second: signal.Signals) -> None:
    stop._patience_secs = 600
    with stop.gently():
        tell(signal.SIGINT)
        with pytest.raises(Insisted):
            tell(second)
        tell(signal.SIGALRM)  # impatience has had its say
        with pytest.raises(SystemExit):
            tell(signal.SIGTERM)
