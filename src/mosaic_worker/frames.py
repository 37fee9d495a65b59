"""What this process shows, when, and at what price. Decides; others make frames and move bytes.

While nobody watches, the one thing that happens per step is a look at `wake[0]`, and no frame is ever made.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from mosaic_worker import report
from mosaic_worker.common import layout

if TYPE_CHECKING:
    from mosaic_worker.episodes import Track
    from mosaic_worker.fastlane import Lane, RingFile

__all__ = ["Fitted", "Frames", "frames"]

_now = time.monotonic_ns
_NEVER = 1 << 63
_ASLEEP = b"\0"

Fitted = Tuple[Any, int, int, int, int]
"""Pixels in one contiguous buffer, width, height, channels, flags."""
Render = Callable[[Any], Sequence[Any]]
"""An environment's frames now, one for each of its tracks."""
Fit = Callable[[Any, int, int], Fitted]
"""A frame brought into the lane's form, no larger than asked."""
Remedy = Callable[[Exception], str]
"""What the user can do when rendering failed."""


class _Row:
    """One environment's row in the lane."""

    __slots__ = ("calls", "epoch", "height", "number", "ring", "wanted", "width")

    def __init__(self, number: int) -> None:
        self.number = number
        self.ring: Optional[RingFile] = None
        self.epoch = self.calls = 0
        self.wanted = False
        self.width = self.height = 0


class _Scene:
    """What one call of `render` shows: one environment, or all of a vectorised one."""

    __slots__ = ("due", "env", "failed", "period", "render", "rows", "seen", "tracks")

    def __init__(self, rows: List[_Row], tracks: Sequence[weakref.ref[Track]], render: Render) -> None:
        self.rows, self.tracks, self.render = rows, tracks, render
        self.due, self.period = _NEVER, 0
        self.failed = False
        self.env: Callable[[], Any] = lambda: None
        self.seen = False
        """Whether the last frame shows how it stands now; known only while somebody watches."""


