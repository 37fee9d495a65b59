"""The README's moving picture: the real desktop on a screen of its own, driven by keys, filmed from outside.

`make recording` writes `docs/images/desktop.gif`. Two trainings are finished beforehand; a third is started
in the window and watched while its curve grows, and its best episode is replayed. The program is used as a
person uses it: mouse and keys go into the window, frames are read from the screen's memory (Xvfb). One take,
in real time; only where nothing moves, time is cut. Run it on a quiet machine, and look at the result.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "docs")]

from screenshots import python_in, short_place  # noqa: E402

import mosaic  # noqa: E402
from mosaic.paths import DataRoot  # noqa: E402
from tests.daemons import running_daemon  # noqa: E402
from tests.ui.journey.desk import Desk, xvfb  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

TARGET = ROOT / "docs" / "images" / "desktop.gif"
SIZE = (1280, 800)
SHOWN = (960, 600)
FRAMES_PER_SEC = 5
COLOURS = (128, 96, 64)
"""The first that makes the file small enough. With fewer, the taxi would be grey."""
FEWEST_FRAMES = 45
CARET_PIXELS = 60
MOST_STILL_MILLIS = 1400
MOST_BYTES = 1_500_000
LIMIT_SECS = 120.0
STEPS = 200_000
WATCHED_SECS = 7.5

Pixels = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


class Camera:
    """Looks at a screen's memory `FRAMES_PER_SEC` times a second while it rolls.

    What stands still, but for a blinking caret, is one frame of `MOST_STILL_MILLIS` at most.
    """

    def __init__(self, screen: Path) -> None:
        self._screen = screen
        self._rolling = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.frames: list[tuple[Image.Image, int]] = []
        """Each with its milliseconds."""

    def roll(self) -> None:
        """From here on, everything is in the film."""
        self._rolling.set()

    def until_still(self, secs: float = 2.0) -> None:
        """Wait until the screen has not changed for a while: all has been drawn."""
        seen, since, end = self._look(), time.monotonic(), time.monotonic() + LIMIT_SECS
        while time.monotonic() < min(since + secs, end):
            time.sleep(0.2)
            now = self._look()
            if not alike(now, seen):
                seen, since = now, time.monotonic()

    def close(self) -> None:
        """Stop looking."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        period = 1 / FRAMES_PER_SEC
        while not self._over.wait(period):
            if self._rolling.is_set():
                frame, millis = self._look(), round(period * 1000)
                if self.frames and alike(self.frames[-1][0], frame):
                    frame, before = self.frames.pop()
                    millis = min(millis + before, MOST_STILL_MILLIS)
                self.frames.append((frame, millis))

    def _look(self) -> Image.Image:
        """One frame. The file is an X window dump: big-endian words, a colour map, rows of BGRX."""
        raw = self._screen.read_bytes()
        words = struct.unpack(">20I", raw[:80])
        header, width, height, per_line, colours = words[0], words[4], words[5], words[12], words[19]
        rows = np.frombuffer(raw, np.uint8, height * per_line, offset=header + 12 * colours)
        pixels = rows.reshape(height, per_line)[:, : width * 4].reshape(height, width, 4)[:, :, 2::-1]
        return Image.fromarray(np.ascontiguousarray(pixels)).resize(SHOWN, Image.Resampling.LANCZOS)


def alike(one: Image.Image, other: Image.Image) -> bool:
    """Whether two frames differ by no more than a caret."""
    differs: Pixels = np.asarray(one) != np.asarray(other)
    return int(np.count_nonzero(differs.any(axis=2))) <= CARET_PIXELS


def main() -> None:
    """Record, and write the file."""
    with tempfile.TemporaryDirectory() as folder, short_place() as place:
        home = place / "runs"
        home.mkdir(mode=0o700)
        os.environ["MOSAIC_HOME"] = str(home)
        screen = ("x".join(map(str, (*SIZE, 24))), "-fbdir", folder)
        with running_daemon(DataRoot(home)), xvfb(*screen) as display:
            python = python_in(place)
            train_beforehand(python, place)
            desk = Desk(home, display, log=Path(folder) / "log", python=python)
            camera = Camera(Path(folder) / "Xvfb_screen0")
            try:
                play(desk, camera, mosaic.connect(home))
            finally:
                camera.close()
                desk.close()
    write(camera.frames)


