"""Everything that can lie in the place of something in a run's folder, and the victims it is put into."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import stat
from typing import TYPE_CHECKING

from mosaic.protocol.runs import ExitRecord, ProcRecord, RunSpec
from mosaic.runs import folder as runs
from mosaic.runs.files import write_json
from tests.proof import oracle, sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import DataRoot, RunFolder

__all__ = ["KINDS", "TARGETS", "Canary", "is_run", "make_ended_run", "put", "unreadable"]

FOLDER = ""
"""The run's folder itself."""
PLAIN, SEALED = "journal/p1x00000000-0001.jsonl", "journal/p2x00000000-0000.jsonl.zst"
TARGETS = (
    *(FOLDER, "manifest.json", "control.json", "proc.json", "exit.json", "shim.lock", "tree.lock", "synced"),
    *("journal", PLAIN, SEALED, "journal/episodes.order", "stdout.log", "stderr.log", "shim.log"),
    *("telemetry.sqlite", "telemetry.sqlite-wal", "telemetry.sqlite-shm", "quarantine.jsonl"),
)
_DECIDING = (FOLDER, "manifest.json", "exit.json", "journal")
"""Without these nothing can be said of an ended run; whatever else is bad, it is known how it ended."""
_HARMLESS = {("journal", "folder"), ("journal", "closed"), ("manifest.json", "numbers")}
"""But for these: an empty or closed journal, and a manifest whose time no calendar shows."""
_NUMBERS = {
    "manifest.json": '{{"spec": {{"run_id": "{id}", "command": ["x"], "cwd": "/"}}, "created": 1e300}}',
    "control.json": '{{"want": "stop", "int_secs": 1e300}}',
    "proc.json": '{{"shim_pid": 99999999999999999999, "started": 1e300}}',
    "exit.json": '{{"code": 1099511627776, "t": 1e300}}',
}


def _socket(path: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        before = os.getcwd()  # (a socket's path has at most 108 bytes: bind it from beside)
        os.chdir(path.parent)
        try:
            one.bind(path.name)
        finally:
            os.chdir(before)


def _device(path: Path, _: Path) -> None:
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero
    except OSError:  # not allowed here: a link to one is as endless
        path.symlink_to("/dev/zero")


def _huge(path: Path, _: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 36)


def _closed(path: Path, _: Path) -> None:
    path.write_bytes(b"{}")
    path.chmod(0)


def _numbers(path: Path, _: Path) -> None:
    text = _NUMBERS.get(path.name, '{{"type": "step", "seq": 1e300, "step": -9e99, "t": 1e999}}\n')
    path.write_text(text.format(id=path.parent.name))


KINDS: dict[str, Callable[[Path, Path], object]] = {
    "folder": lambda path, _: path.mkdir(),
    "pipe": lambda path, _: os.mkfifo(path),
    "device": _device,
    "socket": _socket,
    "dangling": lambda path, outside: path.symlink_to(outside / "nothing"),
    "loop": lambda path, _: path.symlink_to(path),
    "outside": lambda path, outside: path.symlink_to(outside / ("folder" if path.suffix == "" else "file")),
    "closed": _closed,
    "empty": lambda path, _: path.touch(),
    "huge": _huge,
    "random": lambda path, _: path.write_bytes(random.Random(path.name).randbytes(100_000)),
    "numbers": _numbers,
}


def put(folder: RunFolder, target: str, kind: str, outside: Path) -> None:
    """Put that kind of thing in the place of that part of a run."""
    path = folder.path / target if target else folder.path
    if path.is_dir() and not path.is_symlink():
        if kind == "closed":
            path.chmod(0)
            return
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    KINDS[kind](path, outside)


def is_run(target: str, kind: str) -> bool:
    """Whether something is left that can be a run: an empty folder with a run's name is none yet."""
    return (target, kind) != (FOLDER, "folder")


def unreadable(target: str, kind: str) -> bool:
    """Whether it then cannot be said how the ended run ended."""
    return target in _DECIDING and (target, kind) not in _HARMLESS


def make_ended_run(root: DataRoot, run_id: str, *, stored: bool) -> RunFolder:
    """A run that ended well, with everything a run's folder can hold; `stored`: ingest is done with it."""
    folder = runs.create(root, RunSpec(run_id=run_id, command=["x"], cwd="/"), created=1.0)
    sample.fill(folder)
    write_json(folder.proc, ProcRecord(shim_pid=1, worker_pid=2, worker_start_ticks=3, started=1.0))
    runs.mark_unkept(folder)
    folder.stderr.write_text("last words\n")
    if stored:
        oracle.ingest_all(folder)
    write_json(folder.exit, ExitRecord(code=0, t=2.0))
    return folder


class Canary:
    """A folder outside of every run, to which links lead. Nothing in it may ever change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "folder").mkdir(parents=True)
        (path / "file").write_text(json.dumps({"code": 0, "want": "stop", "shim_pid": 1}))
        for name in ("manifest.json", "p1x00000000-0000.jsonl", "control.json"):
            (path / "folder" / name).write_text("{}\n")
        self._before = self._look()

    def _look(self) -> dict[str, tuple[int, int, int, bytes]]:
        found = {}
        for path in sorted([self.path, *self.path.rglob("*")]):
            info = path.lstat()
            data = path.read_bytes() if path.is_file() else b""
            found[str(path)] = (info.st_mode, info.st_mtime_ns, info.st_ino, data)
        return found

    def assert_untouched(self) -> None:
        assert self._look() == self._before, "something outside of the run's folder was changed"
