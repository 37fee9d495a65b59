"""G4: a burst or a viewer that stands still costs lag at most: no event is dropped, no memory grows with it.

What the worker made follows from its own account; the kernel's high-water mark is the measure of memory.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from mosaic.paths import RunFolder
from mosaic.protocol.runs import RunState
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.daemons import Daemon
from tests.proof.scenes import WORKERS, frozen, gone, ingest_of, stored, until

MOST_GROWTH_MIB = 200
MOST_VIEWERS_COST_MIB = 64


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "0")


def memory_mib(process: psutil.Process, field: str) -> float:
    """`VmRSS` (now) or `VmHWM` (the most there ever was) of a process."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"the kernel does not say {field}")


def burst(count: int, account: Path, *gate: Path) -> list[str]:
    return [sys.executable, str(WORKERS / "bursts.py"), str(count), str(account), *map(str, gate)]


def assert_all_stored(folder: RunFolder, account: Path) -> None:
    """Every event the worker made is in the store once, in order, with its values."""
    made = json.loads(account.read_text())
    assert stored(folder) == list(range(made["recorded"]))
    with StoreReader(folder) as reader:
        episodes = {row.episode_id: row for row in reader.episodes()}
        assert len(episodes) == -(-made["printed"] // 1000)
        for number in range(len(episodes)):
            rows = reader.steps(episodes[f"e{number}"].index)
            first = 1000 * number
            wanted = range(first, min(first + 1000, made["printed"]))
            assert [row.step for row in rows] == [one - first for one in wanted]
            assert [row.reward for row in rows] == [one + 0.5 for one in wanted]
            assert [row.action for row in rows] == [one % 3 for one in wanted]
    assert verify(folder) == []


@pytest.mark.parametrize(
    "count", [20_000, pytest.param(1_000_000, marks=[pytest.mark.heavy, pytest.mark.timeout(400)])]
)
def test_a_burst_is_stored_whole_and_in_bounded_memory(daemon: Daemon, tmp_path: Path, count: int) -> None:
    ingest, account = ingest_of(daemon), tmp_path / "account"
    until(lambda: memory_mib(ingest, "VmRSS") > 20)  # it has loaded its libraries
    before = memory_mib(ingest, "VmRSS")
    run_id = daemon.submit(burst(count, account)).run_id
    until(lambda: daemon.client.run(run_id).state is RunState.FINISHED, timeout_secs=300)
    wanted = count // 2
    until(lambda: daemon.client.run(run_id).metrics == wanted, timeout_secs=300)
    until(lambda: daemon.client.run(run_id).steps == wanted, timeout_secs=300)
    growth = memory_mib(ingest, "VmHWM") - before
    print(f"{count} events: ingest grew by {growth:.0f} MiB at most")
    assert ingest.is_running(), "ingest is still the same process"
    assert growth < MOST_GROWTH_MIB
    assert_all_stored(daemon.root.run(run_id), account)


@pytest.mark.parametrize(
    ("count", "secs"),
    [(20_000, 3), pytest.param(250_000, 65, marks=[pytest.mark.heavy, pytest.mark.timeout(400)])],
)
def test_viewers_that_stand_still_hinder_nobody_and_miss_nothing_untold(
    daemon: Daemon, tmp_path: Path, count: int, secs: float
) -> None:
    account, gate = tmp_path / "account", tmp_path / "gate"
    run_id = daemon.submit(burst(count, account, gate)).run_id
    server, ingest = psutil.Process(daemon.pid), ingest_of(daemon)
    seen = {way: tmp_path / way for way in ("wait", "coalesce")}
    program = [sys.executable, str(WORKERS / "views.py"), run_id]
    with contextlib.ExitStack() as stack:
        viewers = [
            stack.enter_context(subprocess.Popen([*program, way, str(place)])) for way, place in seen.items()
        ]
        until(lambda: all(place.with_suffix(".live").exists() for place in seen.values()))
        before = memory_mib(server, "VmRSS")
        with frozen(*(psutil.Process(viewer.pid) for viewer in viewers)):
            wake = time.monotonic() + secs
            gate.touch()
            # All of it happens while the viewers stand still.
            until(lambda: daemon.client.run(run_id).state is RunState.FINISHED, timeout_secs=120)
            until(lambda: daemon.client.run(run_id).metrics == count // 2, timeout_secs=120)
            until(lambda: daemon.client.run(run_id).steps == count // 2, timeout_secs=120)
            until(lambda: time.monotonic() > wake, timeout_secs=120)
            growth = memory_mib(server, "VmHWM") - before
            assert not gone([server])
            assert not gone([ingest])
        assert [viewer.wait(timeout=120) for viewer in viewers] == [0, 0]
    print(f"the daemon grew by {growth:.1f} MiB")
    assert growth < MOST_VIEWERS_COST_MIB
    folder = daemon.root.run(run_id)
    assert_all_stored(folder, account)
    waited, told = rows_seen(folder, seen["wait"])
    assert told == []
    assert waited == count // 2
    coalesced, told = rows_seen(folder, seen["coalesce"])
    assert told, "it was moved to the head, and told so"
    assert coalesced < count // 2


def rows_seen(folder: RunFolder, place: Path) -> tuple[int, list[list[int]]]:
    """How many rows a viewer got, and what it was told it did not get. Nothing else may be missing."""
    got = json.loads(place.read_text())
    with StoreReader(folder) as reader:
        everything = {row.seq: row.value for row in reader.metrics()}
    rows = {int(seq): value for seq, value in got["rows"]}
    assert len(rows) == len(got["rows"]), "a row came twice"
    assert [seq for seq, _ in got["rows"]] == sorted(rows), "rows came in another order"
    skipped = [seq for seq in everything if any(first < seq <= last for first, last in got["skipped"])]
    assert {**rows, **{seq: everything[seq] for seq in skipped}} == everything, "rows are missing, untold"
    return len(rows), got["skipped"]
