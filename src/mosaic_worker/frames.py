"""What this process shows, when, and at what price. Decides; others make frames and scenes, and move bytes.

While nobody watches, the one thing that happens per step is a look at `wake[0]`, and no frame is ever made.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from mosaic_worker import report
from mosaic_worker.common import layout
from mosaic_worker.exhibits import NEVER, Exhibit, MakeScene, Render, Row, Stream

if TYPE_CHECKING:
    from mosaic_worker.episodes import Track
    from mosaic_worker.fastlane import Lane

__all__ = ["Fitted", "Frames", "frames"]

_now = time.monotonic_ns
_ASLEEP = b"\0"

Fitted = Tuple[Any, int, int, int, int]
"""Pixels in one contiguous buffer, width, height, channels, flags."""
Fit = Callable[[Any, int, int], Fitted]
"""A frame brought into the lane's form, no larger than asked."""
Remedy = Callable[[Exception], str]
"""What the user can do when rendering failed."""


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
        self._exhibits: weakref.WeakKeyDictionary[Any, Exhibit] = weakref.WeakKeyDictionary()
        self._shown: Dict[int, Tuple[weakref.ref[Any], Exhibit]] = {}
        self._look_at = self._free_at = 0
        self._next = 0  # before this there is nothing to look at and nothing due
        self._watched = False
        self._steps = self._spent = self._window_began = 0
        self._calls = 0  # of `stepped`: what was made at another number is stale
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
        return owner in self._exhibits or not self._run_dir

    def add(
        self,
        owner: Any,
        tracks: Sequence[Track],
        *,
        render: Render,
        state: int,
        note: str = "",
        env: Any = None,
        make_scene: Optional[MakeScene] = None,
    ) -> None:
        """List an environment for viewers. Beyond the lane's rows environments are recorded but not shown.

        Args:
            owner: what stands for it; its rows are freed when it is gone.
            tracks: of its episodes, one for each row.
            render: draws it.
            state: whether it can be drawn.
            note: why not, for people.
            env: the environment, for those who show it while nothing is stepped (`settle`).
            make_scene: tells what is there; None where nobody can.

        Raises:
            OSError: there is no room for a lane.
        """
        with self._lock:
            if owner not in self._exhibits:
                exhibit = self._add(owner, tracks, render, make_scene, state)
                if env is not None:
                    exhibit.env = weakref.ref(env)
                if note and self._lane is not None:
                    self._lane.note(note)

    def _add(
        self, owner: Any, tracks: Sequence[Track], render: Render, make_scene: Optional[MakeScene], state: int
    ) -> Exhibit:
        lane = self._lane
        if lane is None:
            from mosaic_worker.fastlane import Lane

            lane = self._lane = Lane(self._run_dir, self._producer())
            self.wake = lane.wake
        self._drop_dead()
        taken = {row.number for _, exhibit in self._shown.values() for row in exhibit.rows}
        numbers = [number for number in range(layout.ROWS) if number not in taken][: len(tracks)]
        rows = [Row(number) for number in numbers]
        references = [weakref.ref(track) for track in tracks[: len(rows)]]
        exhibit = Exhibit(rows, references, render, make_scene, drawable=state == layout.SHOWN)
        self._exhibits[owner] = exhibit
        scenes = layout.NO_SCENES if make_scene is None else layout.NOT_ASKED
        for row, track in zip(rows, tracks):  # noqa: B905  (3.8 has no strict)
            lane.list_row(
                row.number, state=state, env_index=track.env_index, group=track.group or "", scenes=scenes
            )
        if rows:
            self._shown[rows[0].number] = (weakref.ref(owner), exhibit)
        return exhibit

    def leave(self, owner: Any) -> None:
        """An environment was closed: its rows are free again."""
        with self._lock:
            exhibit = self._exhibits.pop(owner, None)
            if exhibit is not None:
                self._free(exhibit)

    def _drop_dead(self) -> None:
        for owner, exhibit in list(self._shown.values()):
            if owner() is None:
                self._free(exhibit)

    def _free(self, exhibit: Exhibit) -> None:
        for row in exhibit.rows:
            if self._lane is not None:
                self._lane.set_state(row.number, layout.FREE)
            for stream in (row.frames, row.scenes):
                if self._lane is not None:
                    self._lane.set_epoch(row.number, 0, kind=stream.kind)
                stream.close()
            self._shown.pop(row.number, None)

    # ---- at every step, while somebody watches ----

    def stepped(self, env: Any, owner: Any, count: int = 1) -> None:
        """An environment was stepped, and somebody watches this process. Show it when it is due."""
        try:
            now = _now()
            self._steps += count
            self._calls += 1
            if now < self._next:
                return
            if now >= self._look_at:
                with self._lock:
                    self._look(now)
            exhibit = self._exhibits.get(owner)
            if exhibit is not None and now >= exhibit.due and now >= self._free_at:
                self._show(env, exhibit, now)
            soonest = min([exhibit.due for _, exhibit in list(self._shown.values())], default=NEVER)
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
            for _, exhibit in list(self._shown.values()):
                env = exhibit.env()
                for clock in (exhibit.frames, exhibit.scenes):
                    if env is not None and clock.seen_at != self._calls and clock.due != NEVER:
                        clock.due = min(clock.due, now)
                if env is not None and exhibit.due <= now:
                    self._show(env, exhibit, now)
        except Exception as error:  # noqa: BLE001  (as above)
            report.caught("showing frames", error)

    def _look(self, now: int) -> None:
        """Read the leases, and say for each exhibit when it is due next."""
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
        for _, exhibit in self._shown.values():
            frames: List[int] = []
            scenes: List[int] = []
            asked = False
            for row in exhibit.rows:
                mine = [lease for lease in leases if lease.rows >> row.number & 1]
                asked = asked or bool(mine)
                frames += row.frames.ask(mine)
                scenes += row.scenes.ask(mine)
            exhibit.frames.ask(frames, now)
            exhibit.scenes.ask(scenes, now)
            if asked and not exhibit.known:
                exhibit.scenes.due = now  # one is made to see whether there are any

    def _show(self, env: Any, exhibit: Exhibit, began: int) -> None:
        """Make what is due, and let the training have as long for itself."""
        lane, fit = self._lane, self._fit
        if lane is None or fit is None:
            return
        if began >= exhibit.scenes.due:
            self._show_scene(lane, env, exhibit, began)
        if began >= exhibit.frames.due:
            self._show_frames(lane, fit, env, exhibit, began)
        done = _now()
        spent = done - began
        self._spent += spent
        # Never more than half of the time: as long as the frame took, the training has now for itself.
        self._free_at = done + spent
        if done - self._window_began >= self._window_nanos:
            elapsed = done - self._window_began
            free = max(elapsed - self._spent, 1)
            self._rates = (self._steps * 1e9 / elapsed, self._steps * 1e9 / free)
            self._steps = self._spent = 0
            self._window_began = done

    def _show_frames(self, lane: Lane, fit: Fit, env: Any, exhibit: Exhibit, began: int) -> None:
        exhibit.frames.seen_at = self._calls
        try:
            before = _now()
            drawn = exhibit.render(env)
            render_secs = (_now() - before) / 1e9
            for row, reference, frame in zip(exhibit.rows, exhibit.tracks, drawn):  # noqa: B905
                row.calls += 1
                lane.count_call(row.number, row.calls)
                track = reference()
                if row.frames.wanted and track is not None:
                    fitted = fit(frame, row.frames.width, row.frames.height)
                    self._publish(lane, row, row.frames, track=track, frame=fitted, secs=render_secs)
        except Exception as error:  # noqa: BLE001  (the environment's own code: it may raise anything)
            self._fail(lane, exhibit, error)
        exhibit.frames.shown(began)

    def _show_scene(self, lane: Lane, env: Any, exhibit: Exhibit, began: int) -> None:
        if exhibit.make_scene is None:
            return
        exhibit.scenes.seen_at = self._calls
        data: Optional[bytes] = None
        with report.guard("making a scene"):
            data = exhibit.make_scene(env, getattr(exhibit.tracks[0](), "last", None))
        secs = (_now() - began) / 1e9
        if data is None or not exhibit.known:
            exhibit.known = True
            for row in exhibit.rows:
                lane.set_scenes(row.number, layout.NO_SCENES if data is None else layout.HAS_SCENES)
        if data is None:
            exhibit.scenes.stop()
            return
        wanted = False
        for row, reference in zip(exhibit.rows, exhibit.tracks):  # noqa: B905
            track = reference()
            if row.scenes.wanted and track is not None:
                wanted = True
                self._publish(lane, row, row.scenes, track=track, frame=(data, 0, 0, 0, 0), secs=secs)
        if wanted:
            exhibit.scenes.shown(began)
        else:
            exhibit.scenes.due = NEVER

    def _publish(
        self, lane: Lane, row: Row, stream: Stream, *, track: Track, frame: Fitted, secs: float
    ) -> None:
        pixels, width, height, channels, flags = frame
        ring, drawn = stream.ring, stream.kind == layout.PIXELS
        length = width * height * channels if drawn else len(pixels)
        if ring is None or ring.writer.pixel_bytes < length:
            row.epoch += 1
            # Scenes grow: not a new ring for each that is a bit larger.
            room = length if drawn else 2 * length
            fresh = lane.new_ring(row.number, pixel_bytes=room, epoch=row.epoch)
            lane.set_epoch(row.number, row.epoch, kind=stream.kind)
            if ring is not None:
                ring.close()
            ring = stream.ring = fresh
        ring.writer.publish(
            pixels, width, height, channels, kind=stream.kind, flags=flags,
            episode=max(track.shared.episodes - 1, 0), step=track.step_count, reward=track.reward,
            total=track.total, rate=self._rates[0], free_rate=self._rates[1], render_secs=secs,
            env_index=track.env_index, row=row.number, episode_id=track.episode_id.encode()[:64],
        )  # fmt: skip

    def _fail(self, lane: Lane, exhibit: Exhibit, error: Exception) -> None:
        """Give the frames of this exhibit up, say why once, and never call its `render` again."""
        exhibit.frames.stop()
        said = f"no frames: rendering failed ({type(error).__name__}: {error}). {self._remedy(error)}"
        for row in exhibit.rows:
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
        for _, exhibit in self._shown.values():
            for row in exhibit.rows:
                row.frames.close(unlink=unlink)
                row.scenes.close(unlink=unlink)
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
