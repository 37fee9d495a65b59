"""Episodes as the panel has them: loaded whole, and seen through a filter."""

from __future__ import annotations

from mosaic.ui.episodes.loading import EpisodeLoader
from mosaic.ui.episodes.model import Episodes, parse_filter, view

__all__ = ["load", "returns"]


def load(loader: EpisodeLoader) -> Episodes:
    """All pages."""
    found = loader.load()
    assert found is not None
    while found.more:
        found = loader.load() or found
    return found


def returns(
    episodes: Episodes, text: str = "", *, by: str = "index", descending: bool = False
) -> list[float]:
    """The returns in the order they are listed."""
    rows = view(episodes, by=by, descending=descending, wanted=parse_filter(text))
    return [float(value) for value in episodes.return_[rows]]
