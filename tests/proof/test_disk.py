"""G4: a full disk, and a disk that fails at any call of ingest, cost time and never an event."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.proof import tiny_disk
from tests.proof.scenes import environment


def on_a_tiny_disk(scene: str, tmp_path: Path) -> dict[str, Any]:
    """What happened when a run filled its disk. Nothing of it is mounted for anybody else."""
    disk, aside = tmp_path / "disk", tmp_path / "aside"
    disk.mkdir()
    aside.mkdir()
    command = ["unshare", "-m", sys.executable, "-m", "tests.proof.tiny_disk", scene, str(disk), str(aside)]
    done = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=240, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def assert_nothing_lost(told: dict[str, Any]) -> None:
    assert told["end"] == "finished"
    assert told["met"]["count"] < tiny_disk.COUNT, "the disk never filled up: this proves nothing"
    assert told["count"] == tiny_disk.COUNT
    assert told["in_order_and_once"]
    assert told["differences"] == []
    assert told["same_processes"], "the daemon or ingest died of it"


@pytest.mark.timeout(300)
def test_a_run_pauses_before_the_disk_is_full_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    told = on_a_tiny_disk("reserve", tmp_path)
    assert told["met"]["state"] == "paused"
    assert "disk low" in told["met"]["reason"]
    assert_nothing_lost(told)


@pytest.mark.heavy
@pytest.mark.timeout(300)
def test_on_a_full_disk_the_worker_waits_says_so_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    told = on_a_tiny_disk("full", tmp_path)
    assert told["met"]["state"] == "running"
    assert "space for the journal again" in told["stderr"], "there was no room to say it earlier"
    assert_nothing_lost(told)
