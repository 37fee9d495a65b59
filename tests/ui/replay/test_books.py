"""Books of finished episodes, out of real stores."""

from __future__ import annotations

from pathlib import Path

from mosaic.paths import DataRoot
from mosaic.ui.replay.books import read_book
from tests.ui.stored import Stored


def test_a_run_has_its_finished_episodes_and_none_without_a_store(home: Path) -> None:
    root = DataRoot(home)
    run = Stored(root)
    assert len(read_book(run.folder)) == 0
    run.episodes([1.0, 5.0, 2.0], length=7)
    run.begin()
    run.commit()
    book = read_book(run.folder)
    assert (len(book), book.best, book.last) == (3, 1, 2)
    assert book.steps.tolist() == [7, 7, 7]
    assert len(read_book(root.run("01JNONE000000000000000000A"))) == 0
