"""A run's metric by name, also when nobody logged it: returns and lengths come from the episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.protocol.rows import MetricRow

if TYPE_CHECKING:
    from mosaic.store.reader import StoreReader

__all__ = ["metrics"]


def metrics(reader: StoreReader, name: str | None = None) -> list[MetricRow]:
    """The values of one metric (by its own name or ours), or of all, in the order they were logged.

    `return` and `length` that nobody logged are the ended episodes' own; their `step` is the episode's index.
    """
    found = reader.metrics(name=name)
    if found or name not in ("return", "length"):
        return found
    return [
        MetricRow(
            name=f"episode/{name}",
            canonical=name,
            value=episode.return_ if name == "return" else float(episode.steps),
            step=episode.index,
            t=episode.t_end,
            seq=episode.seq,
        )
        for episode in reader.episodes()
        if episode.t_end is not None
    ]
