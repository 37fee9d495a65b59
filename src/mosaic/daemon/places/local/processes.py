"""Processes of this machine, by pid *and* start time: who is below whom, and signals that cannot go astray.

Standard library only, because the shim uses it. Refuses to signal a pid that has changed hands.
"""

# ruff: noqa: PTH123, PTH208
# (no pathlib: it would cost the shim more memory than all the rest)

from __future__ import annotations

import contextlib
import os
import signal
from typing import NamedTuple

__all__ = ["Process", "all_processes", "boot_id", "children", "descendants", "look", "send"]


class Process(NamedTuple):
    """One process, safe against reuse of its pid: the start time is part of its identity."""

    pid: int
    start_ticks: int
    parent: int
    name: str


def look(pid: int) -> Process | None:
    """The process, or None when it is gone or only a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            head, _, tail = file.read().rpartition(b")")
    except OSError:
        return None
    fields = tail.split()
    if fields[0] in b"ZX" and int(fields[17]) <= 1:  # a dead leader may leave live threads behind
        return None
    return Process(pid, int(fields[19]), int(fields[1]), head.partition(b"(")[2].decode(errors="replace"))


def all_processes() -> list[Process]:
    """Every live process we can see."""
    found = [look(int(entry)) for entry in os.listdir("/proc") if entry.isdecimal()]
    return [process for process in found if process is not None]


def children(pid: int) -> list[Process]:
    """The direct children, quickly; none where the kernel does not list them."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                pids.extend(map(int, file.read().split()))
    found = [look(child) for child in pids]
    return [process for process in found if process is not None]


def descendants(*pids: int) -> list[Process]:
    """Every live process below those."""
    below: dict[int, list[Process]] = {}
    for process in all_processes():
        below.setdefault(process.parent, []).append(process)
    family: list[Process] = []
    parents = list(pids)
    while parents:
        children = below.pop(parents.pop(), [])
        family.extend(children)
        parents.extend(child.pid for child in children)
    return family


def send(process: Process, number: int) -> None:
    """Signal exactly that process: never a later one that got its pid."""
    fd = -1
    try:
        with contextlib.suppress(OSError):  # a kernel without pidfds: the check alone must do
            fd = os.pidfd_open(process.pid)
        now = look(process.pid)
        if now is None or now.start_ticks != process.start_ticks:
            return
        if fd >= 0:
            signal.pidfd_send_signal(fd, number)
        else:
            os.kill(process.pid, number)
    except ProcessLookupError:
        return
    finally:
        if fd >= 0:
            os.close(fd)


def boot_id() -> str:
    """The kernel's name for this boot: pids and start times of another boot mean nothing."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
