"""Where a replay stands and how it moves: position, speed, direction, loop. Pure: time is an argument.

Frames are numbered 0 (after the reset) to `last` (after the last step). Qt-free; draws and fetches nothing.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

import numpy as np

from mosaic.protocol.counting import chosen
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

__all__ = ["DIGIT_SPEEDS", "SPEEDS", "Book", "Transport", "bars"]

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
DIGIT_SPEEDS = {0: 0.5, 1: 1.0, 2: 2.0, 3: 4.0, 4: 8.0, 5: 16.0, 6: 32.0}
"""Which speed a digit key means."""

_CATCH_UP_SECS = 0.1
_NONE, _NO_FLOATS = np.empty(0, np.int64), np.empty(0)


class Transport:
    """The state of a player's buttons. `changed` is emitted after every change.

    Args:
        last: the number of the last frame.
        fps: steps a second at speed 1.
    """

    def __init__(self, *, last: int = 0, fps: float = 30.0) -> None:
        self.changed: Signal[[]] = Signal()
        self.loop = False
        self.playing = False
        self.direction = 1
        self.speed = 1.0
        self.position = 0
        self.last = last
        self.fps = fps
        self._owed = 0.0

    def load(self, *, last: int, fps: float, play: bool = False) -> None:
        """Another episode: from its beginning, at the speed that was chosen."""
        self.last, self.fps, self.position = max(0, last), fps, 0
        self.direction, self.playing, self._owed = 1, play and last > 0, 0.0
        self.changed.emit()

    def set_last(self, last: int) -> None:
        """The same episode, on a longer or shorter line."""
        if last != self.last:
            self.last = max(0, last)
            self.position = min(self.position, self.last)
            self.changed.emit()

    # ---- by hand ----

    def seek(self, position: int) -> None:
        """Go to a frame, or as near as there is one; playing goes on from there."""
        self._owed = 0.0
        position = min(max(0, position), self.last)
        if position != self.position:
            self.position = position
            self.changed.emit()

    def step(self, count: int) -> None:
        """Some frames on or back; stops playing."""
        was = self.playing
        self.playing, before = False, self.position
        self.seek(self.position + count)
        if was and self.position == before:
            self.changed.emit()

    def toggle(self) -> None:
        """Play or pause. At the end, play again from the other end."""
        if self.playing:
            self.pause()
            return
        if self._at_end():
            self.position = 0 if self.direction > 0 else self.last
        self._start()

    def pause(self) -> None:
        """Stand still."""
        if self.playing:
            self.playing = False
            self.changed.emit()

    def shuttle(self, direction: int) -> None:
        """Play that way at speed 1; when it plays that way already, one speed faster."""
        if self.playing and self.direction == direction:
            self.faster()
            return
        self.speed, self.direction = 1.0, direction
        if self._at_end():
            self.position = 0 if direction > 0 else self.last
        self._start()

    def _start(self) -> None:
        self._owed = 0.0
        self.playing = self.last > 0
        self.changed.emit()

    def faster(self) -> None:
        """The next higher speed there is."""
        self.set_speed(SPEEDS[min(bisect.bisect_right(SPEEDS, self.speed), len(SPEEDS) - 1)])

    def slower(self) -> None:
        """The next lower speed there is."""
        self.set_speed(SPEEDS[max(bisect.bisect_left(SPEEDS, self.speed) - 1, 0)])

    def set_speed(self, speed: float) -> None:
        """Any speed between the slowest and the fastest."""
        speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])
        if speed != self.speed:
            self.speed, self._owed = speed, 0.0
            self.changed.emit()

    def set_loop(self, loop: bool) -> None:
        """Whether playing begins again at the end."""
        if loop != self.loop:
            self.loop = loop
            self.changed.emit()

    # ---- by time ----

    def advance(self, elapsed_secs: float) -> bool:
        """Let time pass since the last frame was shown; whether another one is due now.

        Up to speed 1 no frame is left out, however late it comes: one more comes sooner. Above, at most
        0.1 s are caught up.
        """
        if not self.playing:
            return False
        rate = self.fps * self.speed
        self._owed = min(self._owed + elapsed_secs * rate, max(2.0, rate * _CATCH_UP_SECS))
        whole = int(self._owed + 1e-9)
        if whole < 1:
            return False
        whole = 1 if self.speed <= 1.0 else whole
        self._owed -= whole
        self._move(whole * self.direction)
        self.changed.emit()
        return True

    def _move(self, count: int) -> None:
        if self._at_end():  # looped: stands at the end for one frame's time
            self.position = 0 if self.direction > 0 else self.last
            return
        self.position = min(max(0, self.position + count), self.last)
        if self._at_end() and not self.loop:
            self.playing = False

    def _at_end(self) -> bool:
        return self.position == (self.last if self.direction > 0 else 0)

    @property
    def ended(self) -> bool:
        """Whether it stands still on the last frame."""
        return not self.playing and self.position == self.last


class Book:
    """The finished episodes of a run by index, and how to get from one to another."""

    def __init__(
        self,
        index: Ints = _NONE,
        returns: Floats = _NO_FLOATS,
        steps: Ints = _NONE,
        marks: Ints | None = None,
    ) -> None:
        self.index, self.returns, self.steps = index, returns, steps
        self.marks = np.zeros(len(index), np.int64) if marks is None else marks

    def __len__(self) -> int:
        return len(self.index)

    @property
    def last(self) -> int | None:
        """The newest finished episode; one that was cut before its first step counts only when all were."""
        played = np.flatnonzero(self.steps > 0)
        newest = played[-1] if len(played) else -1
        return int(self.index[newest]) if len(self) else None

    @property
    def best(self) -> int | None:
        """The episode with the highest return, of those that count for the run; the first of several."""
        return self._extreme(1.0)

    @property
    def worst(self) -> int | None:
        """The episode with the lowest return."""
        return self._extreme(-1.0)

    def _extreme(self, sign: float) -> int | None:
        real = np.flatnonzero(~np.isnan(self.returns) & chosen(self.steps, self.marks))
        if not len(real):
            return self.last
        return int(self.index[real[np.argmax(sign * self.returns[real])]])

    def line_of(self, episode: int) -> int | None:
        """At which line of the book an episode stands, if it is finished."""
        found = int(np.searchsorted(self.index, episode))
        return found if found < len(self) and self.index[found] == episode else None

    def beside(self, episode: int, count: int) -> int | None:
        """The episode so many finished ones on or back; None beyond the ends."""
        found = int(np.searchsorted(self.index, episode))
        here = found < len(self) and self.index[found] == episode
        target = found + count - int(count > 0 and not here)
        return int(self.index[target]) if 0 <= target < len(self) else None


def bars(rewards: npt.NDArray[np.float64], columns: int) -> npt.NDArray[np.float64]:
    """Lowest and highest reward of each of so many columns: (columns, 2). NaN where a column has no number.

    Column c holds the steps that fall on its pixel; with fewer steps than columns, some hold the same one.
    """
    count = len(rewards)
    found = np.full((max(columns, 0), 2), np.nan)
    if not count or columns < 1:
        return found
    edges = np.arange(columns + 1) * count // columns
    starts = np.minimum(edges[:-1], count - 1)
    if count >= columns:
        low = np.fmin.reduceat(rewards, starts)
        high = np.fmax.reduceat(rewards, starts)
    else:
        low = high = rewards[starts]
    found[:, 0], found[:, 1] = low, high
    return found
