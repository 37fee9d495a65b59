"""A storm: processes of every kind are killed in an order drawn by a seed, under workers of every kind.

Knows what must come of each run and asks the product only to compare. A worker is known by the account it
keeps outside its run (`tests/workers/storms.py`), every other process by the kernel.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from mosaic.errors import MosaicError
from mosaic.protocol.runs import ENDED, RunState
from tests.proof import oracle
from tests.proof.scenes import WORKERS, ingest_of, kill, stored, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.protocol.runs import RunRow
    from tests.daemons import Daemon

__all__ = ["KINDS", "Storm"]

KINDS = ("worker", "shim", "daemon", "ingest", "attending", "viewer")
"""Who is killed."""
SLOW_SECS = 120.0
_WORKERS = ("single", "vector", "agents", "lines", "grpc")


@dataclass
class Life:
    """One run of a storm: its worker's account, who stays with it, and what must come of it."""

    kind: str
    place: Path
    attending: subprocess.Popen[bytes] | None
    worker: psutil.Process = field(init=False)
    shim: psutil.Process = field(init=False)
    run_id: str = ""
    expected: RunState = RunState.RUNNING
    signal: int | None = None
    killed: bool = False

    @property
    def count(self) -> int:
        """How many numbers were acknowledged to its worker."""
        try:
            return int((self.place / "count").read_text() or 0)
        except FileNotFoundError:
            return 0

    def begun(self) -> Life:
        """The same, once its worker records."""
        until(lambda: self.count > 0, timeout_secs=SLOW_SECS)
        self.run_id = (self.place / "run").read_text()
        self.worker = psutil.Process(int((self.place / "starts").read_text()))
        self.shim = psutil.Process(self.worker.ppid())
        return self

    def end(self) -> None:
        """Let its worker end by itself; of an orphan nobody will know how."""
        if self.expected in (RunState.RUNNING, RunState.ORPHANED):
            self.expected = RunState.LOST if self.expected is RunState.ORPHANED else RunState.FINISHED
            (self.place / "end").touch()


