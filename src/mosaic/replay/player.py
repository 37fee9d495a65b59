"""One recorded episode to be looked at: any step, forwards and backwards. For desktop, CLI and scripts.

Frames are numbered 0 (after the reset) to n (after the last of n steps). Calls block, and may be made
from any one thread at a time; `cancel` may be called from any other.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from mosaic.errors import ReplayCancelledError, ReplayError, UsageError
from mosaic.protocol.events import DECISION
from mosaic.replay.cache import Frame, FrameCache
from mosaic.replay.resimulator import Resimulator
from mosaic.replay.verdicts import CANNOT
from mosaic.store.reader import StoreReader
from mosaic_worker.common.scene import SceneError, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StepRow
    from mosaic.replay.verdicts import Verdict
    from mosaic_worker.common.scene import Scene

__all__ = ["Player", "open_episode"]

_AHEAD_SECS = 0.25
"""How long fetching frames ahead may keep the one that was asked for waiting."""


def open_episode(folder: RunFolder, episode: int | str, **options: Any) -> Player:
    """Open an episode of a run, by index or id; `options` are those of `Player`."""
    return Player(folder, episode, **options)


class Player:
    """An open episode. A context manager.

    Args:
        folder: the run.
        episode: its index or id.
        allowed: modules that may be imported for its environment, besides the known libraries.
        python: the interpreter to use instead of the recorded one.
        cache_bytes: how many bytes of frames are kept in memory.
        block: how many frames are fetched at once.
        silence_secs: how long the child may say nothing while it works.
        progress: called with (done, of) while the episode is opened; what it raises ends the opening.
        opening: given this player before the episode is opened, so that another thread may cancel it.

    Raises:
        UsageError: there is no such episode.
        ReplayError: it cannot be replayed at all; says why.
        ConsentNeededError: a module would have to be allowed first.
    """

    def __init__(
        self,
        folder: RunFolder,
        episode: int | str,
        *,
        allowed: Sequence[str] = (),
        python: str | None = None,
        cache_bytes: int = 128 << 20,
        block: int = 16,
        silence_secs: float = 120.0,
        progress: Callable[[int, int], None] | None = None,
        opening: Callable[[Player], None] | None = None,
    ) -> None:
        self._reader = StoreReader(folder)
        self._resimulator = Resimulator(
            folder, self._reader, allowed=allowed, python=python, silence_secs=silence_secs
        )
        self._cache = FrameCache(limit_bytes=cache_bytes)
        self._block, self._ahead = block, 1
        self._stop = threading.Event()
        self._last = 0
        if opening is not None:
            opening(self)
        try:
            self.row = self._reader.episode(episode)
            self.environment: dict[str, Any] = self._reader.reset(self.row.index).get("env") or {}
            if self._stop.is_set():
                raise ReplayCancelledError("the replay was cancelled")  # noqa: TRY301
            self.verdict: Verdict = self._resimulator.judge(self.row, seekable=True, progress=progress)
            if self.verdict.status == CANNOT:
                raise ReplayError(f"episode {self.row.index} {self.verdict.sentence()}")  # noqa: TRY301
            self._rows: list[StepRow] = self._reader.steps(self.row.index)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child, close the store. Twice is fine."""
        self._resimulator.close()
        self._reader.close()

    def cancel(self) -> None:
        """Make what is under way end with `ReplayCancelledError`, from any thread. Then close the player."""
        self._stop.set()
        self._resimulator.cancel()

    @property
    def steps(self) -> int:
        """How many steps the episode has: its frames are 0 to this."""
        return len(self._rows)

    @property
    def recorded(self) -> list[StepRow]:
        """The recorded steps: the k-th of them led to frame k + 1."""
        return self._rows

    def seek(self, step: int) -> StepRow | None:
        """Go to a step: fetches its frame, returns the recorded step that led to it (None for 0)."""
        self.frame(step)
        return self._rows[step - 1] if step else None

    def frame(self, step: int) -> Frame:
        """The frame after `step` steps.

        Raises:
            UsageError: the episode has no such step.
            ReplayError: there is no frame; says why.
        """
        self._check(step)
        found = self._cache.get(step)
        if found is None:
            found = self._fetch(step)
        if found is None:
            raise ReplayError("the replay process did not send the frame")
        self._last = step
        return found

    @property
    def has_scene(self) -> bool:
        """Whether MOSAIC has a scene of this environment."""
        return self._resimulator.has_scene

    @property
    def has_frames(self) -> bool:
        """Whether the environment was made so that it can be drawn."""
        return self._resimulator.drawable

    @property
    def env_name(self) -> str:
        """What the environment is called: its id, or its class."""
        return str(self.environment.get("id") or self.row.env_id or "this environment")

    def scene(self, step: int) -> Scene | None:
        """What is there after `step` steps, without pixels; None where MOSAIC has no scene of it.

        Raises:
            UsageError: the episode has no such step.
            ReplayError: what the replay process sent is not a scene.
        """
        self._check(step)
        if self._stop.is_set():
            raise ReplayCancelledError("the replay was cancelled")
        found = list(self._resimulator.scenes(self.row, [step]))
        if not found:
            raise ReplayError("the replay process did not send the scene")
        body = found[0][2]
        try:
            return decode(body) if body else None
        except SceneError as error:
            raise ReplayError(f"step {step} of episode {self.row.index}: {error}") from error

    def decisions(self) -> list[bytes]:
        """The recorded decisions of this episode as JSON, in the order they were made."""
        return [event for _, _, event in self._reader.events(DECISION, episode=self.row.index)]

    def _check(self, step: int) -> None:
        if not 0 <= step <= self.steps:
            raise UsageError(f"episode {self.row.index} has the frames 0 to {self.steps}, not {step}")

    def _around(self, step: int) -> list[int]:
        """What to fetch with a step: what comes before it on the way back, after it on the way on."""
        if step == self._last - 1:
            wanted = range(max(0, step - self._ahead + 1), step + 1)
        elif step == self._last + 1:
            wanted = range(step, min(self.steps, step + self._ahead - 1) + 1)
        else:
            wanted = range(step, step + 1)
        return [one for one in wanted if one == step or self._cache.get(one) is None]

    def _fetch(self, wanted: int) -> Frame | None:
        """Have a frame, and its neighbours with it, drawn; all are kept as far as there is room."""
        found = None
        if self._stop.is_set():
            raise ReplayCancelledError("the replay was cancelled")
        begun = time.monotonic()
        for step, header, body in self._resimulator.draw(self.row, self._around(wanted)):
            width, height = int(header.get("width", 0)), int(header.get("height", 0))
            if not body:
                raise ReplayError(
                    f"episode {self.row.index} has no frame: {header.get('why', 'none was drawn')}"
                )
            if len(body) != width * height * 3:
                raise ReplayError(f"a frame of {width} x {height} has {len(body)} bytes")
            frame = Frame(step, width, height, body, bool(header.get("differs")))
            self._cache.put(frame)
            each_secs, begun = time.monotonic() - begun, time.monotonic()
            in_time = int(_AHEAD_SECS / max(each_secs, 1e-6))
            self._ahead = max(1, min(self._block, in_time, self._cache.room_for(len(body)) // 2))
            found = frame if step == wanted else found
        return found

    def play(
        self, speed: float = 1.0, *, start: int = 0, stop: int | None = None, fps: float | None = None
    ) -> Iterator[Frame]:
        """Frames one after the other, at the environment's pace times `speed`; backwards when negative.

        A frame that comes late is not left out. Speed 0 means as fast as they come.
        """
        last = self.steps if stop is None else min(stop, self.steps)
        steps: Sequence[int] = range(start, last + 1)
        if speed < 0:
            steps = range(last if start == 0 else start, (stop or 0) - 1, -1)
        pause = 0.0 if speed == 0 else 1.0 / ((fps or self.fps) * abs(speed))
        due = time.monotonic()
        for step in steps:
            frame = self.frame(step)
            if self._stop.wait(max(0.0, due - time.monotonic())):
                raise ReplayCancelledError("the replay was cancelled")
            yield frame
            due = max(due + pause, time.monotonic())

    @property
    def fps(self) -> float:
        """The pace the environment asked for when it was recorded, or asks for now, or 30; at most 240."""
        asked = self.environment.get("render_fps")
        if not isinstance(asked, int | float) or asked <= 0:
            asked = self._resimulator.render_fps or 30.0
        return min(float(asked), 240.0)
