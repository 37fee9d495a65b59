"""What the live view shows and why: one run's newest frames, or the reason there are none. Qt-free.

Watches only while it is wanted: not hidden, not paused, run not ended. Otherwise it holds no lease, so that
the run renders nothing for us.
"""

from __future__ import annotations

import enum
import math
import time
from typing import TYPE_CHECKING, NamedTuple

from mosaic.fastlane.lane import Lease
from mosaic.fastlane.reader import Frame, LiveScene
from mosaic.fastlane.tiles import tile
from mosaic.fastlane.viewer import Viewer
from mosaic.protocol.runs import ENDED, RunState
from mosaic.text import count, number, speed
from mosaic.ui.shell.model.signal import Signal
from mosaic.ui.shell.model.views import FRAME, Views, offered
from mosaic.ui.shell.model.words import sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunRow
    from mosaic_worker.common.scene import Scene

__all__ = ["Live", "OnScreen", "Phase", "Said", "hud"]

MOST_ENVS = 64
_LOOK_SECS = 0.2
_WHOLE_ENVS = 4
_GRID_SIDE = 1200
_WAITING = frozenset({RunState.QUEUED, RunState.STARTING})


class Phase(enum.Enum):
    """What there is to see."""

    NO_RUN = "no run"
    NOT_STARTED = "not started"
    WAITING = "waiting"
    NO_FRAME = "no frame"
    SHOWING = "showing"
    HELD = "viewing paused"
    ENDED = "ended"


class Said(NamedTuple):
    """A phase in words: a title and a sentence."""

    title: str
    text: str


class OnScreen(NamedTuple):
    """What is on screen: pixels of three channels, and the frames they are made of, in reading order.

    Or a scene: of several environments that of the first.
    """

    pixels: npt.NDArray[np.uint8] | None
    frames: tuple[Frame | LiveScene, ...]
    scene: Scene | None = None

    @property
    def newest(self) -> Frame | LiveScene:
        """The frame that was drawn last."""
        return max(self.frames, key=lambda frame: frame.monotonic_nanos)


