"""What a preflight judges: gathered here from settings, disk, memory, services, earlier runs and a child.

Gathers only; what the facts mean is decided in `mosaic.runners.decide`.
"""

from __future__ import annotations

import os
import shutil
import socket
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from mosaic.runners.environments import Readiness, readiness
from mosaic.runners.parameters import env_arguments
from mosaic.runners.probe import Findings, probe
from mosaic.settings import load
from mosaic.store.registry import read_entries

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.cards import Job, RunnerCard

__all__ = ["Facts", "bytes_per_step", "gather", "memory_available"]

_RECENT_RUNS = 5
_ENOUGH_STEPS = 2000


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a decision needs."""

    readiness: Readiness
    found: Findings | None = None
    """None when there was no interpreter to ask, or nothing to ask it."""
    disk_free: int = 0
    disk_reserve: int = 0
    inline_bytes: int = 1024
    measured_step_bytes: float | None = None
    """What a step of this environment took on disk in earlier runs."""
    memory_available: int | None = None
    services: dict[str, bool | None] = {}
    """Whether each service answers; None when its name does not say where it is."""


def gather(
    root: DataRoot, card: RunnerCard, job: Job, *, python: str | None = None, cwd: str | None = None
) -> Facts:
    """Look at everything. Blocks while a child tries the environment."""
    settings = load(root)
    ready = readiness(root, card, python=python, settings=settings)
    found = None
    if ready.python is not None and (card.needs_env or card.imports):
        wanted = job.env_id if card.needs_env else ""
        gpu = card.capabilities.gpu != "no"
        found = probe(
            ready.python,
            env_id=wanted,
            kwargs=env_arguments(job.parameters),
            imports=[] if ready.proved else card.imports,
            steps=20,
            gpu=gpu,
            torch=card.torch,
            cwd=cwd,
        )
    return Facts(
        readiness=ready,
        found=found,
        disk_free=shutil.disk_usage(_nearest(root.runs)).free,
        disk_reserve=settings.disk_reserve_mib << 20,
        inline_bytes=settings.obs_inline_bytes,
        measured_step_bytes=bytes_per_step(root, job.env_id) if job.env_id else None,
        memory_available=memory_available(),
        services={name: _answers(name) for name in card.capabilities.services},
    )


def bytes_per_step(root: DataRoot, env_id: str) -> float | None:
    """How much disk a step of this environment took in the latest runs; None when none is long enough."""
    taken = steps = looked = 0
    for entry in sorted(read_entries(root.registry), key=lambda entry: entry.row.created, reverse=True):
        row = entry.row
        if env_id not in row.env_ids or row.steps < _ENOUGH_STEPS:
            continue
        folder = root.run(row.run_id)
        for path in (folder.journal, folder.store):
            taken += _size(path)
        steps += row.steps
        looked += 1
        if looked == _RECENT_RUNS:
            break
    return taken / steps if steps else None


def _size(path: Path) -> int:
    total = 0
    with suppress(OSError):  # deleted meanwhile
        files = path.iterdir() if path.is_dir() else [path]
        for file in files:
            total += file.stat().st_blocks * 512
    return total


def _nearest(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def memory_available(
    meminfo: Path = Path("/proc/meminfo"), cgroup: Path = Path("/sys/fs/cgroup")
) -> int | None:
    """What programs can still have: of the machine, or of the container when that has less."""
    found: list[int] = []
    with suppress(OSError, ValueError, IndexError):
        lines = meminfo.read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    with suppress(OSError, ValueError):  # no limit is the word "max"
        limit = int((cgroup / "memory.max").read_text(encoding="ascii"))
        found.append(max(0, limit - int((cgroup / "memory.current").read_text(encoding="ascii"))))
    return min(found, default=None)


def _answers(service: str) -> bool | None:
    """Whether something listens at `tcp://host:port`, `http://host:port`, or the address in `$VARIABLE`."""
    address = os.environ.get(service[1:], "") if service.startswith("$") else service
    parts = urlsplit(address)
    if not parts.hostname:
        return False if service.startswith("$") else None
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    if port is None:
        return None
    try:
        with closing(socket.create_connection((parts.hostname, port), timeout=3)):
            return True
    except OSError:
        return False
