"""Python's garbage is collected on the window's thread alone: widgets must die on the thread they live on.

Python collects wherever it happens to allocate, also on a thread that does slow work for the window. So the
automatic collection is off while a window is open, and a timer does the same work here.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

__all__ = ["Garbage"]


class Garbage(QObject):
    """Collects from `start` to `close`, on the thread it was made on.

    Args:
        every_ms: how often it looks; garbage waits at most so long.
    """

    def __init__(self, *, every_ms: int = 500) -> None:
        super().__init__()
        self._was_on = gc.isenabled()
        self._timer = QTimer(self)
        self._timer.setInterval(every_ms)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """Take over from Python. What was loaded so far is looked at no more: it stays anyway."""
        gc.collect()
        gc.freeze()
        gc.disable()
        self._timer.start()

    def look(self) -> None:
        """Collect the generations that are due by Python's own thresholds, the youngest first."""
        for generation, (count, limit) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=False)):
            if limit == 0 or count <= limit:
                return
            gc.collect(generation)

    def close(self) -> None:
        """Hand back to Python."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_on:
            gc.enable()
