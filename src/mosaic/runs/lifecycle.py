"""Which state a run is in, from what its folder shows. Pure: no clock, pid or file.

Precedence: how the worker ended (`exit.json`), then who is alive (the locks), then what was ordered. A run is
`finished` only when the kernel reported exit code 0; what nobody can know is called unknown. Where the state
hangs on something that is there and cannot be read, the run is `unreadable`, with what and why.
"""

from __future__ import annotations

import msgspec

from mosaic.protocol.runs import Control, ExitRecord, ProcRecord, RunState, Want

__all__ = ["Seen", "Verdict", "judge", "signal_name"]

_ALWAYS = ("folder", "journal", "exit.json")  # without them nothing can be said of a run
_LOCKS = ("shim.lock", "tree.lock")  # they decide as long as there is no exit record
_ORDERS = ("proc.json", "control.json")  # they decide as long as a shim obeys them

_SIGNALS = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}  # fmt: skip


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a run's folder showed at one look."""

    exit: ExitRecord | None = None
    shim_alive: bool = False
    tree_alive: bool = False
    proc: ProcRecord | None = None
    control: Control | None = None
    shim_status: int | None = None
    """How the shim failed: its exit code, or a signal as a negative number. Only its parent can know."""
    bad: dict[str, str] = {}
    """What is there and cannot be read, by name (`folder`, `journal`, a record, a lock), each with why."""

    @property
    def started(self) -> float | None:
        """When the worker was started, if it was."""
        return None if self.proc is None else self.proc.started


class Verdict(msgspec.Struct, frozen=True):
    """A state, and why, in plain words."""

    state: RunState
    reason: str


def judge(seen: Seen) -> Verdict:
    """The state of a run that looks like this. Total: every look has exactly one."""
    if why := _unreadable(seen):
        return Verdict(RunState.UNREADABLE, why)
    if seen.exit is not None:
        return _ended(seen.exit)
    if seen.shim_alive:
        return _with_shim(seen.proc, seen.control or Control())
    stop_asked = seen.control is not None and seen.control.want is Want.STOP
    if seen.tree_alive:
        then = (
            "the worker is being stopped"
            if stop_asked
            else "the worker goes on; its exit code will be unknown"
        )
        return Verdict(RunState.ORPHANED, f"its shim was killed, {then}")
    why = _first(seen, _ORDERS)
    if why:
        why = f"nobody keeps it, and how it ended is not recorded: {why}"
    return Verdict(RunState.LOST, why or _how_lost(seen.proc, seen.shim_status, stop_asked=stop_asked))


def _unreadable(seen: Seen) -> str:
    """What the state hangs on and cannot be read, and why; nothing when all of it can."""
    if why := _first(seen, _ALWAYS):
        return why
    if seen.exit is not None:
        return ""
    return _first(seen, _LOCKS) or (_first(seen, _ORDERS) if seen.shim_alive else "")


def _first(seen: Seen, names: tuple[str, ...]) -> str:
    return next((seen.bad[name] for name in names if name in seen.bad), "")


def _how_lost(proc: ProcRecord | None, shim_status: int | None, *, stop_asked: bool) -> str:
    failed = "" if shim_status is None else f"its shim {_failed(shim_status)}"
    if proc is None:
        return f"nothing was started: {failed or 'the daemon or the shim died while it was being submitted'}"
    if proc.worker_pid is None:
        return f"{failed or 'its shim was killed'} before the worker started"
    if stop_asked:
        return "it was stopped, but its shim had been killed: the exit code is unknown"
    if failed:
        return f"{failed}, and the worker is gone without an exit code"
    return "the worker and its shim are gone without an exit code: killed, or power lost"


def _failed(status: int) -> str:
    return f"was killed by {signal_name(-status)} ({-status})" if status < 0 else f"ended with code {status}"


def _ended(exit_: ExitRecord) -> Verdict:
    how = _how(exit_)
    if exit_.stop_asked:
        return Verdict(RunState.STOPPED, how)
    if exit_.code == 0 and exit_.signal is None and exit_.error is None:
        return Verdict(RunState.FINISHED, how)
    return Verdict(RunState.FAILED, how)


def _how(exit_: ExitRecord) -> str:
    if exit_.error is not None:
        return exit_.error
    if exit_.signal is not None:
        return f"killed by {signal_name(exit_.signal)} ({exit_.signal})"
    if exit_.code is not None:
        return f"exit code {exit_.code}"
    return "stopped before it started" if exit_.stop_asked else "exit.json names neither a code nor a signal"


def _with_shim(proc: ProcRecord | None, control: Control) -> Verdict:
    if control.want is Want.STOP:
        if proc is not None and proc.unkillable:
            return Verdict(RunState.STOPPING, f"cannot be killed: {', '.join(proc.unkillable)}")
        return Verdict(RunState.STOPPING, control.reason or "asked to stop")
    if proc is None or proc.worker_pid is None:
        return _waiting(control)
    if proc.paused:
        unpausing = control.want is not Want.PAUSE
        return Verdict(RunState.PAUSED, "unpausing" if unpausing else control.reason or "paused")
    return Verdict(RunState.RUNNING, "pausing" if control.want is Want.PAUSE else "the worker is alive")


def _waiting(control: Control) -> Verdict:
    if control.want is Want.RUN:
        return Verdict(RunState.STARTING, "the worker is being started")
    if control.want is Want.PAUSE:
        return Verdict(RunState.PAUSED, control.reason or "paused before it started")
    return Verdict(RunState.QUEUED, control.reason or "waiting for a free slot")


def signal_name(number: int) -> str:
    """The usual name of a signal."""
    return _SIGNALS.get(number, f"signal {number}")
