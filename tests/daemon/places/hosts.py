"""What is under a place, as a test drives it: alike for this machine and for the place in memory."""

from __future__ import annotations

import abc
import contextlib
import os
import signal
from typing import TYPE_CHECKING

from mosaic.daemon.places.local.place import LocalPlace
from mosaic.paths import DataRoot, RunFolder
from mosaic.protocol.runs import RunSpec, Want
from mosaic.runs import folder as runs
from mosaic.settings import Settings
from tests.daemon.keeping import order, run_id
from tests.daemon.places.fake import FakePlace, Machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.daemon.places.base import Place

__all__ = ["FakeHost", "Host", "LocalHost"]


class Host(abc.ABC):
    """A machine whose workers wait until the test ends them."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        self.root = DataRoot(home)
        self.tmp_path = tmp_path
        self.places: list[Place] = []

    def place(self) -> Place:
        """A started place, as every new daemon makes one."""
        place = self.make()
        place.start()
        self.places.append(place)
        return place

    def launch(
        self, place: Place, number: int = 0, *, before: Callable[[RunFolder], None] = lambda _: None
    ) -> RunFolder:
        """Submit a run to a place; `before` is called with its folder when the run is recorded."""
        spec = RunSpec(run_id=run_id(number), command=self.command(number), cwd="/")
        folder = runs.prepare(self.root, spec.run_id)

        def record() -> None:
            before(folder)
            runs.create(self.root, spec, created=1.0)

        place.launch(folder, spec, {"PATH": os.environ["PATH"]}, record=record)
        return folder

    @abc.abstractmethod
    def make(self) -> Place:
        """A place on this machine."""

    @abc.abstractmethod
    def command(self, number: int) -> list[str]:
        """What waits until it is ended."""

    @abc.abstractmethod
    def turn(self) -> None:
        """Give keepers the chance to obey."""

    @abc.abstractmethod
    def end(self, folder: RunFolder, *, code: int) -> None:
        """Have the worker exit by itself."""

    @abc.abstractmethod
    def lose_keeper(self, folder: RunFolder) -> None:
        """Kill what keeps the run."""

    @abc.abstractmethod
    def close(self) -> None:
        """Leave nothing behind."""


class LocalHost(Host):
    """This machine, with real shims, and workers that only SIGKILL ends before their time."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        super().__init__(home, tmp_path)
        self._folders: set[RunFolder] = set()
        self._shims: set[int] = set()

    def launch(
        self, place: Place, number: int = 0, *, before: Callable[[RunFolder], None] = lambda _: None
    ) -> RunFolder:
        folder = super().launch(place, number, before=before)
        self._folders.add(folder)
        assert isinstance(place, LocalPlace)
        self._shims.update(process.pid for process in place._launcher._shims.values())
        return folder

    def make(self) -> Place:
        return LocalPlace(self.root, Settings(stop_int_secs=0.2, stop_term_secs=0.2), grace_secs=0.2)

    def command(self, number: int) -> list[str]:
        go = self.tmp_path / f"go{number}"
        return ["sh", "-c", f"trap '' INT TERM; while ! [ -e {go} ]; do sleep 0.02; done; exit $(cat {go})"]

    def turn(self) -> None:
        pass

    def end(self, folder: RunFolder, *, code: int) -> None:
        number = next(n for n in range(9) if run_id(n) == folder.run_id)
        made = self.tmp_path / "made"
        made.write_text(str(code))
        made.rename(self.tmp_path / f"go{number}")

    def lose_keeper(self, folder: RunFolder) -> None:
        proc = runs.read_proc(folder)
        assert proc is not None
        os.kill(proc.shim_pid, signal.SIGKILL)

    def close(self) -> None:
        for place in self.places:
            place.close()
        for folder in self._folders:  # after a test that failed halfway: its shims must not wait for ever
            order(folder, Want.STOP)
        for pid in self._shims:  # a closed place collects nobody: in real life that is up to init
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


class FakeHost(Host):
    """The place in memory."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        super().__init__(home, tmp_path)
        self.machine = Machine()

    def make(self) -> Place:
        return FakePlace(self.machine)

    def command(self, number: int) -> list[str]:
        return ["wait", str(number)]

    def turn(self) -> None:
        self.machine.turn()

    def end(self, folder: RunFolder, *, code: int) -> None:
        self.machine.end(folder.run_id, code=code)

    def lose_keeper(self, folder: RunFolder) -> None:
        self.machine.lose_keeper(folder.run_id)

    def close(self) -> None:
        for place in self.places:
            place.close()
