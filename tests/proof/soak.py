"""How much of a proof is tried: a sample in `make proof`, all of it in `make soak`.

The sample is drawn by a seed (`MOSAIC_PROOF_SEED`, 1 if nothing is said), so that what failed can be tried
again and another seed tries another part. Nothing here is drawn at random: tests are collected twice.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SOAK", "sampled"]

SOAK = os.environ.get("MOSAIC_SOAK", "") not in ("", "0")
"""Whether everything is tried."""

_T = TypeVar("_T")


def sampled(everything: Sequence[_T], few: int, *, soak: bool = SOAK) -> list[_T]:
    """All of these when soaking; else a few of them, in their order."""
    if soak or few >= len(everything):
        return list(everything)
    chance = random.Random(os.environ.get("MOSAIC_PROOF_SEED", "1"))
    return [everything[place] for place in sorted(chance.sample(range(len(everything)), few))]
