"""Progress for people: a moving line on a terminal, one plain line elsewhere. On stderr, gone when done."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mosaic.cli.follow import StatusLine
from mosaic.cli.output import note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Passing", "bar"]


class Passing:
    """Texts that replace each other on a terminal; elsewhere only the first is printed. A context manager."""

    def __init__(self) -> None:
        self._line = (
            StatusLine(sys.stderr, cells=shutil.get_terminal_size().columns) if sys.stderr.isatty() else None
        )
        self._said = False

    def __call__(self, text: str) -> None:
        """Show this now."""
        if self._line is not None:
            self._line.draw(text)
        elif not self._said:
            note(f"mosaic: {text}")
        self._said = True

    def __enter__(self) -> Passing:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.clear()


@contextmanager
def bar(text: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that is told (done, in all), or turns while it is told nothing. Silent without a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
