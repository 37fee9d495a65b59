"""Blocks of text, each drawn over the one before on a terminal; elsewhere one below the other."""

from __future__ import annotations

import os
import shutil
from typing import IO

from mosaic.text import fit

__all__ = ["Redrawn"]

_UP, _TO_END, _BELOW = "\x1b[{}F", "\x1b[K", "\x1b[J"


class Redrawn:
    """What is shown now is drawn over what was.

    Args:
        stream: where it is written. What does not fit into its terminal is cut, so that it can be drawn over.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.live = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn = 0

    def show(self, text: str) -> None:
        """Show these lines."""
        lines = text.split("\n")
        if not self.live:
            self._stream.write(text + "\n\n")
            self._stream.flush()
            return
        size = shutil.get_terminal_size()
        lines = [fit(line, size.columns - 1) for line in lines[: max(1, size.lines - 1)]]
        up = _UP.format(self._drawn) if self._drawn else ""
        self._stream.write(up + "".join(f"{line}{_TO_END}\n" for line in lines) + _BELOW)
        self._stream.flush()
        self._drawn = len(lines)
