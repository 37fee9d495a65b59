"""A place in memory: a run is a record that the test moves on by hand. No process, lock, clock or file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mosaic.daemon.places.base import Order, Place, Sight
from mosaic.errors import DataRootError
from mosaic.protocol.runs import ExitRecord, RunState, Want
from mosaic.runs.lifecycle import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mosaic.paths import RunFolder
    from mosaic.protocol.runs import RunSpec

__all__ = ["FakePlace", "Machine"]


@dataclass
class Executed:
    """One run, where it is executed."""

    spec: RunSpec
    env: dict[str, str]
    order: Order = field(default_factory=lambda: Order(want=Want.HOLD))
    kept: bool = True
    working: bool = False
    paused: bool = False
    lingers: bool = False
    """Its keeper stays after the end, as for children that the worker left behind, until ordered to stop."""
    started: float | None = None
    exit: ExitRecord | None = None


class Machine:
    """Where the runs are executed. Outlives every place, as machines outlive daemons.

    Keepers obey at the next `turn`; with `prompt` as soon as they are ordered.
    """

    def __init__(self, *, prompt: bool = False) -> None:
        self.runs: dict[str, Executed] = {}
        self.launches = 0
        self.refuses: set[str] = set()  # runs whose orders cannot be written down
        self.broken: set[tuple[str, str]] = set()  # calls that raise an OSError: method, and run unless tend
        self.collected: list[str] = []
        self.prompt = prompt

    def turn(self) -> None:
        """Let every keeper carry out its standing order."""
        for run in self.runs.values():
            if run.kept:
                self._obey(run)

    def end(self, run_id: str, *, code: int, lingers: bool = False) -> None:
        """The worker exits by itself; its keeper says so, and leaves unless it `lingers`."""
        run = self.runs[run_id]
        run.working, run.lingers = False, lingers
        if run.kept:
            run.exit, run.kept = ExitRecord(code=code, t=20.0), lingers

    def lose_keeper(self, run_id: str) -> None:
        """Somebody kills the keeper; the worker goes on."""
        self.runs[run_id].kept = False

    def kill(self, run_id: str) -> None:
        """End a worker that nobody keeps: no one learns how."""
        self.runs[run_id].working = False

    def touch(self, method: str, run_id: str = "") -> None:
        """Raise where the machine is broken for that call."""
        if (method, run_id) in self.broken:
            raise OSError(5, f"{method} is broken")

    def _obey(self, run: Executed) -> None:
        want = run.order.want
        if want is Want.STOP:
            run.exit = run.exit or (
                ExitRecord(signal=2, t=20.0, stop_asked=True)
                if run.working
                else ExitRecord(t=20.0, stop_asked=True)
            )
            run.working = run.kept = False
        elif run.exit is None:
            if want is Want.RUN and not run.working:
                run.working, run.started = True, 10.0
            run.paused = want is Want.PAUSE and run.working


class FakePlace(Place):
    """One daemon's way to a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.calls: list[str] = []
        self._ending: set[str] = set()

    def start(self) -> None:
        """See Place."""
        self.calls.append("start")

    def adopt(self, folder: RunFolder) -> None:
        """See Place."""
        self.calls.append("adopt")
        self.machine.touch("adopt", folder.run_id)
        run = self.machine.runs.get(folder.run_id)
        if run is not None and not run.kept and run.working and run.order.want is Want.STOP:
            self._ending.add(folder.run_id)

    def launch(
        self, folder: RunFolder, spec: RunSpec, env: Mapping[str, str], *, record: Callable[[], None]
    ) -> None:
        """See Place."""
        if folder.run_id in self.machine.runs:
            return
        self.machine.launches += 1
        self.machine.runs[folder.run_id] = Executed(spec, dict(env))
        record()

    def observe(self, folder: RunFolder) -> Sight:
        """See Place."""
        self.machine.touch("observe", folder.run_id)
        run = self.machine.runs.get(folder.run_id)
        if run is None:
            return Sight(verdict=Verdict(RunState.LOST, "nothing was started"))
        return Sight(
            verdict=_verdict(run),
            kept=run.kept,
            begun=True,
            want=run.order.want,
            by_reserve=run.order.by_reserve,
            started=run.started,
            exit=run.exit,
        )

    def order(self, folder: RunFolder, order: Order) -> None:
        """See Place."""
        self.machine.touch("order", folder.run_id)
        run = self.machine.runs[folder.run_id]
        if folder.run_id in self.machine.refuses:
            raise DataRootError("the order cannot be written down")
        if not run.kept and not run.working:
            return
        run.order = order
        if not run.kept and order.want is Want.STOP:
            self._ending.add(folder.run_id)
        elif self.machine.prompt:
            self.machine.turn()

    def tend(self) -> None:
        """See Place."""
        self.calls.append("tend")
        self.machine.touch("tend")
        while self._ending:
            self.machine.kill(self._ending.pop())

    def collect(self, folder: RunFolder) -> None:
        """See Place."""
        self.machine.touch("collect", folder.run_id)
        self.machine.collected.append(folder.run_id)

    def close(self) -> None:
        """See Place."""
        self.calls.append("close")


def _verdict(run: Executed) -> Verdict:
    if run.exit is not None:
        if run.exit.stop_asked:
            return Verdict(RunState.STOPPED, "stopped")
        state = RunState.FINISHED if run.exit.code == 0 else RunState.FAILED
        return Verdict(state, f"exit code {run.exit.code}")
    if not run.kept:
        return Verdict(RunState.ORPHANED if run.working else RunState.LOST, "its keeper is gone")
    if run.order.want is Want.STOP:
        return Verdict(RunState.STOPPING, run.order.reason)
    if run.paused:
        return Verdict(RunState.PAUSED, run.order.reason)
    if run.working:
        return Verdict(RunState.RUNNING, "working")
    waiting = {Want.RUN: RunState.STARTING, Want.PAUSE: RunState.PAUSED}
    return Verdict(waiting.get(run.order.want, RunState.QUEUED), run.order.reason)
