"""What a run is: its spec, its states, and the records its folder holds. Pure data."""

from __future__ import annotations

import enum
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr

from mosaic.protocol.cards import COMMAND_RUNNER, Job
from mosaic.protocol.ready import ready
from mosaic.protocol.rows import RollUp

__all__ = [
    "DELETABLE",
    "ENDED",
    "Control",
    "ExitRecord",
    "Manifest",
    "ProcRecord",
    "RunRow",
    "RunSpec",
    "RunState",
    "ScriptRecord",
    "StateChange",
    "Want",
    "elapsed_secs",
    "in_order",
]


_Secs = Annotated[float, Meta(ge=0.0, le=31536000.0)]  # a year: a wait that a kernel takes
_Pid = Annotated[int, Meta(ge=1, le=1 << 22)]  # the kernel's own limit
_Ticks = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
_Signal = Annotated[int, Meta(ge=1, le=127)]
_Code = Annotated[int, Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
# Records come from folders that anybody may have written: what is out of range is refused where it is read,
# so that no list and no message meets it later. Times are not refused, because no time may change a run's
# state: one that no calendar shows counts as unknown.
_LATEST = 253402300799.0  # the end of the year 9999


def _shown(t: float) -> float:
    return t if 0.0 <= t <= _LATEST else 0.0


class RunState(str, enum.Enum):
    """Where a run stands. A state is never guessed; each comes with a reason in plain words."""

    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    ORPHANED = "orphaned"
    LOST = "lost"
    UNREADABLE = "unreadable"
    """What lies in its folder does not tell: the reason names the file and what is wrong with it."""


ENDED = frozenset({RunState.FINISHED, RunState.FAILED, RunState.STOPPED, RunState.LOST})
"""No process of the run is left, and none will come."""

DELETABLE = ENDED | {RunState.UNREADABLE}
"""What may be asked to be deleted. Of an unreadable run the daemon looks first whether a process is left."""


class RunSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the user asked for.

    The worker's environment variables are deliberately not part of it: they may hold secrets, so they travel
    from client to daemon to shim in memory only.
    """

    run_id: str
    command: list[str]
    cwd: str
    name: str = ""
    tags: dict[str, str] = {}
    runner: str = COMMAND_RUNNER
    record: dict[str, Any] = {}
    parent: str | None = None
    job: Job | None = None
    """What a runner was asked for; None for a plain command."""


class ScriptRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The user's script as it was at submission."""

    path: str
    sha256: str
    git_commit: str | None = None
    git_dirty: bool | None = None


class StateChange(msgspec.Struct, frozen=True):
    """One entry of a manifest's history."""

    state: RunState
    reason: str
    t: float

    def __post_init__(self) -> None:
        force_setattr(self, "t", _shown(self.t))


class Manifest(msgspec.Struct, kw_only=True, omit_defaults=True):
    """manifest.json: the spec and how the run fared. Written atomically, by the daemon alone."""

    format: int = 1
    spec: RunSpec
    created: float
    mosaic_version: str = ""
    host: str = ""
    script: ScriptRecord | None = None
    history: list[StateChange] = []

    def __post_init__(self) -> None:
        self.created = _shown(self.created)


class Want(str, enum.Enum):
    """What the daemon wants of a shim."""

    HOLD = "hold"
    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


class Control(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """control.json: the daemon's standing order to the shim, replaced atomically."""

    want: Want = Want.HOLD
    reason: str = ""
    int_secs: _Secs = 3.0
    term_secs: _Secs = 3.0
    by_reserve: bool = False
    """Paused because the disk is low: resumed by itself, unlike what a user paused."""


class ProcRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """proc.json: what the shim started. Rewritten when it pauses or resumes the worker."""

    shim_pid: _Pid
    worker_pid: _Pid | None = None
    worker_start_ticks: _Ticks | None = None
    started: float | None = None
    paused: bool = False
    boot_id: str = ""
    shim_start_ticks: _Ticks | None = None
    lock_inode: int | None = None
    """Of the shim.lock that the shim holds: another file of that name says nothing of it."""
    unkillable: list[str] = []

    def __post_init__(self) -> None:
        if self.started is not None:
            force_setattr(self, "started", _shown(self.started))


class ExitRecord(msgspec.Struct, frozen=True, kw_only=True):
    """exit.json: how the worker ended, as the kernel told the shim.

    Exactly one of `code` and `signal` is set, unless the command could not be started at all (`error`).
    """

    code: _Code | None = None
    signal: _Signal | None = None
    t: float = 0.0
    stop_asked: bool = False
    error: str | None = None
    leftovers: list[str] = []

    def __post_init__(self) -> None:
        force_setattr(self, "t", _shown(self.t))


class RunRow(RollUp, frozen=True, kw_only=True):
    """One run in a listing: what it is, how it stands, and the roll-up of its store."""

    run_id: str
    name: str
    state: RunState
    reason: str
    created: float
    command: list[str]
    tags: dict[str, str] = {}  # noqa: RUF012  (msgspec gives each row its own)
    exit: ExitRecord | None = None
    started: float | None = None
    ended: float | None = None
    runner: str = COMMAND_RUNNER
    algorithm: str = ""
    group: str | None = None
    parent: str | None = None
    paused_secs: float = 0.0
    """How long it was paused, in pauses that are over."""
    paused_since: float | None = None
    """Since when it is paused; None when it is not."""


def elapsed_secs(row: RunRow, *, now: float) -> float | None:
    """How long a run has run, or ran, without the time it was paused; None when it has not started."""
    if row.started is None:
        return None
    until = row.ended if row.ended is not None else now if row.paused_since is None else row.paused_since
    return max(0.0, until - row.started - row.paused_secs)


def in_order(row: RunRow) -> dict[str, Any]:
    """The fields of a row as a listing writes them: what the run is, then the numbers of its store."""
    numbers = RollUp.__struct_fields__
    own = [name for name in RunRow.__struct_fields__ if name not in numbers]
    return {name: getattr(row, name) for name in (*own, *numbers)}


ready(Manifest, Control, ProcRecord, ExitRecord, RunRow)
