from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon.places.local.orphans import OrphanStop, members, rung
from mosaic.daemon.places.local.processes import boot_id, look
from mosaic.paths import DataRoot
from mosaic.protocol.runs import ProcRecord
from mosaic.runs import folder as runs
from tests.daemon.keeping import RUN_ID, until, worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mosaic.paths import RunFolder


def folder_in(place: Path) -> RunFolder:
    """The folder of the same run in a data root there."""
    return runs.prepare(DataRoot(place / "home"), RUN_ID)


@pytest.fixture
def orphan(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    folder = folder_in(tmp_path)
    env = {"MOSAIC_RUN_DIR": str(folder.path), "MOSAIC_RUN_ID": RUN_ID, "PATH": os.environ["PATH"]}
    command = ["sh", "-c", "env -i " + " ".join(worker("sleeps", tmp_path / "ready")) + " & wait"]
    with subprocess.Popen(command, env=env) as process:
        until((tmp_path / "ready").exists)
        yield process
        for member in members(folder, None):
            os.kill(member.pid, signal.SIGKILL)
        until(lambda: not members(folder, None))


def test_members_are_found_by_environment_and_descent(
    orphan: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    child = int((tmp_path / "ready").read_text())
    assert [member.pid for member in members(folder_in(tmp_path), None)] == sorted([orphan.pid, child])


@pytest.mark.usefixtures("orphan")
def test_a_run_of_the_same_id_in_another_data_root_is_left_alone(tmp_path: Path) -> None:
    assert members(folder_in(tmp_path / "another"), None) == []


def test_a_data_root_may_be_spelled_in_another_way(orphan: subprocess.Popen[bytes], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "home")
    found = members(DataRoot(tmp_path / "link").run(RUN_ID), None)
    assert orphan.pid in [member.pid for member in found]


def test_the_recorded_worker_counts_only_if_it_is_the_same_process(
    orphan: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    here = look(orphan.pid)
    assert here is not None
    other = folder_in(tmp_path / "another")
    record = ProcRecord(
        shim_pid=1, worker_pid=here.pid, worker_start_ticks=here.start_ticks, boot_id=boot_id()
    )
    assert here in members(other, record)
    reused = ProcRecord(shim_pid=1, worker_pid=here.pid, worker_start_ticks=1, boot_id=boot_id())
    assert members(other, reused) == []
    other_boot = ProcRecord(
        shim_pid=1, worker_pid=here.pid, worker_start_ticks=here.start_ticks, boot_id="another"
    )
    assert members(other, other_boot) == []


def test_the_ladder_has_three_rungs() -> None:
    due = [rung(secs, int_secs=3.0, term_secs=3.0) for secs in (0.0, 2.9, 3.0, 5.9, 6.0, 100.0)]
    assert due == [signal.SIGINT] * 2 + [signal.SIGTERM] * 2 + [signal.SIGKILL] * 2


def test_climbing_ends_when_nothing_is_left(orphan: subprocess.Popen[bytes], tmp_path: Path) -> None:
    ladder = OrphanStop(folder_in(tmp_path), None, int_secs=0.0, term_secs=0.0)
    assert ladder.climb(0.0) is False
    assert orphan.wait(timeout=60) == -signal.SIGKILL
    until(lambda: ladder.climb(1.0))
