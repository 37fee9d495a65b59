"""Progress for people: a moving line on a terminal, one plain line elsewhere. On stderr, gone when done."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mosaic.cli.follow import status_line
from mosaic.cli.output import note
from mosaic.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress

__all__ = ["Passing", "bar", "phases"]


class Passing:
    """Texts that replace each other on a terminal; elsewhere only the first is printed. A context manager."""

    def __init__(self) -> None:
        self._line = status_line()
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
    with _drawn() as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def phases(name: str) -> Iterator[Callable[[str, float | None], None]]:
    """A bar that is told (what is done now, how far it is or None). Without a terminal: a line per phase."""
    if not sys.stderr.isatty():
        yield lambda text, fraction: None if fraction is None else note(f"{name}: {text}")
        return
    with _drawn() as progress:
        task = progress.add_task(name, total=1.0)

        def show(text: str, fraction: float | None) -> None:
            if text:
                progress.update(task, description=f"{name}: {visible(text)[:60]}")
            if fraction is not None:
                progress.update(task, completed=fraction)

        yield show


def _drawn() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
