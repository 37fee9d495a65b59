"""A real session in a process of its own, with a person's client on it; no daemon."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ulid import ULID

from mosaic import worker_site
from mosaic.app.hands import Hands
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.hands import Answer, Now, Offer
from mosaic.protocol.runs import ExitRecord, Manifest, RunSpec
from mosaic.runs.files import write_json
from mosaic.store.ingest import RunIngest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder

__all__ = ["PERSON", "Person", "playing", "session", "settle"]

PERSON = {"kind": "person", "name": "person"}
_SECS = 60.0


class Person:
    """Somebody with a hand in a session, who waits until the session has said what was expected."""

    def __init__(self, folder: RunFolder, process: subprocess.Popen[bytes], *, name: str = "me") -> None:
        self.folder, self.process = folder, process
        until = time.monotonic() + _SECS
        while True:
            try:
                self.hands = Hands(folder, name=name)
                break
            except UsageError:
                assert process.poll() is None, "the session has ended"
                assert time.monotonic() < until, "the session does not listen"
                select.select([], [], [], 0.01)
        self.offer: Offer | None = None
        self.now: Now | None = None
        self.answers: dict[int, str] = {}
        self.said: list[Any] = []

    def close(self) -> None:
        self.hands.close()

    def hear(self, secs: float = 0.1) -> None:
        """Read what has been said, waiting a moment for it."""
        select.select([self.hands], [], [], secs)
        for one in self.hands.read():
            self.said.append(one)
            if isinstance(one, Now):
                self.now = one
            elif isinstance(one, Offer):
                self.offer = one
            elif isinstance(one, Answer):
                self.answers[one.id] = one.refused

    def until(self, holds: Callable[[Now], bool]) -> Now:
        """How the session stands once this holds."""
        until = time.monotonic() + _SECS
        while self.now is None or not holds(self.now):
            assert not self.hands.ended, f"the session has gone; it last said {self.now}"
            assert time.monotonic() < until, f"it never came: {self.now}"
            self.hear()
        return self.now

    def order(self, do: Any, **more: Any) -> str:
        """Order something, and wait for the answer: why it was refused, or nothing."""
        number = self.hands.order(do, **more)
        until = time.monotonic() + _SECS
        while number not in self.answers:
            assert time.monotonic() < until, f"{do} was never answered"
            assert not self.hands.ended, f"the session has gone; it last said {self.now}"
            self.hear()
        return self.answers[number]

    def act(self, action: Any, *, actor: str | None = None) -> Now:
        """Act when it is one's turn; how it stands at the next turn, or at the end."""
        self.until(lambda now: _seat(now, actor).waits)
        assert self.now is not None
        before = (self.now.episode, self.now.tick)
        assert not self.order("act", action=action, actor=actor)
        return self.until(
            lambda now: (
                ((now.episode, now.tick) > before and (_seat(now, actor).waits or _seat(now, actor).over))
                or _seat(now, actor).over
            )
        )

    def leave(self) -> None:
        """Order the end, and wait for it."""
        self.order("quit")
        assert self.process.wait(_SECS) == 0


def _seat(now: Now, actor: str | None) -> Any:
    return next(seat for seat in now.seats if actor in (None, seat.actor))


@contextmanager
def session(home: Path, **plan: Any) -> Iterator[Person]:
    """Play what a plan of the session's driver says, with a person at hand. It is ended in the end."""
    with playing(home, "-m", "mosaic_worker.drivers.session", json.dumps(plan)) as person:
        yield person


@contextmanager
def playing(home: Path, *words: str) -> Iterator[Person]:
    """A Python program in which somebody plays, as a worker, with a person at hand; ended in the end."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    root = DataRoot(home)
    site = worker_site.install(root)
    run_id = str(ULID())
    folder = root.run(run_id)
    folder.journal.mkdir(mode=0o700, parents=True)
    command = [sys.executable, *words]
    spec = RunSpec(run_id=run_id, command=command, cwd=str(home))
    write_json(folder.manifest, Manifest(spec=spec, created=0.0, host=socket.gethostname()))
    ours = {"PYTHONPATH": str(site), "MOSAIC_RUN_DIR": str(folder.path), "MOSAIC_RUN_ID": run_id}
    with (folder.path / "stdout.log").open("wb") as out, (folder.path / "stderr.log").open("wb") as err:
        process = subprocess.Popen(command, cwd=home, env={**os.environ, **ours}, stdout=out, stderr=err)
    person = None
    try:
        person = Person(folder, process)
        yield person
    finally:
        if person is not None:
            person.close()
        process.terminate()
        process.wait(_SECS)


def settle(folder: RunFolder) -> None:
    """Ingest all that an ended run has left."""
    write_json(folder.exit, ExitRecord(code=0))
    with RunIngest(folder) as ingest:
        while not ingest.settle():
            pass
