"""A stay with runs: Ctrl-C is counted and given back, and what is said begins on a line of its own."""

from __future__ import annotations

import io
import os
import signal
import sys

import pytest

from mosaic.cli.staying import Staying


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """In the test itself: pytest puts its own stderr back after the fixtures."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_ctrl_c_is_counted_and_ends_nothing_and_is_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    staying = Staying(say=print)
    with staying._heeding():
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        assert staying._interrupts == 2
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_is_given_back_also_when_the_stay_fails() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="no"), Staying(say=print)._heeding():
        raise ValueError("no")
    assert signal.getsignal(signal.SIGINT) is before


def test_without_a_terminal_there_is_no_status_line_and_words_go_on() -> None:
    told: list[str] = []
    staying = Staying(say=told.append)
    assert staying._line is None
    with staying._heeding():
        staying._say("one")
    assert told == ["one"]


def test_what_is_said_begins_on_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    told: list[str] = []
    staying = Staying(say=lambda text: told.append(terminal.getvalue()[-1:] + text))
    assert staying._line is not None
    staying._line.written(b"half a line")
    staying._say("one")
    assert told == ["\none"]


def test_at_the_end_the_status_line_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    staying = Staying(say=print)
    assert staying._line is not None
    with staying._heeding():
        staying._line.draw("three runs")
        shown = terminal.getvalue()
    assert "three runs" in shown
    cleared = terminal.getvalue()[len(shown) :]
    assert cleared
    assert "three runs" not in cleared
