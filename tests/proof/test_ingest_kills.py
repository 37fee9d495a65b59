"""G1, G3, G8: ingest killed at every call that changes a file, and started again, ends as if never killed.

`strace` kills the process on its way into the N-th call of each kind, for every N the undisturbed run
makes; so every state of the disk between two calls occurs. Killed are the first ingest with sealing, the
rebuild on request, and the rebuild of a damaged store.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import mosaic
from mosaic.paths import RunFolder
from mosaic.store.verify import verify
from tests.proof import oracle, sample

SERVER = Path(__file__).parent / "ingest_server.py"
MUTATING = (
    "write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "sync_file_range", "ftruncate",
    "truncate", "rename", "renameat", "renameat2", "unlink", "unlinkat", "openat", "open", "creat",
    "mkdir", "mkdirat",
    "link", "linkat", "fallocate", "fchmod", "chmod", "fchmodat", "utimensat", "copy_file_range",
)  # fmt: skip


class Server:
    """One process of `ingest_server`."""

    def __init__(self) -> None:
        source = Path(mosaic.__file__).parents[1]
        path = os.pathsep.join([str(source), str(Path(__file__).parents[2])])
        env = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.communicate()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def do(self, job: str, folder: RunFolder) -> int:
        """Run a job undisturbed; its wait status."""
        self._say(json.dumps({"job": job, "run": str(folder.path)}))
        self._hear()
        return self._hear()

    def traced(self, job: str, folder: RunFolder, *options: str) -> int:
        """Run a job under strace."""
        self._say(json.dumps({"job": job, "run": str(folder.path), "held": True}))
        pid = self._hear()
        command = ["strace", "-f", "-p", str(pid), *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            assert tracer.stderr is not None
            assert "attached" in tracer.stderr.readline(), "strace could not attach"
            self._say("go")
            status = self._hear()
            tracer.communicate()
        return status

    def content(self, folder: RunFolder) -> dict[str, Any]:
        assert self.do("dump", folder) == 0
        found: dict[str, Any] = json.loads(folder.path.with_suffix(".json").read_text())
        return found


def first_ingest(_: Server, folder: RunFolder) -> str:
    sample.fill(folder)
    return "ingest"


def asked_rebuild(server: Server, folder: RunFolder) -> str:
    sample.fill(folder)
    assert server.do("ingest", folder) == 0
    return "rebuild"


def damaged_store(server: Server, folder: RunFolder) -> str:
    sample.fill(folder)
    assert server.do("ingest", folder) == 0
    with folder.store.open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff" * 100)
    return "ingest"


SCENES = {"first_ingest": first_ingest, "asked_rebuild": asked_rebuild, "damaged_store": damaged_store}


def calls_made(log: Path) -> list[tuple[str, int]]:
    """Every mutating call of the undisturbed run, as (name, n-th of that name)."""
    counts: Counter[str] = Counter()
    points = []
    for line in log.read_text().splitlines():
        match = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if match is None:
            continue
        name = match[1]
        counts[name] += 1
        if name not in ("openat", "open") or "O_CREAT" in line:
            points.append((name, counts[name]))
    return points


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize(
    "chosen",
    ["some", pytest.param("all", marks=[pytest.mark.heavy, pytest.mark.timeout(600)])],
)
def test_ingest_killed_at_a_mutating_call_ends_as_if_never_killed(
    scene: str, chosen: str, tmp_path: Path
) -> None:
    trace = "trace=" + ",".join(MUTATING)
    template = oracle.new_run(tmp_path / "template")
    with Server() as first, Server() as second:
        job = SCENES[scene](first, template)

        def fresh(name: str) -> RunFolder:
            return RunFolder(Path(shutil.copytree(template.path, tmp_path / name)))

        reference = fresh("reference")
        log = tmp_path / "calls"
        assert first.traced(job, reference, "-o", str(log), "-e", trace) == 0
        assert first.do("ingest", reference) == 0
        expected = first.content(reference)
        oracle.assert_stored(reference)
        points = calls_made(log)
        assert len(points) > 30, "hardly a call was seen: this proves nothing"

        def survive(server: Server, number: int, point: tuple[str, int]) -> str | None:
            name, nth = point
            folder = fresh(f"kill{number}")
            inject = f"inject={name}:signal=SIGKILL:when={nth}"
            status = server.traced(job, folder, "-o", "/dev/null", "-e", trace, "-e", inject)
            if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL):
                return f"{point}: it was not killed (status {status})"
            if server.do("ingest", folder) != 0:
                return f"{point}: the next start failed"
            found = server.content(folder)
            wrong = [key for key in expected if not same(scene, key, expected[key], found[key])]
            wrong += [f"verify: {difference}" for difference in verify(folder)[:3]]
            shutil.rmtree(folder.path)
            shown = [(expected[key], found[key]) for key in wrong if key in found]
            return f"{point}: other {wrong}: {str(shown)[:2000]}" if wrong else None

        if chosen == "some":
            points = points[::60] + [point for point in points if point[0] == "rename"]

        def sweep(server: Server, part: int) -> list[str]:
            mine = list(enumerate(points))[part::2]
            verdicts = [survive(server, n, point) for n, point in mine]
            return [verdict for verdict in verdicts if verdict is not None]

        with ThreadPoolExecutor(2) as pool:
            failures = [pool.submit(sweep, server, part) for part, server in enumerate((first, second))]
            wrong = [verdict for future in failures for verdict in future.result()]
    seen = Counter(name for name, _ in points)
    print(f"{scene}: killed at {len(points)} calls: {dict(seen)}")
    assert not wrong, "\n".join(wrong)


def same(scene: str, key: str, expected: Any, found: Any) -> bool:
    if key == "warnings":
        if scene == "asked_rebuild":  # killed between the old store and the new one, there truly was none
            return all("the store was missing" in text for text in found)
        return bool(expected) == bool(
            found
        )  # in which words a rebuild is told depends on when it was cut short
    if key == "files":
        return {name for name in found if "corrupt" not in name} == {
            n for n in expected if "corrupt" not in n
        }
    return bool(expected == found)
