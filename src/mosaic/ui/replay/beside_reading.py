"""An original and its branch, read from their stores. Blocks: not for the window's thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mosaic.app.parting import part_at
from mosaic.errors import UsageError
from mosaic.protocol.branches import origin_of
from mosaic.store.reader import StoreReader
from mosaic.text import count
from mosaic.ui.replay.beside_model import Pair, Track

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.ui.replay.beside_model import Counterpart

__all__ = ["read_pair"]


def read_pair(root: DataRoot, run_id: str, episode: int, other: Counterpart, *, name: str = "") -> Pair:
    """The open episode and its counterpart's.

    Args:
        root: the data root.
        run_id: the run whose episode is open.
        episode: that episode.
        other: the run beside it.
        name: what the open run is called.

    Raises:
        UsageError: the open episode is not the one that was branched, or the branch has not come so far.
        StoreError: a store cannot be read.
    """
    mine, its = (run_id, name), (other.run_id, other.name)
    (first, first_name), (second, second_name) = (its, mine) if other.original else (mine, its)
    with StoreReader(root.run(first)) as original, StoreReader(root.run(second)) as branch:
        origin = origin_of(branch.config().args)
        if origin is None or origin.parent != first:
            raise UsageError("where this branch begins was not recorded")
        twin = origin.twin(branch.episodes())
        if twin is None:
            raise UsageError("the branch has not come to the step it goes on from")
        if other.original and twin != episode:
            raise UsageError(
                f"episode {count(episode)} was played as recorded to get to the branch, which is episode "
                f"{count(twin)} of this run"
            )
        return Pair(
            original=_track(original, first, first_name, origin.episode),
            branch=_track(branch, second, second_name, twin),
            branched_at=origin.step,
            parting=part_at(original, origin.episode, branch, twin),
        )


def _track(reader: StoreReader, run_id: str, name: str, episode: int) -> Track:
    rewards = np.array([step.reward for step in reader.steps(episode)], np.float64)
    outcome = reader.episode(episode).outcome or ""
    return Track(run_id=run_id, name=name, episode=episode, rewards=rewards, outcome=outcome)
