"""Where two recorded episodes part, read from their stores. `analysis.parting` compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.analysis.parting import Episode, Turn, fingerprint, parting

if TYPE_CHECKING:
    from mosaic.analysis.parting import Parting
    from mosaic.store.reader import StoreReader

__all__ = ["part_at", "recorded"]


def recorded(reader: StoreReader, episode: int | str) -> Episode:
    """An episode as it is compared.

    Raises:
        UsageError: there is no such episode.
    """
    index = reader.episode(episode).index
    turns = (
        Turn(
            action=step.action,
            reward=step.reward,
            observation=fingerprint(step.obs),
            ended="terminated" if step.terminated else "truncated" if step.truncated else "",
        )
        for step in reader.steps(index)
    )
    return Episode(reset=fingerprint(reader.reset(index).get("obs")), turns=turns)


def part_at(
    first: StoreReader, episode: int | str, second: StoreReader, other_episode: int | str
) -> Parting | None:
    """The first step at which two recorded episodes, of one run or of two, are not the same; None if all are.

    Raises:
        UsageError: there is no such episode.
    """
    return parting(recorded(first, episode), recorded(second, other_episode))
