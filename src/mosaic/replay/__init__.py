"""Replay without video: recorded episodes are simulated again, compared step by step, and drawn.

    from mosaic import replay

    with replay.open(folder, 7) as episode:
        episode.verdict          # exact, or diverged at step k
        episode.frame(120)       # what it looked like after step 120
        episode.scene(120)       # what was there, without pixels; None where nobody knows how to tell

The SDK's `run.replay(7)` is the same. Environments are made in a disposable child process, never here.
More in `docs/replay.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic.replay.player import Player, open_episode
    from mosaic.replay.verdicts import Verdict

    open = open_episode

__all__ = ["Player", "Verdict", "open"]


def __getattr__(name: str) -> Any:
    if name in ("Player", "open"):
        from mosaic.replay import player

        return player.Player if name == "Player" else player.open_episode
    if name == "Verdict":
        from mosaic.replay.verdicts import Verdict

        return Verdict
    raise AttributeError(f"module 'mosaic.replay' has no attribute {name!r}")