class Live:
    """One run being watched. `changed` says that anything but the frame changed; `tick` says the latter.

    Args:
        root: the data root.
        fps: how many frames a second are asked for.
        most: how many environments are shown at once; at most `MOST_ENVS`.
        settle_secs: how long the first frame of a grid waits until it is whole.
        lease_secs: how long a busy window may fail to renew its lease before the run stops drawing for it.
        views: which view was chosen for which environment.
    """

    def __init__(
        self,
        root: DataRoot,
        *,
        fps: float = 30.0,
        most: int = 16,
        settle_secs: float = 1.0,
        lease_secs: float = 3.0,
        now_secs: Callable[[], float] = time.monotonic,
        views: Views | None = None,
    ) -> None:
        self.views = Views() if views is None else views
        self.offered: tuple[str, ...] = ()
        """The views there are of what is watched."""
        self.changed: Signal[[]] = Signal()
        self.on_screen: OnScreen | None = None
        self.fps = fps
        self.most = most
        self.env: int | None = None
        self.held = False
        self.envs: list[int] = []
        self.notes: list[str] = []
        self._root = root
        self._settle_secs, self._lease_secs = settle_secs, lease_secs
        self._now = now_secs
        self._row: RunRow | None = None
        self._wanted = False
        self._viewer: Viewer | None = None
        self._newest: dict[tuple[str, int], Frame | LiveScene] = {}
        self._first_at: float | None = None
        self._seen = 0
        self._look_at = 0.0
        self.views.changed.connect(self._keep_to_view)

    # ---- what is asked of it ----

    def show(self, row: RunRow | None) -> None:
        """Watch this run; the same run again only brings its new state."""
        before, self._row = self._row, row
        if row is None or before is None or row.run_id != before.run_id:
            self._let_go()
            self.on_screen, self.envs, self.notes, self.env, self._seen = None, [], [], None, 0
            self.offered = ()
        self._settle()

    def want(self, wanted: bool) -> None:
        """Whether anybody could see a frame."""
        self._wanted = wanted
        self._settle()

    def hold(self, held: bool) -> None:
        """Pause viewing, or go on. The run is not touched."""
        self.held = held
        self._settle()

    def choose(self, *, env: int | None, most: int | None = None) -> None:
        """One environment, or all, at most so many, as a grid."""
        self.env = env
        self.most = self.most if most is None else min(max(1, most), MOST_ENVS)
        self._again()

    @property
    def view(self) -> str:
        """What is shown: the frame, the scene, or the scene as text."""
        return self.views.of(self._names(), self.offered)

    def choose_view(self, view: str) -> None:
        """Another view of this environment, wherever it is shown. What is on screen stays until it comes."""
        self.views.choose(self._names(), view)

    def choose_next_view(self) -> None:
        """The next view there is."""
        self.views.choose_next(self._names(), self.offered)

    def _names(self) -> tuple[str, ...]:
        row = self._row
        return () if row is None else (*row.env_ids[:1], row.run_id)

    def _keep_to_view(self) -> None:
        """Ask for scenes or frames, as the view needs."""
        viewer = self._viewer
        if viewer is not None and viewer.lease.scenes != (self.view != FRAME):
            self._let_go()
        self._settle()

    def limit(self, fps: float) -> None:
        """At most so many frames a second."""
        self.fps = min(max(fps, 0.5), 240.0)
        if self._viewer is not None:
            self._viewer.lease = self._lease(len(self._viewer.watched))
        self.changed.emit()

    def _again(self) -> None:
        self._let_go()
        self.on_screen = None
        self._settle()

    def _settle(self) -> None:
        """Watch or not, as things stand."""
        watch = self._wanted and not self.held and self._row is not None and self._row.state not in ENDED
        if not watch:
            self._let_go()
        elif self._viewer is None and self._row is not None:
            run = self._root.run(self._row.run_id)
            self._viewer = Viewer(
                run, lease=self._lease(0), env=self.env, most=self.most, lease_secs=self._lease_secs
            )
        self.changed.emit()

    def _let_go(self) -> None:
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None
        self._newest, self._first_at = {}, None

    def close(self) -> None:
        """Take the lease back. Twice is fine."""
        self._let_go()

    # ---- what comes ----

    @property
    def watching(self) -> bool:
        """Whether we hold a lease, or would if there were something to see."""
        return self._viewer is not None

    def tick(self) -> bool:
        """Renew the lease and take what came; whether there is a new frame. Never waits."""
        if self._viewer is None:
            return False
        self._viewer.tick()
        came: dict[tuple[str, int], Frame | LiveScene] = {}
        came.update(self._viewer.frames())
        came.update(self._viewer.scenes())
        if self._now() >= self._look_at:
            self._look_at = self._now() + _LOOK_SECS
            self._look(self._viewer)
        if not came or self._viewer is None:
            return False
        self._newest.update(came)
        keys = [one.key for one in self._viewer.watched]
        shown = [self._newest[key] for key in keys if key in self._newest]
        now = self._now()
        self._first_at = now if self._first_at is None else self._first_at
        if not shown or (len(shown) < len(keys) and now < self._first_at + self._settle_secs):
            return False  # the first frame of a grid waits a moment until it is whole
        first = self.on_screen is None
        self.on_screen = _on_screen(shown)
        if first:
            self.changed.emit()
        return True

    def _lease(self, shown: int) -> Lease:
        """How often and how large; the frames of a large grid are no larger than they can be seen."""
        side = 0 if shown <= _WHOLE_ENVS else _GRID_SIDE // math.ceil(math.sqrt(shown))
        return Lease(fps=self.fps, width=side, height=side, scenes=self.view != FRAME)

    def _look(self, viewer: Viewer) -> None:
        viewer.lease = self._lease(len(viewer.watched))._replace(scenes=viewer.lease.scenes)
        there = offered(frames=viewer.has_frames(), scenes=viewer.has_scenes())
        if there != self.offered:
            self.offered = there
            self._keep_to_view()
        envs, notes, seen = viewer.indices(), viewer.notes(), viewer.count()
        if (envs, notes, seen > 0) != (self.envs, self.notes, self._seen > 0):
            self.envs, self.notes, self._seen = envs, notes, seen
            self.changed.emit()
        self._seen = seen

    # ---- in words ----

    @property
    def run_id(self) -> str | None:
        """The run that is shown."""
        return None if self._row is None else self._row.run_id

    @property
    def phase(self) -> Phase:
        """What there is to see now."""
        if self._row is None:
            return Phase.NO_RUN
        if self._row.state in ENDED:
            return Phase.ENDED
        if self.held:
            return Phase.HELD
        if self.on_screen is not None:
            return Phase.SHOWING
        if self._row.state in _WAITING:
            return Phase.NOT_STARTED
        return Phase.NO_FRAME if self.notes and not self._shown() else Phase.WAITING

    def _shown(self) -> bool:
        return self._viewer is not None and bool(self._viewer.watched)

    def said(self) -> Said:
        """The phase in words."""
        row, phase = self._row, self.phase
        if row is None:
            return Said("No run to watch", "Choose a run in the list, or launch one.")
        last = " Below is its last frame." if self.on_screen is not None else ""
        said = {
            Phase.ENDED: Said(
                f"This run has {_ended(row)}", f"There is nothing live to watch any more.{last}"
            ),
            Phase.HELD: Said(
                "Viewing is paused", "The run goes on and renders nothing. Press Space to watch again."
            ),
            Phase.NOT_STARTED: Said(
                f"The run is {row.state.value}", sentence(row.reason) or "It has no process yet."
            ),
            Phase.NO_FRAME: Said("No frame", "; ".join(self.notes)),
        }
        return said.get(phase) or self._waiting(row)

    def _waiting(self, row: RunRow) -> Said:
        if row.state is RunState.PAUSED:
            return Said("The run is paused", f"{sentence(row.reason)} Frames come when it goes on.".lstrip())
        if not self._seen:
            return Said(
                "Waiting for the first reset",
                "No process of this run has reset an environment yet. Its frames appear here when one does.",
            )
        if self.env is not None and not self._shown():
            return Said(
                f"No environment {self.env}", "The run has no frame at this position now. Choose another."
            )
        return Said("Waiting for the next step", "The environment is drawn at its next step.")


