"""No viewer ever sees a wrong frame: frames are checked whole, HUD included, while all around them dies."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mosaic.fastlane import segment
from tests.fastlane.test_ring import fuzz
from tests.proof import frame_torture
from tests.proof.mutation import REPOSITORY

READERS = 3


class Stage:
    """Writers and readers of one run, killed and stopped at random, always as many as there should be."""

    def __init__(self, folder: Path, *, seed: int) -> None:
        self._folder = folder
        self._dice = random.Random(seed)
        self._run = folder / "run"
        self._run.mkdir()
        self.kills = {"write": 0, "read": 0}
        self.stops = 0
        self._turn = 0
        self._living: list[tuple[str, subprocess.Popen[str]]] = []
        for kind in ("write", *["read"] * READERS):
            self._start(kind)

    def _start(self, kind: str) -> None:
        argument = str(self._dice.getrandbits(32))
        if kind == "read":
            counter = self._folder / f"{argument}.count"
            counter.write_bytes(bytes(16))
            argument = str(counter)
        command = [sys.executable, "-m", "tests.proof.frame_torture", kind, str(self._run), argument]
        paths = os.environ.get("PYTHONPATH", f"{REPOSITORY / 'src'}{os.pathsep}{REPOSITORY}")
        started = subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": paths},
            stderr=subprocess.PIPE,
            text=True,
        )
        self._living.append((kind, started))

    def disturb(self, *, kill_every: int) -> None:
        """Stop somebody in the middle for a moment; every so often kill a writer or a reader instead."""
        self._turn += 1
        if self._turn % kill_every:
            _, victim = self._dice.choice(self._living)
            victim.send_signal(signal.SIGSTOP)
            time.sleep(self._dice.random() / 100)
            victim.send_signal(signal.SIGCONT)
            self.stops += 1
            return
        kind = "write" if self._turn // kill_every % 2 else "read"
        place = next(n for n, (what, _) in enumerate(self._living) if what == kind)
        victim = self._living.pop(place)[1]
        victim.kill()
        self._judge(victim, killed=True)
        self.kills[kind] += 1
        if kind == "write":
            segment.sweep()
        self._start(kind)

    def look(self) -> None:
        """Fail as soon as somebody ended by itself."""
        for _, process in self._living:
            if process.poll() is not None:
                self._judge(process, killed=False)

    def _judge(self, process: subprocess.Popen[str], *, killed: bool) -> None:
        _, said = process.communicate()
        assert "WRONG" not in said, said
        assert killed or process.returncode == -signal.SIGKILL, said

    def checked(self) -> tuple[int, int]:
        """Reads that gave a frame, each checked whole, by readers living and dead; how many were new."""
        found = [frame_torture.counts(path) for path in self._folder.glob("*.count")]
        return sum(reads for reads, _ in found), sum(new for _, new in found)

    def close(self) -> None:
        for _, process in self._living:
            process.kill()
        for _, process in self._living:
            self._judge(process, killed=True)


def torture(folder: Path, *, reads: int, kills: int, seed: int, kill_every: int) -> Stage:
    """Disturb until that many frames were checked and that many processes of each kind were killed."""
    stage, seen = Stage(folder, seed=seed), 0
    try:
        while (checked := stage.checked()[0]) < reads or min(stage.kills.values()) < kills:
            time.sleep(0.15)
            stage.look()
            if checked > seen:  # on a slow machine those just started come to read before they are disturbed
                seen = checked
                stage.disturb(kill_every=kill_every)
    finally:
        stage.close()
    segment.sweep()
    return stage


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Real shared memory of this test's own, and nothing left in it."""
    base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base, prefix="mosaic-test-") as name:
        monkeypatch.setenv("MOSAIC_SHM", name)
        yield Path(name)
        segment.sweep()
        assert not list(Path(name).glob("mosaic-*"))


@pytest.mark.timeout(600)
def test_no_frame_is_wrong_while_writers_and_readers_are_killed(memory: Path) -> None:
    torture(memory, reads=10_000, kills=1, seed=1, kill_every=4)


@pytest.mark.heavy
@pytest.mark.timeout(3600)  # minutes on two free cores; on busy ones it takes as long as it takes
def test_ten_million_reads_none_wrong(memory: Path) -> None:
    stage = torture(memory, reads=10_000_000, kills=20, seed=int(time.time()), kill_every=15)
    reads, new = stage.checked()
    print(f"{reads} reads checked whole ({new} of a new frame); killed {stage.kills}, stopped {stage.stops}")


@pytest.mark.heavy
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(4))
def test_a_million_fuzzed_headers_crash_nothing(part: int) -> None:
    assert fuzz(250_000, seed=1000 + part) > 0
