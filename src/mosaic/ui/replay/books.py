"""The finished episodes of a run, read from its store. Blocks: not for the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.errors import StoreError
from mosaic.store.reader import StoreReader
from mosaic.ui.replay.model import Book

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["read_book"]


def read_book(folder: RunFolder) -> Book:
    """What can be replayed of a run; nothing while its store is not there or is being made anew."""
    try:
        with StoreReader(folder) as reader:
            curve = reader.returns()
    except StoreError:
        return Book()
    return Book(curve.index, curve.return_, curve.steps, curve.mark)
