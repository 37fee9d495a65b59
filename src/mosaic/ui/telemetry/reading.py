"""The newest steps and episodes of a run, read by cursor. For one thread at a time, never the window's.

Begins near the head. A reader that is further behind than a view can show goes on near the head, and says how
many events it left out; a store that was built anew is read as a new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.store.series import SeriesReader
from mosaic.ui.telemetry.model import News, StepLine

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["TelemetryReader"]


class TelemetryReader:
    """Reads one run.

    Args:
        folder: the run.
        steps: about how many steps a view shows; more than twice as many events are not caught up with.
        episodes: how many of the newest episodes are looked at.
    """

    def __init__(self, folder: RunFolder, *, steps: int = 250, episodes: int = 100) -> None:
        self._folder, self._steps, self._episodes = folder, steps, episodes
        self._inode = -1
        self._seq: int | None = None

    def read(self) -> News:
        """What is new since the last time."""
        if not self._folder.store.exists():
            return News()
        with SeriesReader(self._folder) as reader, reader.snapshot():
            now = reader.mark()
            anew = now.inode != self._inode or now.seq < (self._seq or 0)
            since = None if anew else self._seq
            near = max(0, now.seq - self._steps)
            skipped = 0
            if since is None:
                begin = near
            elif now.seq - since > 2 * self._steps:
                begin, skipped = near, near - since
            else:
                begin = since
            lines, seq = [], begin
            while seq < now.seq:
                found, seq = reader.steps_since(seq, limit=self._steps)
                lines += [StepLine(episode_id, row) for episode_id, row in found]
            newest = max(0, reader.summary().episodes - self._episodes)
            rows = reader.episodes(since_seq=since or 0, first_index=newest, limit=2 * self._episodes)
            self._inode, self._seq = now.inode, now.seq
        return News(steps=lines, episodes=rows, skipped_events=skipped, anew=anew)
