"""G4: the disk refuses one call of ingest, or all from some call on; once it works again, nothing is missing.

`strace` makes the calls of the real ingest process fail. It must say so and go on by itself; should it end
instead, it must leave word, and the next one must do the rest. The journal is read by other code than the
product's.
"""

from __future__ import annotations

import contextlib
import json
import re
import select
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from mosaic.paths import RunFolder
from mosaic.store.verify import verify
from tests.proof import oracle, sample

REFUSALS = {
    "write": "ENOSPC", "pwrite64": "ENOSPC", "openat": "ENOSPC", "ftruncate": "ENOSPC", "fallocate": "ENOSPC",
    "mkdir": "ENOSPC", "fdatasync": "EIO", "fsync": "EIO", "rename": "EIO", "unlink": "EIO",
}  # fmt: skip
"""The calls that can fail for a disk's sake, and how."""

SILENCE_SECS = 45.0  # more than the longest pause ingest makes before it tries again
SETTLING_SECS = 100.0  # for one that goes on talking and never comes to an end


class Ingest:
    """The ingest process as the daemon starts it, one after another if it dies."""

    def __init__(self, errors: Path) -> None:
        self._errors = errors
        self.deaths = 0
        self._start()

    def _start(self) -> None:
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mosaic.daemon.ingest"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0,
            )  # fmt: skip
        self._order(cmd="?", run_dir="?")
        # Once it answers, all is loaded: from then on it opens no files of its own.
        assert self.hear(), self._errors.read_text()

    def __enter__(self) -> Ingest:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.process.communicate(timeout=30)

    def _order(self, **order: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()

    def watch(self, folder: RunFolder) -> None:
        self._order(cmd="watch", run_dir=str(folder.path))

    def hear(self) -> dict[str, Any] | None:
        """The next thing it says; None when it has died."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], SILENCE_SECS)
        assert ready, "it neither goes on nor says why"
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def replace(self) -> str:
        """Start another one for one that died; its last words."""
        self.process.communicate(timeout=30)
        words = self._errors.read_text()
        self.deaths += 1
        self._start()
        return words

    @contextlib.contextmanager
    def under(self, *options: str, log: Path) -> Any:
        """The process traced for the time of a block. The tracer that is given can be ended earlier."""
        command = ["strace", "-f", "-p", str(self.process.pid), "-o", str(log), *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            try:
                assert tracer.stderr is not None
                assert "attached" in tracer.stderr.readline(), "strace could not attach"
                yield tracer
            finally:
                tracer.terminate()
                tracer.communicate()


@dataclass
class Outcome:
    """What refusing one call led to."""

    point: str
    refused: int = 0
    said: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def points_of(log: Path) -> list[tuple[str, int]]:
    """Every call that can be refused, as (name, n-th of that name), but for what it says to the daemon."""
    counts: Counter[str] = Counter()
    points = []
    for line in log.read_text().splitlines():
        match = re.match(r"(?:\d+ +)?(\w+)\((\d*)", line)
        if match is None or match[1] not in REFUSALS:
            continue
        counts[match[1]] += 1
        creates = match[1] != "openat" or "O_CREAT" in line
        if creates and match.groups() != ("write", "1"):
            points.append((match[1], counts[match[1]]))
    return points


def refuse(ingest: Ingest, folder: RunFolder, point: tuple[str, int], *, lasting: bool) -> Outcome:
    """Have a run ingested while a call fails, or all of that name from there on until it complains."""
    name, nth = point
    outcome = Outcome(f"{name} {nth}{'+' if lasting else ''}")
    log = folder.path.with_suffix(".calls")
    inject = f"inject={name}:error={REFUSALS[name]}:when={nth}{'+' if lasting else ''}"
    settled = died = False
    deadline = time.monotonic() + SETTLING_SECS
    with ingest.under("-e", f"trace={name}", "-e", inject, log=log) as tracer:
        ingest.watch(folder)
        while not settled and not died:
            assert time.monotonic() < deadline, f"{outcome.point}: it never comes to an end"
            news = ingest.hear()
            died = news is None
            if news is not None:
                settled = news["settled"]
                if news["error"]:
                    outcome.said.append(news["error"])
                    if lasting:
                        tracer.terminate()
    if died:
        outcome.said.append(ingest.replace())
        if not outcome.said[-1].strip():
            outcome.wrong.append("it died without a word")
        ingest.watch(folder)
        while not settled:
            assert time.monotonic() < deadline, f"{outcome.point}: the next one never comes to an end"
            news = ingest.hear()
            assert news is not None, "the next one died too, on a disk in good order"
            settled = news["settled"]
    outcome.refused = log.read_text().count("(INJECTED)")
    try:
        oracle.assert_stored(folder)
    except AssertionError as error:
        outcome.wrong.append(f"not what the journal says: {error}")
    outcome.wrong += [str(difference) for difference in verify(folder)[:3]]
    return outcome


HEAVY = [pytest.mark.heavy, pytest.mark.timeout(400)]


@pytest.mark.parametrize(
    ("lasting", "every"),
    [
        pytest.param(False, 16, id="once-at-some"),
        pytest.param(True, 16, id="from-some-on"),
        pytest.param(False, 1, id="once-at-each", marks=HEAVY),
        pytest.param(True, 3, id="from-many-on", marks=HEAVY),
    ],
)
def test_whatever_call_of_ingest_the_disk_refuses_nothing_is_lost(
    tmp_path: Path, lasting: bool, every: int
) -> None:
    template = oracle.new_run(tmp_path / "template")
    sample.fill(template)

    def fresh(name: str) -> RunFolder:
        return RunFolder(Path(shutil.copytree(template.path, tmp_path / name)))

    with contextlib.ExitStack() as stack:
        hosts = [stack.enter_context(Ingest(tmp_path / f"errors{n}")) for n in range(4)]
        log = tmp_path / "calls"
        with hosts[0].under("-e", f"trace={','.join(REFUSALS)}", log=log):
            hosts[0].watch(fresh("reference"))
            while not (hosts[0].hear() or {"settled": True})["settled"]:
                continue
        points = points_of(log)
        assert len(points) > 30, "hardly a call was seen: this proves nothing"
        if lasting:  # with every write refused it could not even say so: its words are writes too
            points = [point for point in points if point[0] != "write"]
        points = points[::every]

        def sweep(part: int) -> list[Outcome]:
            mine = list(enumerate(points))[part :: len(hosts)]
            return [
                refuse(hosts[part], fresh(f"run{number}"), point, lasting=lasting) for number, point in mine
            ]

        with ThreadPoolExecutor(len(hosts)) as pool:
            outcomes = [one for part in pool.map(sweep, range(len(hosts))) for one in part]
        deaths = sum(host.deaths for host in hosts)
    hit = [one for one in outcomes if one.refused]
    silent = [one.point for one in hit if not one.said]
    print(
        f"{len(outcomes)} calls, {sum(one.refused for one in hit)} refusals, {deaths} deaths; "
        f"not worth a word: {silent}"
    )
    assert len(hit) >= 0.9 * len(outcomes), "the refusals missed their calls: this proves nothing"
    wrong = {one.point: one.wrong for one in outcomes if one.wrong}
    assert not wrong, "\n".join(map(str, wrong.items()))