class Storm:
    """Runs and their processes, some of which are killed.

    Args:
        daemon: A daemon under which many runs may go at once.
        accounts: Where the workers keep theirs.
        seed: Of every choice.
    """

    def __init__(self, daemon: Daemon, accounts: Path, *, seed: int) -> None:
        self.killed: Counter[str] = Counter()
        self.lives: list[Life] = []
        self._daemon, self._accounts = daemon, accounts
        self._chance = random.Random(seed)
        self._viewer: subprocess.Popen[bytes] | None = None
        self._deeds: dict[str, Callable[[], None]] = {
            "worker": self._kill_worker,
            "shim": self._kill_shim,
            "daemon": self._kill_daemon,
            "ingest": self._kill_ingest,
            "attending": self._kill_attending,
            "viewer": self._kill_viewer,
        }

    def rage(self, kills: int) -> None:
        """Kill that many processes, each kind as often as the others, while a worker of every kind lives."""
        for kind in _WORKERS:
            self._start(kind, attended=self._chance.random() < 0.5)
        whom = [KINDS[number % len(KINDS)] for number in range(kills)]
        self._chance.shuffle(whom)
        for kind in whom:
            self._deeds[kind]()
            self.killed[kind] += 1
            self._assert_all_go_on()

    def settle(self) -> None:
        """Let everybody end, and compare what is left with what must be."""
        if self._viewer is not None:
            _end(self._viewer)
        for life in self.lives:
            life.end()
        until(lambda: all(row.state in ENDED for row in self._rows().values()), timeout_secs=SLOW_SECS)
        self._assert_states(self._rows())
        for life in self.lives:
            if life.attending is not None:
                life.attending.wait(timeout=SLOW_SECS)
        for life in self.lives:
            self._assert_stored(life)

    # -- who is killed -------------------------------------------------------------------------------------

    def _kill_worker(self) -> None:
        life = self._any(lambda life: life.expected is RunState.RUNNING)
        life.expected, life.signal, life.killed = RunState.FAILED, signal.SIGKILL, True
        kill(life.worker)
        self._start(life.kind, attended=life.attending is not None)

    def _kill_shim(self) -> None:
        life = self._any(lambda life: life.expected is RunState.RUNNING)
        life.expected = RunState.ORPHANED
        kill(life.shim)
        orphans = [one for one in self.lives if one.expected is RunState.ORPHANED]
        if len(orphans) > 2:  # the oldest ends; or is killed, which nobody can tell from its end
            if self._chance.random() < 0.5:
                orphans[0].expected, orphans[0].killed = RunState.LOST, True
                kill(orphans[0].worker)
            else:
                orphans[0].end()
        self._start(life.kind, attended=False)

    def _kill_daemon(self) -> None:
        ended = [life for life in self.lives if life.expected in ENDED]
        until(lambda: all(self._over(life) for life in ended), timeout_secs=SLOW_SECS)
        os.kill(self._daemon.pid, signal.SIGKILL)
        self._daemon.reconnect()
        self._assert_states(self._rows())  # its first answer

    def _kill_ingest(self) -> None:
        kill(ingest_of(self._daemon))

    def _kill_attending(self) -> None:
        attended = [one for one in self._live() if one.attending is not None and one.attending.poll() is None]
        if not attended:
            attended = [self._start(self._chance.choice(_WORKERS), attended=True)]
        life = self._chance.choice(attended)
        assert life.attending is not None
        _end(life.attending)

    def _kill_viewer(self) -> None:
        seen = self._any(lambda one: one.expected is RunState.RUNNING and one.kind in ("single", "vector"))
        self._viewer = _mosaic("watch", seen.run_id)
        maps, lanes = Path(f"/proc/{self._viewer.pid}/maps"), os.environ["MOSAIC_SHM"]
        until(lambda: lanes in maps.read_text(), timeout_secs=SLOW_SECS)  # now it looks
        _end(self._viewer)

    # -- runs ----------------------------------------------------------------------------------------------

    def _start(self, kind: str, *, attended: bool) -> Life:
        place = self._accounts / f"{len(self.lives):03d}-{kind}"
        place.mkdir(parents=True)
        command = [sys.executable, str(WORKERS / "storms.py"), kind, str(place)]
        attending = _mosaic("run", "--name", place.name, "--", *command) if attended else None
        if attending is None:
            self._daemon.submit(command, name=place.name)
        life = Life(kind, place, attending).begun()
        self.lives.append(life)
        return life

    def _live(self) -> list[Life]:
        return [one for one in self.lives if one.expected in (RunState.RUNNING, RunState.ORPHANED)]

    def _any(self, fits: Callable[[Life], bool]) -> Life:
        return self._chance.choice([one for one in self.lives if fits(one)])

    def _rows(self) -> dict[str, RunRow]:
        with contextlib.suppress(MosaicError):
            return {row.run_id: row for row in self._daemon.client.runs()}
        return {row.run_id: row for row in self._daemon.reconnect().runs()}

    # -- what must be --------------------------------------------------------------------------------------

    def _assert_all_go_on(self) -> None:
        before = {life.run_id: life.count for life in self._live()}
        until(lambda: all(life.count > before[life.run_id] for life in self._live()), timeout_secs=SLOW_SECS)

    def _over(self, life: Life) -> bool:
        """Whether nothing of an ended run is under way: its worker is gone, its shim has written how."""
        return not life.worker.is_running() and (
            life.expected is RunState.LOST or self._daemon.root.run(life.run_id).exit.exists()
        )

    def _assert_states(self, rows: dict[str, RunRow]) -> None:
        assert len(rows) == len(self.lives), "each was started once, and none is forgotten"
        for life in self.lives:
            row = rows[life.run_id]
            assert row.state is life.expected, (life, row)
            if row.state is RunState.FAILED:
                assert row.exit is not None
                assert row.exit.signal == life.signal, row
            assert (life.place / "starts").read_text() == f"{life.worker.pid}\n", "started once"

    def _assert_stored(self, life: Life) -> None:
        """Each acknowledged number is stored once, in order; one more if it was killed before counting it."""
        folder = self._daemon.root.run(life.run_id)
        until(lambda: len(stored(folder)) >= life.count, timeout_secs=SLOW_SECS)
        until(lambda: self._daemon.client.run(life.run_id).state in ENDED)
        values = stored(folder)
        assert values == list(range(len(values))), life
        assert life.count <= len(values) <= life.count + life.killed, life
        oracle.assert_stored(folder, oracle.read_journal(folder))


def _mosaic(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mosaic", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
