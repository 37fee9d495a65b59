"""A run's metric by name, also when nobody logged it: returns and lengths come from the episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.errors import UsageError
from mosaic.protocol.counting import chosen_rows
from mosaic.protocol.rows import MetricRow

if TYPE_CHECKING:
    from mosaic.store.reader import StoreReader

__all__ = ["metrics"]


_OF_EPISODES = ("return", "length")


def metrics(reader: StoreReader, name: str | None = None, *, role: str | None = None) -> list[MetricRow]:
    """The values of one metric (by its own name or ours), or of all, in the order they were logged.

    `return` and `length` that nobody logged are the episodes' own, of those that `protocol.counting` chooses;
    with `role`, they are the episodes' own in any case, and of this role. Their `step` is the index.

    Raises:
        UsageError: a role is asked for with something else, or there is no such role.
    """
    if role is not None and name not in _OF_EPISODES:
        raise UsageError(f"{name or 'a metric'} has no role: only the episodes' own return and length do.")
    found = reader.metrics(name=name) if role is None else []
    if found or name not in _OF_EPISODES:
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
        for episode in chosen_rows(reader.episodes(role=role))
        if episode.t_end is not None
    ]
