"""Watching one run: finds the lanes of its processes, keeps our wishes in force, hands out the newest frames.

Nothing here waits or sleeps: the owner calls `tick` and `frames` as often as it draws. A viewer that stops
calling is forgotten by the workers within `lease_secs`, and they render nothing more for it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic.fastlane.lane import Lane, Row, Wish
from mosaic.fastlane.reader import Frame, FrameReader
from mosaic_worker.common import layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["Place", "Viewer"]


class Place(NamedTuple):
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
        wish: how often and how large.
        env: only the environment at this position; None for all.
        most: how many environments at most are asked for.
        lease_secs: how long a wish is in force; renewed four times as often.
        look_secs: how often new processes are looked for.
    """

    def __init__(
        self,
        run: RunFolder,
        *,
        wish: Wish | None = None,
        env: int | None = None,
        most: int = 16,
        lease_secs: float = 1.0,
        look_secs: float = 0.2,
        now_nanos: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._run = run
        self.wish = Wish() if wish is None else wish
        self.env = env
        self.most = most
        self._lease_nanos = int(lease_secs * 1e9)
        self._look_nanos = int(look_secs * 1e9)
        self._now = now_nanos
        self._lanes: dict[Path, Lane] = {}
        self._readers: dict[tuple[str, int], FrameReader] = {}
        self._look_at = self._renew_at = 0
        self._places: list[Place] = []

    def tick(self) -> None:
        """Look for processes and renew wishes, when it is time."""
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
        for path in [path for path in self._lanes if path not in found or not self._lanes[path].alive]:
            self._forget(path)
        for path in found - set(self._lanes):
            if not segment.alive(path):
                continue
            try:
                self._lanes[path] = Lane(path)
            except (FileNotFoundError, ProtocolError):
                continue  # gone again, still being made, or of another version: the next look will tell

    def _forget(self, path: Path) -> None:
        lane = self._lanes.pop(path)
        for key in [key for key in self._readers if key[0] == lane.producer]:
            self._readers.pop(key).close()
        lane.close()

    def _choose(self) -> None:
        every = [Place(lane, row) for lane in self._lanes.values() for row in lane.rows()]
        every.sort(key=lambda place: (place.row.env_index, place.lane.created, place.row.row))
        shown = [place for place in every if place.row.state == layout.SHOWN]
        if self.env is not None:
            shown = [place for place in shown if place.row.env_index == self.env][:1]
        self._places = shown[: self.most]
        wanted = {place.key for place in self._places}
        for key in [key for key in self._readers if key not in wanted]:
            self._readers.pop(key).close()
        for place in self._places:
            if place.key not in self._readers:
                self._readers[place.key] = FrameReader(place.lane, place.row.row)
                self._renew_at = 0

    def _renew(self, now: int) -> None:
        for lane in self._lanes.values():
            rows = sum(1 << place.row.row for place in self._places if place.lane is lane)
            if rows:
                lane.ask(rows, self.wish, until_nanos=now + self._lease_nanos, now_nanos=now)

    @property
    def places(self) -> list[Place]:
        """The environments we watch, in order."""
        return list(self._places)

    def count(self) -> int:
        """How many environments the run has now, shown or not."""
        return sum(len(lane.rows()) for lane in self._lanes.values())

    def indices(self) -> list[int]:
        """The positions of all environments the run has now, shown or not, in order."""
        return sorted({row.env_index for lane in self._lanes.values() for row in lane.rows()})

    def notes(self) -> list[str]:
        """Why some environments have no pictures."""
        return sorted({note for lane in self._lanes.values() if (note := lane.note())})

    def frames(self) -> dict[tuple[str, int], Frame]:
        """The frames that came since the last call, by place."""
        found = {key: reader.latest() for key, reader in self._readers.items()}
        return {key: frame for key, frame in found.items() if frame is not None}

    def close(self) -> None:
        """Take our wishes back. Twice is fine."""
        for path in list(self._lanes):
            self._forget(path)
        self._places = []

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