def train_beforehand(python: str, place: Path) -> None:
    """Two seeds to compare the new one with."""
    words = f"train tabular/q_learning Taxi-v4 --seeds 1-2 --steps {STEPS} --name taxi".split()
    subprocess.run([python, "-m", "mosaic", *words], cwd=place, check=True, stdout=subprocess.DEVNULL)


def play(desk: Desk, camera: Camera, runs: mosaic.Connection) -> None:
    """Start a training like an earlier one, watch it learn, replay its best episode."""
    desk.ask(f"window().resize({SIZE[0]}, {SIZE[1]}) or window().move(0, 0)")
    camera.until_still()
    desk.ask("key('J', 'Control')")  # without the log, the environment has more room
    known = len(runs.runs())
    find(desk, "taxi-s2")
    camera.until_still()

    camera.roll()
    time.sleep(1)
    find(desk, "launch again")
    desk.until("w.launch.button.isEnabled()")  # the preflight, in a child, is through
    time.sleep(0.7)
    desk.ask("key('Return', 'Control')")
    wait(lambda: len(runs.runs()) > known)
    desk.ask("click_tab(w.runs)")
    run = runs.get("last")
    wait(run.episodes)
    watched_until = time.monotonic() + WATCHED_SECS
    wait(lambda: time.monotonic() > watched_until or run.state != "running")

    desk.ask("key('R', 'Control')")
    time.sleep(1)
    find(desk, "best")
    time.sleep(0.5)
    desk.until("w.replay.replaying.opened is not None and w.replay.replaying.shown is not None")
    desk.ask("click(window(), at=window().rect().center())")  # from here on, keys are for the replay
    desk.ask("keys('<')")  # a good episode is short
    for name in ("Home", "Space"):
        desk.ask(f"key({name!r})")
    desk.until("w.replay.transport.position == w.replay.transport.last")
    time.sleep(0.6)
    middle = desk.ask("w.replay.transport.last") // 2
    for name in ("Left",) * (middle + 1) + ("Right",):
        desk.ask(f"key({name!r})")
        time.sleep(0.4)
    time.sleep(1.2)


def find(desk: Desk, text: str) -> None:
    """Use the palette: open it, type, take the first."""
    desk.ask("key('K', 'Control')")
    for letter in text:
        desk.ask(f"keys({letter!r})")
        time.sleep(1 / FRAMES_PER_SEC)
    time.sleep(0.6)
    desk.ask("key('Return')")


def wait(condition: Callable[[], object]) -> None:
    """Until something holds."""
    end = time.monotonic() + LIMIT_SECS
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("what was to be recorded did not happen in time")
        time.sleep(0.1)


def write(frames: list[tuple[Image.Image, int]]) -> None:
    """With as many colours, and then as many frames, as the front page can bear."""
    while len(frames) >= FEWEST_FRAMES:
        for colours in COLOURS:
            size = save(frames, colours)
            secs = sum(millis for _, millis in frames) / 1000
            print(
                f"{TARGET.name}: {len(frames)} frames, {secs:.0f} s, {colours} colours, {size / 1e6:.2f} MB"
            )
            if size < MOST_BYTES:
                return
        frames = thinned(frames)
    raise SystemExit("that is too large for a front page")


def save(frames: list[tuple[Image.Image, int]], colours: int) -> int:
    """Write the file, and its size. One palette for all, and optimised: what stands still costs nothing."""
    samples = [frame for frame, _ in frames[:: max(1, len(frames) // 8)]]
    sheet = Image.new("RGB", (SHOWN[0], SHOWN[1] * len(samples)))
    for index, sample in enumerate(samples):
        sheet.paste(sample, (0, SHOWN[1] * index))
    palette = sheet.quantize(colours, dither=Image.Dither.NONE)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in frames]
    durations = [millis for _, millis in frames]
    first.save(TARGET, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    return TARGET.stat().st_size


def thinned(frames: list[tuple[Image.Image, int]]) -> list[tuple[Image.Image, int]]:
    """Without every fourth frame; the one before it stays on for as long."""
    kept: list[tuple[Image.Image, int]] = []
    for index, (frame, millis) in enumerate(frames):
        if index % 4 == 3:
            before, shown = kept.pop()
            kept.append((before, min(shown + millis, MOST_STILL_MILLIS)))
        else:
            kept.append((frame, millis))
    return kept


if __name__ == "__main__":
    main()
