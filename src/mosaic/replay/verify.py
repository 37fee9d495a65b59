"""Whether many episodes of a run replay exactly. Environment by environment: chains are played once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.replay.chains import key_of
from mosaic.replay.resimulator import Resimulator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import EpisodeRow
    from mosaic.replay.verdicts import Verdict
    from mosaic.store.reader import StoreReader

__all__ = ["verify"]


def verify(
    folder: RunFolder,
    reader: StoreReader,
    rows: Sequence[EpisodeRow],
    *,
    allowed: Sequence[str] = (),
    python: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Verdict]:
    """A verdict on each episode, in the order their environments were played.

    Args:
        folder: the run.
        reader: its store.
        rows: the episodes.
        allowed: modules that may be imported, besides the known libraries.
        python: the interpreter to use instead of the recorded one.
        progress: called with (steps done, steps in all).

    Raises:
        ConsentNeededError: a module would have to be allowed first.
    """
    ordered = sorted(rows, key=lambda row: (key_of(row), row.index))
    total = sum(row.steps for row in ordered)
    done = 0
    with Resimulator(folder, reader, allowed=allowed, python=python) as resimulator:
        for row in ordered:
            base = done

            def tell(turn: int, _of: int, base: int = base) -> None:
                if progress is not None:
                    progress(base + turn, total)

            yield resimulator.judge(row, progress=tell)
            done += row.steps
            tell(row.steps, row.steps)
