from __future__ import annotations

import os
import pty
import sys
import termios

import pytest

from mosaic.cli.keyboard import Keyboard, key_names


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"a", ["A"]),
        (b"7 \r\t\x7f", ["7", "Space", "Return", "Tab", "Backspace"]),
        (b"\x1b[A\x1b[B\x1bOC\x1bOD", ["Up", "Down", "Right", "Left"]),
        (b"\x1b", ["Esc"]),
        (b"\x1b\x1b[A", ["Esc", "Up"]),
        (b"\x1b[1;5Cx", ["X"]),
        (b"\x1b[200~", []),
        (b"\x1b[", []),
        ("ä".encode(), []),
        (b"\x00\x01", []),
    ],
)
def test_keys_by_name(data: bytes, names: list[str]) -> None:
    assert key_names(data) == names


def test_the_terminal_is_as_it_was_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "rb", buffering=0) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        before = termios.tcgetattr(theirs)
        with Keyboard() as keyboard:
            assert not termios.tcgetattr(theirs)[3] & termios.ICANON
            os.write(ours, b"\x1b[D")
            assert keyboard.read() == ["Left"]
        assert termios.tcgetattr(theirs) == before
    os.close(ours)
