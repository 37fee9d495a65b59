"""From a key press to the painted frame: how long a person waits for what they did, turn by turn.

The real window on a screen of its own (Xvfb), a real session of FrozenLake in another process, presses one by
one, put into the window as the window system puts them. The clock starts before the press and stops in
the first turn of the event loop after the paint of the frame that shows the step. Beside it: the same window
painting the same frame again, without a session.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.ui import _open, _shm
from tests.ui.journey.desk import xvfb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mosaic.ui.shell.context import Context

__all__ = ["PRESSES", "measure"]

PRESSES = 60
_WARM = 5
_PAUSE_MILLIS = 40
_SECS = 60.0
_ENV_ID = "FrozenLake-v1"
_PLAN = {
    "seats": {"*": {"kind": "person", "name": "person"}},
    "seeds": [[1, 1]],
    "env_id": _ENV_ID,
    "env_arguments": {"is_slippery": False},
}


def measure() -> dict[str, float]:
    """Milliseconds from a press to its frame, and of a repaint alone: median and the ninth of ten."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mosaic-bench-keys-"))
        environment = {
            **os.environ,
            "DISPLAY": stack.enter_context(xvfb()),
            "QT_QPA_PLATFORM": "xcb",
            "MOSAIC_HOME": str(Path(folder) / "home"),
            "MOSAIC_SHM": stack.enter_context(_shm()),
        }
        done = subprocess.run(
            [sys.executable, "-m", "bench.keys"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    if done.returncode:
        raise RuntimeError(f"the window failed:\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


# In the window's process.


@contextmanager
def _session(context: Context) -> Iterator[str]:
    """A session that waits for a person, in a process of its own. Its run's id."""
    from ulid import ULID

    from mosaic import worker_site
    from mosaic.protocol.runs import RunSpec
    from mosaic.runs import folder

    site = worker_site.install(context.root)
    run_id = str(ULID())
    command = [sys.executable, "-m", "mosaic_worker.drivers.session", json.dumps(_PLAN)]
    spec = RunSpec(run_id=run_id, command=command, cwd="/")
    run = context.root.run(run_id)
    folder.create(context.root, spec, created=time.time())
    ours = {"PYTHONPATH": str(site), "MOSAIC_RUN_DIR": str(run.path), "MOSAIC_RUN_ID": run_id}
    with (run.path / "stderr.log").open("wb") as errors:
        process = subprocess.Popen(
            command, env={**os.environ, **ours}, stdout=subprocess.DEVNULL, stderr=errors
        )
    try:
        yield run_id
    finally:
        process.terminate()
        process.wait()


class _Clock:
    """Stops when a widget has been painted while something holds."""

    def __init__(self, widget: Any) -> None:
        from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer

        clock = self

        class Watch(QObject):
            def eventFilter(self, _: object, event: QEvent) -> bool:  # noqa: N802
                if event.type() == QEvent.Type.Paint and clock.holds is not None and clock.holds():
                    clock.holds = None
                    QTimer.singleShot(0, clock.stop)  # after it was painted and handed to the screen
                return False

        self.holds: Callable[[], bool] | None = None
        self._loop, self._taken = QEventLoop(), 0.0
        self._watch = Watch()
        widget.installEventFilter(self._watch)

    def millis(self, do: Callable[[], object], holds: Callable[[], bool]) -> float:
        """How long it takes from before `do` until it was painted while `holds`."""
        from PySide6.QtCore import QTimer

        self.holds, self._taken = holds, 0.0
        QTimer.singleShot(int(_SECS * 1000), self._loop, self._loop.quit)
        begun = time.perf_counter()
        do()
        if not self._taken:
            self._loop.exec()
        if not self._taken:
            raise RuntimeError("it was never painted")
        return (self._taken - begun) * 1e3

    def stop(self) -> None:
        """It is on the screen."""
        self._taken = time.perf_counter()
        self._loop.quit()


def _wait(holds: Callable[[], bool]) -> None:
    from PySide6.QtTest import QTest

    until = time.monotonic() + _SECS
    while not holds():
        if time.monotonic() > until:
            raise RuntimeError("the session never came")
        QTest.qWait(20)


def _play(run_id: str, context: Context, window: Any) -> dict[str, float]:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from mosaic.protocol.runs import RunRow, RunState

    row = RunRow(
        run_id=run_id,
        name="bench",
        state=RunState.RUNNING,
        reason="",
        created=time.time(),
        command=[],
        started=time.time(),
        runner="session",
        env_ids=[_ENV_ID],
    )
    context.runs.update([row])
    context.asks.watch.emit(run_id)
    tab, playing = window.live, window.play.playing
    _wait(lambda: playing.waits_for_us and tab.live.on_screen is not None)
    clock, handle = _Clock(tab.view.frame), window.windowHandle()

    def shown(step: int) -> bool:
        return tab.live.on_screen is not None and tab.live.on_screen.newest.hud.step == step

    pressed, repainted = [], []
    for step in range(1, _WARM + PRESSES + 1):
        key = Qt.Key.Key_Right if step % 2 else Qt.Key.Key_Left  # to and fro on the ice, never into a hole
        QTest.qWait(_PAUSE_MILLIS)
        pressed.append(clock.millis(partial(QTest.keyClick, handle, key), partial(shown, step)))
        QTest.qWait(_PAUSE_MILLIS)
        repainted.append(clock.millis(tab.view.frame.update, lambda: True))
    found: dict[str, float] = {}
    for name, taken in (("key", pressed[_WARM:]), ("repaint", repainted[_WARM:])):
        found[f"{name}_p50_millis"] = statistics.median(taken)
        found[f"{name}_p90_millis"] = statistics.quantiles(taken, n=10)[-1]
    return found


def _main() -> None:
    app, context, window = _open()
    window.show()
    with _session(context) as run_id:
        _wait(lambda: getattr(window, "play", None) is not None)
        found = _play(run_id, context, window)
        window.close()
    del app
    print(json.dumps(found))


if __name__ == "__main__":
    _main()
