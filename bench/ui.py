"""Does the window make its user wait? The longest gap of its event loop under load, and how fast it opens.

Everything runs in the real window without a display (Qt's offscreen platform, 1280 x 800): rows of fifty live
runs at 10,000 events a second each, handed over ten times a second as the feed does; a chart of ten million
points (put into the panel's model, as reading them is measured by `store`) panned and zoomed sixty times a
second; frames of a real fast lane at 60 Hz from another process. The gap of the same window at rest stands
beside each figure: what the machine itself takes. Where others use the processors too, the longest turn in
processor time of the window's thread tells what the window alone is to blame for.
"""

from __future__ import annotations

import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.ui.shell.context import Context
    from mosaic.ui.window import Window

__all__ = ["measure"]

RUNS = 50
EVENTS_PER_SEC = 10_000
POINTS = 10_000_000
STEPS = 10_000_000
HEIGHT, WIDTH = 400, 600
_FEED_SECS, _SETTLE_SECS = 0.1, 1.5
PARTS = ("runs", "chart", "frames")


def measure(*, secs: float = 6.0, starts: int = 5) -> dict[str, float]:
    """The longest gaps in milliseconds, at rest, under each load and under all; and the start in seconds."""
    with tempfile.TemporaryDirectory(prefix="mosaic-bench-ui-") as folder, _shm() as shm:
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "MOSAIC_HOME": str(Path(folder) / "home"),
            "MOSAIC_SHM": shm,
        }
        found = _child(environment, "stall", str(secs))
        for what in ("first", "window", "bare"):
            taken = [_child(environment, "start", what, str(time.time())) for _ in range(starts + 1)]
            for name in ("secs", "cpu_secs"):  # the first one warms the caches
                found[f"start_{what}_{name}"] = statistics.median(one[name] for one in taken[1:])
    return found


def _shm() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir="/dev/shm", prefix="mosaic-bench-")


def _child(environment: dict[str, str], *words: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.ui", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr[-2000:]}")
    last: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return last


# In the window's process.


def _open(*, filled: bool = True) -> tuple[Any, Context, Window]:
    from PySide6.QtWidgets import QApplication

    from mosaic.paths import data_root
    from mosaic.runs.files import make_private
    from mosaic.ui.shell.context import make_context
    from mosaic.ui.shell.theme import Theme
    from mosaic.ui.window import Window

    root = data_root()
    make_private(root.path)
    app = QApplication(sys.argv[:1])
    theme = Theme(app, "light")
    context = make_context(root)
    context.colours.set_dark(theme.dark)
    window = Window(context, filled=filled)
    window.resize(1280, 800)
    return app, context, window


