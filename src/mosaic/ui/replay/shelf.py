"""The finished episodes of a run, read off the window's thread. One read at a time; the newest wish wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.errors import StoreError
from mosaic.store.reader import StoreReader
from mosaic.ui.replay.model import Book

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.shell.context import Context

__all__ = ["Shelf"]


class Shelf:
    """Where books come from.

    Args:
        context: does the reading, and says what went wrong.
        came: given a run and its book, on the window's thread.
    """

    def __init__(self, context: Context, *, came: Callable[[str, Book], object]) -> None:
        self._context, self._came = context, came
        self._reading = False
        self._next: str | None = None

    @property
    def busy(self) -> bool:
        """Whether a book is being read."""
        return self._reading

    def read(self, run_id: str) -> None:
        """Read the run's episodes; while another read is under way, after it."""
        if self._reading:
            self._next = run_id
            return
        self._reading = True
        folder = self._context.root.run(run_id)

        def work() -> Book:
            try:
                with StoreReader(folder) as reader:
                    curve = reader.returns()
                    return Book(curve.index, curve.return_, curve.steps)
            except StoreError:
                return Book()  # not there yet, or being made anew: nothing can be replayed now

        self._context.ops.run(work, done=lambda book: self._done(run_id, book), failed=self._failed)

    def _done(self, run_id: str, book: Book) -> None:
        self._reading = False
        self._came(run_id, book)
        self._go_on()

    def _failed(self, why: str) -> None:
        self._reading = False
        self._context.toasts.say(why, level="bad")
        self._go_on()

    def _go_on(self) -> None:
        wanted, self._next = self._next, None
        if wanted is not None:
            self.read(wanted)
