"""`tiny_disk.py SCENE DISK ASIDE`, in its own mount namespace: a run fills its disk, then gets room.

Scene `reserve`: the daemon pauses the run before the disk is full. Scene `full`: no reserve, the disk fills
to the last page. The worker's own count is kept on another disk. Prints what happened as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

from mosaic.paths import DataRoot
from mosaic.protocol.runs import ENDED, RunState
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.daemons import Daemon, running_daemon, until
from tests.proof.scenes import WORKERS, ingest_of

MIB = 1 << 20
COUNT = 4000  # 8 MiB of text
SMALLEST_SEGMENT_BYTES = 64 << 10


def free_bytes(disk: Path) -> int:
    info = os.statvfs(disk)
    return info.f_bavail * info.f_frsize


def count(account: Path) -> int:
    return int(account.read_text() or 0) if account.exists() else 0


def fill_up(ballast: Path, *, leave_mib: int) -> None:
    """Something else on the disk takes all the room but this."""
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free_bytes(ballast.parent) - leave_mib * MIB)


def stands_still(account: Path, *, looks: int = 30) -> bool:
    """Whether the worker has recorded nothing for a while."""
    before = count(account)
    for _ in range(looks):
        time.sleep(0.05)
        if count(account) != before:
            return False
    return True


def ended(daemon: Daemon, run_id: str) -> bool:
    return daemon.client.run(run_id).state in ENDED


def paused_by_reserve(daemon: Daemon, run_id: str, disk: Path) -> None:
    """Wait until the run is paused; or, if it never is, until it has ended or filled the disk."""

    def over() -> bool:
        return ended(daemon, run_id) or free_bytes(disk) < MIB

    until(lambda: daemon.client.run(run_id).state is RunState.PAUSED or over(), timeout_secs=60)
    if not over():
        worker = psutil.Process(json.loads(daemon.root.run(run_id).proc.read_bytes())["worker_pid"])
        until(lambda: worker.status() == psutil.STATUS_STOPPED)


def waiting_by_itself(daemon: Daemon, run_id: str, disk: Path, account: Path) -> None:
    """Wait until the disk is full and the worker stands still; or, if it does not, until it has ended."""

    def full() -> bool:
        return free_bytes(disk) < SMALLEST_SEGMENT_BYTES and stands_still(account)

    until(lambda: ended(daemon, run_id) or full(), timeout_secs=60)


def texts(root: DataRoot, run_id: str) -> list[int]:
    """The numbers of the pieces in the store, in its order."""
    with StoreReader(root.run(run_id)) as reader:
        return [int(json.loads(raw)["text"].split()[0]) for _, _, raw in reader.events("log")]


def main() -> None:
    scene, disk, aside = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=56m,mode=0700", "none", str(disk)], check=True)
    root, ballast, account = DataRoot(disk / "home"), disk / "ballast", aside / "account"
    os.environ["MOSAIC_HOME"] = str(root.path)
    os.environ["MOSAIC_DISK_RESERVE_MIB"] = "4" if scene == "reserve" else "0"
    with running_daemon(root) as daemon:
        pids = daemon.pid, ingest_of(daemon).pid
        fill_up(ballast, leave_mib=9 if scene == "reserve" else 5)
        run_id = daemon.submit([sys.executable, str(WORKERS / "fills.py"), str(COUNT), str(account)]).run_id
        if scene == "reserve":
            paused_by_reserve(daemon, run_id, disk)
        else:
            waiting_by_itself(daemon, run_id, disk, account)
        row = daemon.client.run(run_id)
        met = {"state": row.state.value, "reason": row.reason, "count": count(account)}
        ballast.unlink()
        until(lambda: ended(daemon, run_id), timeout_secs=90)
        wanted = count(account)
        until(lambda: len(texts(root, run_id)) >= wanted, timeout_secs=90)
        told = {
            "met": met,
            "end": daemon.client.run(run_id).state.value,
            "count": count(account),
            "in_order_and_once": texts(root, run_id) == list(range(COUNT)),
            "differences": [str(difference) for difference in verify(root.run(run_id))],
            "same_processes": pids == (daemon.pid, ingest_of(daemon).pid),
            "stderr": root.run(run_id).stderr.read_text(),
            "log": root.daemon_log.read_text()[-2000:],
        }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