class Meter:
    """The times between two turns of the event loop, and what they took of the processor."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self.gaps: list[float] = []
        self.busy: list[float] = []
        self._last = self._used = 0.0

    def start(self) -> None:
        self.gaps, self.busy = [], []
        self._last, self._used = time.perf_counter(), time.thread_time()
        self._timer.start(1)

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now, used = time.perf_counter(), time.thread_time()
        self.gaps.append((now - self._last) * 1e3)
        self.busy.append((used - self._used) * 1e3)
        self._last, self._used = now, used


class Painted:
    """How often a widget was painted."""

    def __init__(self, widget: Any) -> None:
        from PySide6.QtCore import QEvent, QObject

        class Watch(QObject):
            count = 0

            def eventFilter(self, _: object, event: QEvent) -> bool:  # noqa: N802
                self.count += event.type() == QEvent.Type.Paint
                return False

        self.watch = Watch()
        widget.installEventFilter(self.watch)

    @property
    def count(self) -> int:
        return self.watch.count


def _rows(context: Context) -> list[Any]:
    from ulid import ULID

    from mosaic.protocol.runs import RunRow, RunSpec, RunState
    from mosaic.runs import folder

    rows = []
    for number in range(RUNS):
        spec = RunSpec(run_id=str(ULID()), command=["python", "train.py"], cwd="/", name=f"run-{number}")
        folder.create(context.root, spec, created=time.time())
        rows.append(
            RunRow(
                run_id=spec.run_id,
                name=spec.name,
                state=RunState.RUNNING,
                reason="",
                created=time.time(),
                command=spec.command,
                started=time.time(),
                env_ids=["CartPole-v1"],
                algorithm="ppo",
            )
        )
    return rows


def _feed(context: Context, rows: list[Any]) -> Callable[[], None]:
    """Rows of fifty live runs, from another thread, ten times a second. Call what is returned to end it."""
    import threading

    import msgspec

    ended = threading.Event()

    def run() -> None:
        turn = 0
        while not ended.wait(_FEED_SECS):
            turn += 1
            count = int(turn * _FEED_SECS * EVENTS_PER_SEC)
            fresh = [
                msgspec.structs.replace(
                    row,
                    steps=count,
                    store_seq=count,
                    episodes=count // 20,
                    last_return=float(turn % 200),
                    mean_return_100=float(turn % 50),
                    steps_per_sec=9_000.0 + turn,
                )
                for row in rows
            ]
            context.bridge.post(functools.partial(context.runs.update, fresh))

    thread = threading.Thread(target=run, name="bench-feed", daemon=True)
    thread.start()

    def end() -> None:
        ended.set()
        thread.join()

    return end


def _chart(window: Window, run_id: str) -> tuple[Any, Painted]:
    """A chart of ten million points, and a timer that pans and zooms it."""
    import math

    import numpy as np
    from PySide6.QtCore import Qt, QTimer

    from mosaic.analysis.series import prepare
    from mosaic.analysis.smoothing import Smoother, Smoothing
    from mosaic.ui.charts.model import Loaded

    values = np.cumsum(np.random.default_rng(1).normal(size=POINTS))
    values[1_000_000:1_100_000] = np.nan
    panel = window.charts
    panel.feed.stop(panel)
    curve = prepare(np.arange(1.0, POINTS + 1), values, smoother=Smoother(Smoothing(kind="ema", weight=0.9)))
    panel.charts.toggle("length")
    panel.charts.take([Loaded(run_id=run_id, curves={"return": curve}, has_episodes=True)])
    plot = panel.plots["return"]
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    turn = 0

    def pan() -> None:
        nonlocal turn
        turn += 1
        wide = POINTS * (0.55 + 0.45 * math.sin(turn / 40))
        low = (POINTS - wide) * (0.5 + 0.5 * math.sin(turn / 25))
        plot.show_x(low, low + wide)

    timer.timeout.connect(pan)
    timer.setInterval(16)
    return timer, Painted(plot.graphics.viewport())


def _long_run(context: Context) -> str:
    """A run of ten million steps in short episodes, as far as its curve goes: no step is recorded."""
    from ulid import ULID

    from mosaic.protocol.runs import RunSpec
    from mosaic.runs import folder
    from mosaic.store.ingest import RunIngest

    spec = RunSpec(run_id=str(ULID()), command=["python", "train.py"], cwd="/", name="long")
    made = folder.create(context.root, spec, created=time.time())
    line = '{"type":"episode","episode_id":"p1x0.0.%d","steps":22,"return":22.0,"t":%d,"seq":%d}\n'
    hello = '{"type":"hello","protocol":1,"producer":"p1x0","t":1.0,"seq":0}\n'
    lines = (line % (number, number + 1, number + 1) for number in range(STEPS // 22))
    (made.journal / "p1x0-0000.jsonl").write_text(hello + "".join(lines))
    with RunIngest(made, seal=False) as ingest:
        while ingest.turn().more:
            pass
    return spec.run_id


def _first_chart(window: Window, context: Context, run_id: str, spin: Callable[[float], None]) -> float:
    """Seconds from choosing the run to its curve on the screen."""
    begun = time.perf_counter()
    context.selection.choose([run_id])
    while window.charts.plots["return"].line_of(run_id) is None and time.perf_counter() < begun + 60:
        spin(0.001)
    return time.perf_counter() - begun


def _stall(secs: float) -> dict[str, float]:
    app, context, window = _open()
    rows = _rows(context)
    context.runs.update(rows)
    focus = rows[0].run_id
    window.show()

    def spin(for_secs: float) -> None:
        until = time.perf_counter() + for_secs
        while time.perf_counter() < until:
            app.processEvents()
            time.sleep(0.0005)

    context.selection.choose([focus])
    window.show_part(window.charts)
    until = time.monotonic() + 60
    while "return" not in window.charts.plots and time.monotonic() < until:
        spin(0.05)
    found = {"first_chart_secs": _first_chart(window, context, _long_run(context), spin)}
    context.selection.choose([focus])
    spin(0.5)
    timer, charted = _chart(window, focus)
    meter = Meter()
    publisher = [sys.executable, "-m", "bench.ui", "publish", str(context.root.run(focus).path)]
    window.live.live.limit(60.0)
    for name, parts in (("rest", ()), *((part, (part,)) for part in PARTS), ("all", PARTS)):
        end = _feed(context, rows) if "runs" in parts else None
        process = subprocess.Popen(publisher, stdin=subprocess.PIPE) if "frames" in parts else None
        window.show_part(window.live if "frames" in parts else window.telemetry)
        if "chart" in parts:
            timer.start()
        spin(_SETTLE_SECS + (1.0 if process else 0.0))
        framed = Painted(
            window.live.view.viewport() if hasattr(window.live.view, "viewport") else window.live.view
        )
        before, shown = charted.count, framed.count
        meter.start()
        spin(secs)
        meter.stop()
        found[f"gap_{name}_millis"] = max(meter.gaps)
        found[f"busy_{name}_millis"] = max(meter.busy)
        if "chart" in parts:
            found[f"chart_{name}_per_sec"] = (charted.count - before) / secs
        if "frames" in parts:
            found[f"frames_{name}_per_sec"] = (framed.count - shown) / secs
        timer.stop()
        if end is not None:
            end()
        if process is not None:
            process.kill()
            process.communicate()
    window.close()
    context.close()
    return found


def _publish(run: str) -> None:
    """A worker's frames, sixty a second."""
    import numpy as np

    from mosaic_worker.common import layout
    from mosaic_worker.fastlane import Lane

    lane = Lane(run, "p1xbench")
    lane.list_row(0, state=layout.SHOWN, env_index=0, group="")
    ring = lane.new_ring(0, pixel_bytes=HEIGHT * WIDTH * 3, epoch=1)
    lane.set_epoch(0, 1)
    frames = np.random.default_rng(1).integers(0, 256, (4, HEIGHT, WIDTH, 3), np.uint8)
    turn, due = 0, time.monotonic()
    while True:
        turn += 1
        ring.writer.publish(
            frames[turn % 4], WIDTH, HEIGHT, 3, episode=1, step=turn, reward=1.0, total=float(turn), rate=60.0
        )
        due += 1 / 60
        time.sleep(max(0.0, due - time.monotonic()))