def _on_screen(shown: list[Frame | LiveScene]) -> OnScreen:
    scenes = [one.scene for one in shown if isinstance(one, LiveScene)]
    if scenes:
        return OnScreen(None, tuple(shown), scenes[0])
    return OnScreen(tile([one.pixels for one in shown if isinstance(one, Frame)]), tuple(shown))


def _ended(row: RunRow) -> str:
    if row.state is RunState.STOPPED:
        return f"been {row.state.value}"
    itself = row.state in (RunState.FINISHED, RunState.FAILED)
    return row.state.value if itself else "gone: nothing of it runs any more"


def hud(shown: OnScreen, *, now_nanos: int) -> list[tuple[str, str]]:
    """The numbers beside a frame, each with its name: those of the frame drawn last."""
    newest = shown.newest
    about = newest.hud
    if isinstance(newest, Frame):
        height, width = newest.pixels.shape[:2]
        size = f"{width} x {height}"
    else:
        size = f"{int(newest.scene.width)} x {int(newest.scene.height)} cells"  # labels are parts of one
    several = len(shown.frames) > 1
    age_millis = max(0.0, (now_nanos - newest.monotonic_nanos) / 1e6)
    return [
        (
            "Environment",
            f"{about.env_index} (of {len(shown.frames)})" if several else str(about.env_index),
        ),
        ("Episode", count(about.episode)),
        ("Step", count(about.step)),
        ("Reward", number(about.reward)),
        ("Return", number(about.total)),
        ("Steps/s", speed(about.rate) if about.rate else "measuring"),
        ("Unwatched", speed(about.free_rate) if about.rate else "-"),
        ("Price", _price(about.rate, about.free_rate)),
        ("Render", f"{about.render_secs * 1e3:.1f} ms"),
        ("Age", f"{age_millis:.0f} ms" if age_millis < 10_000 else f"{age_millis / 1e3:.0f} s"),
        ("Size", size),
    ]


def _price(rate: float, free_rate: float) -> str:
    """How much of its speed the run gives for being watched."""
    if rate <= 0 or free_rate <= 0:
        return "-"
    return f"{max(0.0, 1.0 - rate / free_rate) * 100:.1f} %"
