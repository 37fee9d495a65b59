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
from mosaic.protocol.runs import RunState
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


def paused_by_reserve(daemon: Daemon, run_id: str, account: Path) -> dict[str, object]:
    until(lambda: daemon.client.run(run_id).state is RunState.PAUSED, timeout_secs=60)
    row = daemon.client.run(run_id)
    worker = psutil.Process(json.loads(daemon.root.run(run_id).proc.read_bytes())["worker_pid"])
    until(lambda: worker.status() == psutil.STATUS_STOPPED)
    return {"state": row.state.value, "reason": row.reason, "count": count(account)}


def waiting_by_itself(daemon: Daemon, run_id: str, account: Path, disk: Path) -> dict[str, object]:
    until(lambda: free_bytes(disk) < SMALLEST_SEGMENT_BYTES and stands_still(account), timeout_secs=60)
    row = daemon.client.run(run_id)
    return {"state": row.state.value, "reason": row.reason, "count": count(account)}


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
            met = paused_by_reserve(daemon, run_id, account)
        else:
            met = waiting_by_itself(daemon, run_id, account, disk)
        ballast.unlink()
        until(lambda: daemon.client.run(run_id).state is RunState.FINISHED, timeout_secs=90)
        until(lambda: len(texts(root, run_id)) >= COUNT, timeout_secs=90)
        told = {
            "met": met,
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