def _start(what: str, begun: float) -> None:
    """Open a window and say how long it took from before the interpreter to its first paint.

    `first`: the window says that it opens. `window`: all its parts are there. `bare`: a window of Qt's with
    nothing in it.
    """
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

    app: Any
    window: Any
    if what in ("first", "window"):
        app, _context, window = _open(filled=False)
    else:
        app = QApplication(sys.argv[:1])
        window = QMainWindow()
        window.setCentralWidget(QLabel("nothing"))
        window.resize(1280, 800)

    class First(QObject):
        def eventFilter(self, _: object, event: QEvent) -> bool:  # noqa: N802
            if event.type() == QEvent.Type.UpdateRequest:  # the window is painted in it for the first time
                window.removeEventFilter(self)
                QTimer.singleShot(0, told)
            return False

    def told() -> None:
        print(json.dumps({"secs": time.time() - begun, "cpu_secs": time.process_time()}), flush=True)
        os._exit(0)

    first = First()
    if what == "window":  # as the program does it
        from mosaic.ui.app import paint_first

        window.show()
        paint_first(app, window)
        window.fill()
    window.installEventFilter(first)
    window.show()
    app.exec()


if __name__ == "__main__":
    if sys.argv[1] == "stall":
        print(json.dumps(_stall(float(sys.argv[2]))), flush=True)
        os._exit(0)
    elif sys.argv[1] == "publish":
        _publish(sys.argv[2])
    elif sys.argv[1] == "start":
        _start(sys.argv[2], float(sys.argv[3]))
    else:
        print(json.dumps(measure(), indent=2))
