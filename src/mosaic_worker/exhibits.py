"""What is shown of environments, in rows of a lane, and when each is due. Knows no lane, lock or time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

from mosaic_worker.common import layout

if TYPE_CHECKING:
    import weakref

    from mosaic_worker.episodes import Track
    from mosaic_worker.fastlane import Lease, RingFile

__all__ = ["NEVER", "Clock", "Exhibit", "MakeScene", "Render", "Row", "Stream"]

NEVER = 1 << 63
Render = Callable[[Any], Sequence[Any]]
"""An environment's frames now, one for each of its tracks."""
MakeScene = Callable[[Any, Any], Optional[bytes]]
"""An environment's scene now, as the lane carries it; None where it has none. Given the last action too."""


class Stream:
    """What a row shows of one kind, pixels or scenes: its ring, and what its viewers asked for."""

    __slots__ = ("height", "kind", "ring", "wanted", "width")

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.ring: Optional[RingFile] = None
        self.wanted = False
        self.width = self.height = 0

    def ask(self, leases: List[Lease]) -> List[int]:
        """Take the leases of its kind; their periods."""
        mine = [lease for lease in leases if lease.kind == self.kind]
        self.wanted = bool(mine)
        # One ring serves all viewers of a row: it is as large, and as quick, as the most demanding of them
        # asks. The others read it less often, or shrink what they get.
        self.width = max((lease.width for lease in mine), default=0)
        self.height = max((lease.height for lease in mine), default=0)
        return [lease.period_nanos for lease in mine]

    def close(self, *, unlink: bool = True) -> None:
        """Take its ring away."""
        if self.ring is not None:
            self.ring.close(unlink=unlink)
            self.ring = None


class Row:
    """One environment's row in the lane. The epochs of its rings count up together: each has its own name."""

    __slots__ = ("calls", "epoch", "frames", "number", "scenes")

    def __init__(self, number: int) -> None:
        self.number = number
        self.frames, self.scenes = Stream(layout.PIXELS), Stream(layout.SCENE)
        self.epoch = self.calls = 0


class Clock:
    """When frames, or scenes, of one exhibit are due."""

    __slots__ = ("due", "period", "seen_at", "stopped")

    def __init__(self, *, stopped: bool) -> None:
        self.due, self.period = NEVER, 0
        self.stopped = stopped
        """There are none, or making one failed: none is tried."""
        self.seen_at = -1
        """After how many steps of the process the last one was made: after as many, it is not stale."""

    def ask(self, periods: List[int], now: int) -> None:
        """As often as the shortest of these; never where there is none."""
        if self.stopped or not periods:
            self.due = NEVER
            return
        self.period = min(periods)
        # Newly watched: at once. Else a shorter period may bring the next one forward, and a look never puts
        # it off; otherwise looking often would starve a slow viewer.
        if self.due == NEVER:
            self.due, self.seen_at = now, -1
        else:
            self.due = min(self.due, now + self.period)

    def shown(self, began: int) -> None:
        """One was made; the next is due a period after the last one was."""
        if self.due != NEVER:
            self.due = max(self.due + self.period, began + self.period // 2)

    def stop(self) -> None:
        """None from now on."""
        self.stopped, self.due = True, NEVER


class Exhibit:
    """What one call of `render` shows: one environment, or all of a vectorised one."""

    __slots__ = ("env", "frames", "known", "make_scene", "render", "rows", "scenes", "tracks")

    def __init__(
        self,
        rows: List[Row],
        tracks: Sequence[weakref.ref[Track]],
        render: Render,
        make_scene: Optional[MakeScene],
        *,
        drawable: bool,
    ) -> None:
        self.rows, self.tracks, self.render, self.make_scene = rows, tracks, render, make_scene
        self.frames, self.scenes = Clock(stopped=not drawable), Clock(stopped=make_scene is None)
        self.known = make_scene is None
        """Whether it is known if there are scenes: looked up when somebody first watches."""
        self.env: Callable[[], Any] = lambda: None

    @property
    def due(self) -> int:
        """When something of it is due."""
        return min(self.frames.due, self.scenes.due)