class Frames:
    """The frames of one process.

    Args:
        look_nanos: how often leases are read while somebody watches.
        window_nanos: over how long steps/s are counted.
    """

    def __init__(self, *, look_nanos: int = 50_000_000, window_nanos: int = 500_000_000) -> None:
        self.wake: Any = _ASLEEP
        self.inject = True
        self._look_nanos, self._window_nanos = look_nanos, window_nanos
        self._run_dir = ""
        self._producer: Callable[[], str] = str
        self._fit: Optional[Fit] = None
        self._remedy: Remedy = lambda _: ""
        self._forget()

    def _forget(self) -> None:
        # Threads may reset and step environments side by side. Frames are made outside of the lock.
        self._lock = threading.RLock()
        self._lane: Optional[Lane] = None
        self._scenes: weakref.WeakKeyDictionary[Any, _Scene] = weakref.WeakKeyDictionary()
        self._shown: Dict[int, Tuple[weakref.ref[Any], _Scene]] = {}
        self._look_at = self._free_at = 0
        self._next = 0  # before this there is nothing to look at and nothing due
        self._watched = False
        self._moved = False  # some environment was stepped before a frame of it was due
        self._steps = self._spent = self._window_began = 0
        self._rates = (0.0, 0.0)

    def start(
        self, run_dir: str, *, producer: Callable[[], str], fit: Fit, remedy: Remedy, inject: bool = True
    ) -> None:
        """Belong to a run. Nothing is created before the first environment is reset."""
        self._run_dir, self._producer, self.inject = run_dir, producer, inject
        # Handed in by whoever draws, so that this module knows no environment and no rendering.
        self._fit, self._remedy = fit, remedy

    # ---- environments come and go ----

    def knows(self, owner: Any) -> bool:
        """Whether this track has its rows already. Asked at every reset."""
        return owner in self._scenes or not self._run_dir

    def add(
        self,
        owner: Any,
        tracks: Sequence[Track],
        *,
        render: Render,
        state: int,
        note: str = "",
        env: Any = None,
    ) -> None:
        """List an environment for viewers. Beyond the lane's rows environments are recorded but not shown.

        Args:
            owner: what stands for it; its rows are freed when it is gone.
            tracks: of its episodes, one for each row.
            render: draws it.
            state: whether it can be drawn.
            note: why not, for people.
            env: the environment, for those who show it while nothing is stepped (`settle`).

        Raises:
            OSError: there is no room for a lane.
        """
        with self._lock:
            if owner not in self._scenes:
                self._add(owner, tracks, render, state, note)
                if env is not None:
                    self._scenes[owner].env = weakref.ref(env)

    def _add(self, owner: Any, tracks: Sequence[Track], render: Render, state: int, note: str) -> None:
        lane = self._lane
        if lane is None:
            from mosaic_worker.fastlane import Lane

            lane = self._lane = Lane(self._run_dir, self._producer())
            self.wake = lane.wake
        self._drop_dead()
        taken = {row.number for _, scene in self._shown.values() for row in scene.rows}
        numbers = [number for number in range(layout.ROWS) if number not in taken][: len(tracks)]
        rows = [_Row(number) for number in numbers]
        scene = _Scene(rows, [weakref.ref(track) for track in tracks[: len(rows)]], render)
        scene.failed = state != layout.SHOWN
        self._scenes[owner] = scene
        for row, track in zip(rows, tracks):  # noqa: B905  (3.8 has no strict)
            lane.list_row(row.number, state=state, env_index=track.env_index, group=track.group or "")
        if rows:
            self._shown[rows[0].number] = (weakref.ref(owner), scene)
        if note:
            lane.note(note)

    def leave(self, owner: Any) -> None:
        """An environment was closed: its rows are free again."""
        with self._lock:
            scene = self._scenes.pop(owner, None)
            if scene is not None:
                self._free(scene)

    def _drop_dead(self) -> None:
        for owner, scene in list(self._shown.values()):
            if owner() is None:
                self._free(scene)

    def _free(self, scene: _Scene) -> None:
        for row in scene.rows:
            if self._lane is not None:
                self._lane.set_state(row.number, layout.FREE)
                self._lane.set_epoch(row.number, 0)
            if row.ring is not None:
                row.ring.close()
                row.ring = None
            self._shown.pop(row.number, None)

    # ---- at every step, while somebody watches ----

    def stepped(self, env: Any, owner: Any, count: int = 1) -> None:
        """An environment was stepped, and somebody watches this process. Show it when it is due."""
        try:
            now = _now()
            self._steps += count
            if now < self._next:
                self._moved = True
                return
            if now >= self._look_at:
                with self._lock:
                    self._look(now)
            scene = self._scenes.get(owner)
            if scene is not None:
                scene.seen = False
                if now >= scene.due and now >= self._free_at:
                    self._show(env, scene, now)
            soonest = min([scene.due for _, scene in list(self._shown.values())], default=_NEVER)
            self._next = min(self._look_at, max(soonest, self._free_at))
        except Exception as error:  # noqa: BLE001  (the hook boundary, inlined: see report.guard)
            report.caught("showing frames", error)

    def settle(self) -> None:
        """Nothing is stepped until somebody decides: show at once what watchers have not seen yet."""
        if not self.wake[0]:
            return
        try:
            now = _now()
            if now >= self._look_at:
                with self._lock:
                    self._look(now)
            moved, self._moved = self._moved, False
            for _, scene in list(self._shown.values()):
                env = scene.env()
                if env is not None and (moved or not scene.seen) and scene.due != _NEVER:
                    self._show(env, scene, _now())
        except Exception as error:  # noqa: BLE001  (as above)
            report.caught("showing frames", error)

    def _look(self, now: int) -> None:
        """Read the leases, and say for each scene when it is due next."""
        lane = self._lane
        if lane is None:
            return
        self._look_at = now + self._look_nanos
        leases = list(lane.leases(now))
        if not leases:
            # SYNC: cleared, then looked again: a lease that came between is seen here, or at its renewal.
            # Cleared, every further step costs one look at `wake[0]` until a viewer sets it again.
            lane.wake[0] = 0
            leases = list(lane.leases(now))
            if leases:
                lane.wake[0] = 1
        if not self._watched and leases:
            # Steps made while nobody watched are not counted: the first steps/s shown would be theirs.
            self._steps = self._spent = 0
            self._window_began = now
            self._rates = (0.0, 0.0)
        self._watched = bool(leases)
        self._drop_dead()
        for _, scene in self._shown.values():
            periods: List[int] = []
            for row in scene.rows:
                mine = [lease for lease in leases if lease.rows >> row.number & 1]
                row.wanted = bool(mine)
                # One ring serves all viewers of a row: it is as large, and as quick, as the most demanding
                # of them asks. The others read it less often, or shrink what they get.
                row.width = max((lease.width for lease in mine), default=0)
                row.height = max((lease.height for lease in mine), default=0)
                periods.extend(lease.period_nanos for lease in mine)
            if scene.failed or not periods:
                scene.due = _NEVER
            else:
                scene.period = min(periods)
                # Newly watched: at once. Else a shorter period may bring the next frame forward, and a look
                # never puts it off; otherwise looking often would starve a slow viewer.
                scene.seen = scene.seen and scene.due != _NEVER
                scene.due = min(scene.due, now + scene.period) if scene.due != _NEVER else now

    def _show(self, env: Any, scene: _Scene, began: int) -> None:
        lane, fit = self._lane, self._fit
        if lane is None or fit is None:
            return
        scene.seen = True
        try:
            drawn = scene.render(env)
            render_secs = (_now() - began) / 1e9
            for row, reference, frame in zip(scene.rows, scene.tracks, drawn):  # noqa: B905
                row.calls += 1
                lane.count_call(row.number, row.calls)
                track = reference()
                if row.wanted and track is not None:
                    self._publish(lane, row, track, fit(frame, row.width, row.height), render_secs)
        except Exception as error:  # noqa: BLE001  (the environment's own code: it may raise anything)
            self._fail(lane, scene, error)
        done = _now()
        spent = done - began
        self._spent += spent
        # Never more than half of the time: as long as the frame took, the training has now for itself.
        self._free_at = done + spent
        scene.due = max(scene.due + scene.period, began + scene.period // 2)
        if done - self._window_began >= self._window_nanos:
            elapsed = done - self._window_began
            free = max(elapsed - self._spent, 1)
            self._rates = (self._steps * 1e9 / elapsed, self._steps * 1e9 / free)
            self._steps = self._spent = 0
            self._window_began = done

    def _publish(self, lane: Lane, row: _Row, track: Track, frame: Fitted, render_secs: float) -> None:
        pixels, width, height, channels, flags = frame
        ring = row.ring
        length = width * height * channels
        if ring is None or ring.writer.pixel_bytes < length:
            row.epoch += 1
            fresh = lane.new_ring(row.number, pixel_bytes=length, epoch=row.epoch)
            lane.set_epoch(row.number, row.epoch)
            if ring is not None:
                ring.close()
            ring = row.ring = fresh
        ring.writer.publish(
            pixels, width, height, channels, flags=flags, episode=max(track.shared.episodes - 1, 0),
            step=track.step_count, reward=track.reward, total=track.total, rate=self._rates[0],
            free_rate=self._rates[1], render_secs=render_secs, env_index=track.env_index, row=row.number,
            episode_id=track.episode_id.encode()[:64],
        )  # fmt: skip

    def _fail(self, lane: Lane, scene: _Scene, error: Exception) -> None:
        """Give this scene up, say why once, and never call its `render` again."""
        scene.failed = True
        scene.due = _NEVER
        said = f"no frames: rendering failed ({type(error).__name__}: {error}). {self._remedy(error)}"
        for row in scene.rows:
            lane.set_state(row.number, layout.FAILED)
        lane.note(said)
        report.once(f"{said} The training runs on.")

    # ---- the end, and forks ----

    def close(self) -> None:
        """Take everything away. Twice is fine."""
        self._end(unlink=True)

    def after_fork_in_child(self) -> None:
        """Let go of what is the parent's; the child makes a lane of its own at its first reset."""
        self._end(unlink=False)

    def _end(self, *, unlink: bool) -> None:
        self.wake = _ASLEEP
        for _, scene in self._shown.values():
            for row in scene.rows:
                if row.ring is not None:
                    row.ring.close(unlink=unlink)
        lane = self._lane
        self._forget()
        if lane is not None:
            lane.close(unlink=unlink)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _the_frames, ()  # see Recorder.__reduce__


def _the_frames() -> Frames:
    return frames


frames = Frames()
"""The one of this process."""
