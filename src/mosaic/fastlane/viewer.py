"""Watching one run: finds its processes' lanes, renews our leases, hands out the newest frames or scenes.

Nothing here waits or sleeps: the owner calls `tick` and `frames` as often as it draws. A viewer that stops
calling is forgotten by the workers within `lease_secs`, and they render nothing more for it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic.fastlane.lane import Lane, Lease, Row, of_other_version
from mosaic.fastlane.reader import Frame, FrameReader, LiveScene, SceneReader
from mosaic_worker.common import layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["OTHER_VERSION", "Environment", "Viewer"]

OTHER_VERSION = (
    "a process of this run shows its frames in the way of another version of MOSAIC; "
    "start the run again to watch it"
)


class Environment(NamedTuple):
    """One environment of a run: its process and what that says of it."""

    lane: Lane
    row: Row

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from every other."""
        return self.lane.producer, self.row.row


class Viewer:
    """One viewer of one run.

    Args:
        run: the run's folder.
        lease: how often and how large, frames or scenes. It may be changed, but not from one to the other.
        env: only the environment at this position; None for all.
        most: how many environments at most are watched.
        lease_secs: how long a lease lasts; it is renewed four times as often.
        look_secs: how often new processes are looked for.
    """

    def __init__(
        self,
        run: RunFolder,
        *,
        lease: Lease | None = None,
        env: int | None = None,
        most: int = 16,
        lease_secs: float = 1.0,
        look_secs: float = 0.2,
        now_nanos: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._run = run
        self.lease = Lease() if lease is None else lease
        self.env = env
        self.most = most
        self._lease_nanos = int(lease_secs * 1e9)
        self._look_nanos = int(look_secs * 1e9)
        self._now = now_nanos
        self._lanes: dict[Path, Lane] = {}
        self._strangers: set[Path] = set()
        self._readers: dict[tuple[str, int], FrameReader | SceneReader] = {}
        self._look_at = self._renew_at = 0
        self._watched: list[Environment] = []

    def tick(self) -> None:
        """Look for processes and renew leases, when it is time."""
        now = self._now()
        if now >= self._look_at:
            self._look_at = now + self._look_nanos
            self._look()
            self._choose()
        if now >= self._renew_at:
            self._renew_at = now + self._lease_nanos // 4
            self._renew(now)

    def _look(self) -> None:
        found = set(segment.lanes_of(self._run))
        self._strangers &= found
        for path in [path for path in self._lanes if path not in found or not self._lanes[path].alive]:
            self._forget(path)
        for path in found - set(self._lanes):
            if not segment.alive(path):
                continue
            try:
                self._lanes[path] = Lane(path)
            except (FileNotFoundError, ProtocolError):
                if of_other_version(path):
                    self._strangers.add(path)
                continue  # or gone again, or still being made: the next look will tell

    def _forget(self, path: Path) -> None:
        lane = self._lanes.pop(path)
        for key in [key for key in self._readers if key[0] == lane.producer]:
            self._readers.pop(key).close()
        lane.close()

    def _choose(self) -> None:
        every = [Environment(lane, row) for lane in self._lanes.values() for row in lane.rows()]
        every.sort(key=lambda one: (one.row.env_index, one.lane.created, one.row.row))
        shown = [one for one in every if self._shows(one.row)]
        if self.env is not None:
            shown = [one for one in shown if one.row.env_index == self.env][:1]
        self._watched = shown[: self.most]
        wanted = {one.key for one in self._watched}
        for key in [key for key in self._readers if key not in wanted]:
            self._readers.pop(key).close()
        for one in self._watched:
            if one.key not in self._readers:
                reader = SceneReader if self.lease.scenes else FrameReader
                self._readers[one.key] = reader(one.lane, one.row.row)
                self._renew_at = 0

    def _shows(self, row: Row) -> bool:
        """Whether a row has, or may have, what is asked for."""
        return row.scenes != layout.NO_SCENES if self.lease.scenes else row.state == layout.SHOWN

    def _renew(self, now: int) -> None:
        for lane in self._lanes.values():
            wanted = {one.row.row for one in self._watched if one.lane is lane}
            # Whether what cannot be drawn has scenes is found out only for somebody who asks.
            wanted |= {
                row.row for row in lane.rows() if row.scenes == layout.NOT_ASKED and row.state != layout.SHOWN
            }
            rows = sum(1 << row for row in wanted)
            if rows:
                lane.renew(rows, self.lease, until_nanos=now + self._lease_nanos, now_nanos=now)

    @property
    def watched(self) -> list[Environment]:
        """The environments this viewer watches, in order."""
        return list(self._watched)

    def count(self) -> int:
        """How many environments the run has now, shown or not."""
        return sum(len(lane.rows()) for lane in self._lanes.values())

    def indices(self) -> list[int]:
        """The positions of all environments the run has now, shown or not, in order."""
        return sorted({row.env_index for lane in self._lanes.values() for row in lane.rows()})

    def notes(self) -> list[str]:
        """Why some environments have no frames."""
        strange = {OTHER_VERSION} if self._strangers else set()
        return sorted({note for lane in self._lanes.values() if (note := lane.note())} | strange)

    def has_scenes(self) -> bool:
        """Whether an environment is known to have scenes."""
        return any(row.scenes == layout.HAS_SCENES for lane in self._lanes.values() for row in lane.rows())

    def without_scenes(self) -> bool:
        """Whether there are environments, and none of them has scenes."""
        rows = [row for lane in self._lanes.values() for row in lane.rows()]
        return bool(rows) and all(row.scenes == layout.NO_SCENES for row in rows)

    def has_frames(self) -> bool:
        """Whether an environment can be drawn."""
        return any(row.state == layout.SHOWN for lane in self._lanes.values() for row in lane.rows())

    def frames(self) -> dict[tuple[str, int], Frame]:
        """The frames that came since the last call, by environment; none with a lease of scenes."""
        readers = {key: one for key, one in self._readers.items() if isinstance(one, FrameReader)}
        found = {key: reader.latest() for key, reader in readers.items()}
        return {key: frame for key, frame in found.items() if frame is not None}

    def scenes(self) -> dict[tuple[str, int], LiveScene]:
        """The scenes that came since the last call, by environment; none with a lease of frames."""
        readers = {key: one for key, one in self._readers.items() if isinstance(one, SceneReader)}
        found = {key: reader.latest() for key, reader in readers.items()}
        return {key: scene for key, scene in found.items() if scene is not None}

    def close(self) -> None:
        """End our leases. Twice is fine."""
        for path in list(self._lanes):
            self._forget(path)
        self._watched = []

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
