"""No viewer ever sees a wrong picture: frames are checked whole, HUD included, while all around them dies."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
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

    def disturb(self) -> None:
        """Kill one, or stop one for a moment; whoever ended by itself has found something wrong."""
        place = self._dice.randrange(len(self._living))
        kind, victim = self._living[place]
        if self._dice.random() < 0.5:
            victim.send_signal(signal.SIGSTOP)
            time.sleep(self._dice.random() / 100)
            victim.send_signal(signal.SIGCONT)
            self.stops += 1
            return
        victim.kill()
        self._judge(victim, killed=True)
        self.kills[kind] += 1
        del self._living[place]
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

    def checked(self) -> int:
        """Frames that readers, dead ones too, have checked whole."""
        return sum(frame_torture.counts(path)[0] for path in self._folder.glob("*.count"))

    def close(self) -> None:
        for _, process in self._living:
            process.kill()
        for _, process in self._living:
            self._judge(process, killed=True)


def torture(folder: Path, *, reads: int, kills: int, seed: int) -> Stage:
    """Disturb until that many frames were checked and that many processes of each kind were killed."""
    stage = Stage(folder, seed=seed)
    try:
        while stage.checked() < reads or min(stage.kills.values()) < kills:
            time.sleep(0.15)
            stage.look()
            stage.disturb()
    finally:
        stage.close()
    segment.sweep()
    return stage


def test_no_frame_is_wrong_while_writers_and_readers_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSAIC_SHM", str(tmp_path))
    torture(tmp_path, reads=10_000, kills=1, seed=1)
    assert not list(tmp_path.glob("mosaic-*"))


@pytest.mark.heavy
@pytest.mark.timeout(900)
def test_ten_million_reads_none_wrong(tmp_path: Path) -> None:
    stage = torture(tmp_path, reads=10_000_000, kills=50, seed=int(time.time()))
    print(f"{stage.checked()} frames checked whole; killed {stage.kills}, stopped {stage.stops}")


@pytest.mark.heavy
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(4))
def test_a_million_fuzzed_headers_crash_nothing(part: int) -> None:
    assert fuzz(250_000, seed=1000 + part) > 0
