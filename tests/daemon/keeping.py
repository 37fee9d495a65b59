"""Helpers of the daemon's tests: real shims and workers, waited for by what they do."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic.daemon.places.local import shim
from mosaic.daemon.places.local.processes import Process, look
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import Control, RunSpec, RunState, Want
from mosaic.runs import folder as runs
from mosaic.runs.lifecycle import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WORKERS = Path(__file__).parent.parent / "workers"
RUN_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def run_id(number: int) -> str:
    """The n-th of a row of ULIDs in order."""
    return RUN_ID[:24] + ALPHABET[number // 32] + ALPHABET[number % 32]


def worker(name: str, *arguments: object) -> list[str]:
    """The command that starts one of the misbehaving programs."""
    return [sys.executable, "-S", str(WORKERS / f"{name}.py"), *map(str, arguments)]


def until(happened: Callable[[], object], *, timeout_secs: float = 60.0) -> None:
    """Wait for something to happen; fail when it does not."""
    deadline = time.monotonic() + timeout_secs
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def state(folder: RunFolder) -> RunState:
    """The run's state now."""
    return judge(runs.observe(folder)).state


def noted(folder: Path, count: int) -> list[Process]:
    """The processes that left a note in a folder, once there are that many."""
    until(lambda: len(list(folder.glob("*.pid"))) >= count)
    found = [look(int(note.stem)) for note in folder.glob("*.pid")]
    return [process for process in found if process is not None]


def alive(process: Process) -> bool:
    """Whether exactly that process still lives."""
    now = look(process.pid)
    return now is not None and now.start_ticks == process.start_ticks


@contextlib.contextmanager
def shim_of(
    home: Path,
    command: list[str],
    *,
    want: Want = Want.RUN,
    grace_secs: float = 10.0,
    cwd: str = "/",
    env: dict[str, str] | None = None,
) -> Iterator[tuple[RunFolder, subprocess.Popen[bytes]]]:
    """A real shim on a real run; on the way out the run is stopped and the shim waited for."""
    folder = runs.create(DataRoot(home), RunSpec(run_id=RUN_ID, command=command, cwd=cwd), created=0.0)
    order(folder, want)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", shim.__file__, str(folder.path), "-1", str(grace_secs)],
        start_new_session=True,
        env=dict(os.environ) if env is None else env,
        stdin=subprocess.DEVNULL,
    )
    try:
        yield folder, process
    finally:
        with contextlib.suppress(FileNotFoundError):
            order(folder, Want.STOP)
        process.wait(timeout=60)


def order(folder: RunFolder, want: Want, reason: str = "") -> None:
    """Give an order with a quick ladder."""
    runs.write_control(folder, Control(want=want, reason=reason, int_secs=0.2, term_secs=0.2))
