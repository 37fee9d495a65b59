"""The README's moving picture: the real desktop on a screen of its own, driven by keys, filmed from outside.

`make recording` writes `docs/images/desktop.gif`. Two trainings are finished beforehand; a third is started
in the window, watched, and one of its episodes replayed. The program is used as a person uses it: keys go
into the window, the SDK says what has happened, frames are read from the screen's memory (Xvfb). So nothing
here knows a module of the desktop. Frames go by the clock: run it on a quiet machine, and look at the result.
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
FRAMES_PER_SEC = 6
COLOURS = (96, 64, 48, 32)
"""The first that makes the file small enough."""
CARET_PIXELS = 60
MOST_BYTES = 2_000_000
LIMIT_SECS = 120.0


class Camera:
    """Looks at a screen's memory `FRAMES_PER_SEC` times a second while it records. Equal frames are one."""

    def __init__(self, screen: Path) -> None:
        self._screen = screen
        self._rolling = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.frames: list[tuple[Image.Image, int]] = []
        """Each with its milliseconds."""

    def start(self) -> None:
        """Be ready; nothing is kept yet."""
        self._thread.start()

    def record(self, secs: float) -> None:
        """Let the film run for a while."""
        self._rolling.set()
        time.sleep(secs)
        self._rolling.clear()

    def until_still(self, secs: float = 2.0) -> None:
        """Wait until the screen has not changed for a while, but for a blinking caret: all has been drawn."""
        seen, since, end = self._pixels(), time.monotonic(), time.monotonic() + LIMIT_SECS
        while time.monotonic() < min(since + secs, end):
            time.sleep(0.2)
            now = self._pixels()
            if np.count_nonzero((now != seen).any(axis=2)) > CARET_PIXELS:
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
                if self.frames and np.array_equal(np.asarray(self.frames[-1][0]), np.asarray(frame)):
                    frame, before = self.frames.pop()
                    millis += before
                self.frames.append((frame, millis))

    def _pixels(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        return np.asarray(self._look())

    def _look(self) -> Image.Image:
        """One frame. The file is an X window dump: big-endian words, a colour map, rows of BGRX."""
        raw = self._screen.read_bytes()
        words = struct.unpack(">20I", raw[:80])
        header, width, height, per_line, colours = words[0], words[4], words[5], words[12], words[19]
        rows = np.frombuffer(raw, np.uint8, height * per_line, offset=header + 12 * colours)
        pixels = rows.reshape(height, per_line)[:, : width * 4].reshape(height, width, 4)[:, :, 2::-1]
        return Image.fromarray(np.ascontiguousarray(pixels)).resize(SHOWN, Image.Resampling.LANCZOS)


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
            camera.start()
            try:
                play(desk, camera, mosaic.connect(home))
            finally:
                camera.close()
                desk.close()
    write(camera.frames)


def train_beforehand(python: str, place: Path) -> None:
    """Two seeds to compare the new one with."""
    words = ["train", "tabular/q_learning", "Taxi-v4", "--seeds", "1-2", "--steps", "60000", "--name", "taxi"]
    subprocess.run([python, "-m", "mosaic", *words], cwd=place, check=True, stdout=subprocess.DEVNULL)


def play(desk: Desk, camera: Camera, runs: mosaic.Connection) -> None:
    """Start a training like an earlier one, watch it learn, replay an episode of it."""
    desk.ask(f"window().resize({SIZE[0]}, {SIZE[1]}) or window().move(0, 0)")
    camera.until_still()
    desk.ask("key('J', 'Control')")  # without the log, the environment has more room
    known = len(runs.runs())
    find(desk, "taxi-s2")
    camera.until_still()
    camera.record(1)
    find(desk, "launch again", camera=camera)
    camera.record(1.5)
    for _ in range(10):  # the key does nothing until the preflight, in a child, is through
        if len(runs.runs()) == known:
            desk.ask("key('Return', 'Control')")
            time.sleep(4)
    find(desk, "show runs")
    camera.record(0.7)
    wait(lambda: runs.get("last").episodes())
    camera.record(5)
    run = runs.get("last")
    run.stop()
    run.wait(timeout_secs=LIMIT_SECS)
    camera.until_still()
    desk.ask("key('R', 'Control')")
    camera.until_still()
    desk.ask("click(window(), at=window().rect().center())")  # from here on, keys are for the replay
    desk.ask("key('Home')")
    camera.record(1)
    desk.ask("key('Space')")
    camera.record(4)
    desk.ask("key('K')")
    for _ in range(6):
        desk.ask("key('Left')")
        camera.record(0.3)
    camera.record(1.5)


def find(desk: Desk, text: str, *, camera: Camera | None = None) -> None:
    """Use the palette: open it, type, take the first."""
    desk.ask("key('K', 'Control')")
    for letter in text:
        desk.ask(f"keys({letter!r})")
        if camera:
            camera.record(1 / FRAMES_PER_SEC)
    if camera:
        camera.record(0.7)
    desk.ask("key('Return')")


def wait(condition: Callable[[], object]) -> None:
    """Until something holds."""
    end = time.monotonic() + LIMIT_SECS
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("what was to be recorded did not happen in time")
        time.sleep(0.1)


def write(frames: list[tuple[Image.Image, int]]) -> None:
    """One palette for all frames, so that what stands still costs nothing."""
    samples = [frame for frame, _ in frames[:: max(1, len(frames) // 8)]]
    sheet = Image.new("RGB", (SHOWN[0], SHOWN[1] * len(samples)))
    for index, sample in enumerate(samples):
        sheet.paste(sample, (0, SHOWN[1] * index))
    durations = [millis for _, millis in frames]
    for colours in COLOURS:
        palette = sheet.quantize(colours, dither=Image.Dither.NONE)
        first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame, _ in frames]
        first.save(TARGET, save_all=True, append_images=others, duration=durations, loop=0, optimize=False)
        size = TARGET.stat().st_size
        print(f"{TARGET.name}: {len(frames)} frames, {sum(durations) / 1000:.0f} s, {size / 1e6:.2f} MB")
        if size < MOST_BYTES:
            return
    raise SystemExit("that is too large for a front page")


if __name__ == "__main__":
    main()
