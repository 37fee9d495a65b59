"""The terminal's keyboard, key by key, by the names the desktop has. A terminal tells no releases."""

from __future__ import annotations

import os
import sys
import termios
import tty
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Keyboard", "key_names"]

_ESCAPED = {
    b"[A": "Up", b"[B": "Down", b"[C": "Right", b"[D": "Left", b"OA": "Up", b"OB": "Down", b"OC": "Right",
    b"OD": "Left", b"[H": "Home", b"[F": "End", b"[5~": "PgUp", b"[6~": "PgDown", b"[3~": "Del",
}  # fmt: skip
_NAMED = {
    b" ": "Space",
    b"\r": "Return",
    b"\n": "Return",
    b"\t": "Tab",
    b"\x7f": "Backspace",
    b"\x08": "Backspace",
}
_ESCAPE = b"\x1b"


def key_names(data: bytes) -> list[str]:
    """The keys that came, by name: `Left`, `Space`, `A`, `Esc`. What is none of them is left out. Pure."""
    found = []
    at = 0
    while at < len(data):
        one = data[at : at + 1]
        if one == _ESCAPE:
            sequence = next((name for name in _ESCAPED if data.startswith(name, at + 1)), None)
            if sequence is not None:
                found.append(_ESCAPED[sequence])
                at += 1 + len(sequence)
                continue
            if data[at + 1 : at + 2] in (b"[", b"O"):  # one we do not know: to its end
                at += 2
                while at < len(data) and not 0x40 <= data[at] <= 0x7E:
                    at += 1
                at += 1
                continue
            found.append("Esc")
        elif one in _NAMED:
            found.append(_NAMED[one])
        elif 33 <= data[at] < 127:
            found.append(one.decode().upper())
        at += 1
    return found


class Keyboard:
    """Keys as they are pressed, for as long as the context lasts; then the terminal is as it was."""

    def __init__(self) -> None:
        self._fd = sys.stdin.fileno()

    def __enter__(self) -> Self:
        """Take the terminal out of its lines."""
        self._before = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd)
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def fileno(self) -> int:
        """What becomes readable when a key is pressed."""
        return self._fd

    def read(self) -> list[str]:
        """The keys that were pressed; call it when there is something to read."""
        return key_names(os.read(self._fd, 4096))
