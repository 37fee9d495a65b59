"""A desktop to test: the real program in its own process, on a screen of its own (Xvfb)."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Desk", "screen", "xvfb"]

DRIVER = Path(__file__).with_name("driver.py")
REPOSITORY = DRIVER.parents[3]
LIMIT_SECS = 180.0


@contextlib.contextmanager
def xvfb(size: str = "1280x800x24", *more: str) -> Iterator[str]:
    """A screen in memory, by its display's name; `more` words for the server."""
    assert shutil.which("Xvfb"), "there is no Xvfb here; install it with: sh tests/display.sh"
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", size, "-nolisten", "tcp", "-noreset", *more],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            ready, _, _ = select.select([pipe], [], [], LIMIT_SECS)
            assert ready, "Xvfb did not start"
            number = pipe.readline().strip()
        assert number, "Xvfb ended at once"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    """A screen of 1280 x 800."""
    with xvfb() as display:
        yield display


class Desk:
    """The desktop program. What is asked of it is Python, with `w` the window and `c` its context."""

    def __init__(self, home: Path, display: str, *, log: Path, python: str = sys.executable) -> None:
        self._log = log
        env = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        path = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
        env |= {"MOSAIC_HOME": str(home), "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": path}
        with log.open("ab") as said:
            self.process = subprocess.Popen(
                [python, str(DRIVER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=env,
                text=True,
            )

    def ask(self, code: str) -> Any:
        """Have one line done, and its value."""
        assert "\n" not in code
        writing, reading = self._pipes()
        writing.write(code + "\n")
        writing.flush()
        ready, _, _ = select.select([reading], [], [], LIMIT_SECS)
        said = json.loads(reading.readline() or "{}") if ready else {}
        assert "value" in said, f"{code}\n{said.get('error', 'no answer')}\n{self._log.read_text()}"
        return said["value"]

    def until(self, code: str, *, limit_secs: float = LIMIT_SECS) -> Any:
        """Wait until something holds, and its value."""
        end = time.monotonic() + limit_secs
        while True:
            value = self.ask(code)
            if value:
                return value
            assert time.monotonic() < end, f"not in time: {code}\n{self._state()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as kill -9 does."""
        self.process.kill()
        self._end()

    def close(self) -> None:
        """Close the window, and wait until the program has ended."""
        if self.process.poll() is None:
            with contextlib.suppress(AssertionError, OSError):
                self.ask("w.close()")
        try:
            self.process.wait(LIMIT_SECS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._end()

    def _end(self) -> None:
        self.process.wait()
        for pipe in self._pipes():
            with contextlib.suppress(OSError):
                pipe.close()

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def _state(self) -> str:
        rows = self.ask("[(row.name, row.state.value, row.reason, row.episodes) for row in c.runs.rows]")
        news = self.ask("[toast.text for toast in c.toasts.history]")
        return f"runs: {rows}\nnews: {news}\nlink: {self.ask('c.link.text')}\n{self._log.read_text()}"
