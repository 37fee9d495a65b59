"""Where an actor's open episode stands: its id, and the number of its next step. Records nothing."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from mosaic_worker.layers import layers

__all__ = ["Standing", "standing_of"]


class Standing(NamedTuple):
    """An open episode."""

    episode_id: str
    step: int
    """The number its next step will have."""


def standing_of(env: Any, actor: Any) -> Optional[Standing]:
    """The open episode of an environment's actor; None where nobody records it.

    Args:
        env: the environment, as its library gave it.
        actor: the agent of an environment of several, the position in a vector environment; of others it is
            not looked at.
    """
    for layer in layers(env):
        kept = vars(layer)
        claim = kept.get("_mosaic_claim")
        if claim is not None:
            found = claim.agents.standing(actor)
            return None if found is None else Standing(*found)
        track = kept.get("_mosaic")
        if track is None:
            continue
        of_several = getattr(track, "standing", None)  # of agents, or of positions of a vector environment
        if of_several is not None:
            found = of_several(actor)
            return None if found is None else Standing(*found)
        if track.episode_id:
            return Standing(track.episode_id, track.step_count)
    return None
