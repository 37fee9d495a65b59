"""What `mosaic run` exits with, and how often it starts a daemon again. The rest is tested in test_run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.cli.attend import Attendance, exit_code_of
from mosaic.protocol.runs import ExitRecord, RunRow, RunState
from mosaic.rpc.launch import daemon_running
from tests.cli.conftest import end_daemon

if TYPE_CHECKING:
    from mosaic.paths import DataRoot


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (ExitRecord(code=0), 0),
        (ExitRecord(code=7), 7),
        (ExitRecord(signal=9), 137),
        (ExitRecord(error="no such file"), 127),
        (ExitRecord(stop_asked=True), 1),
        (None, 1),
    ],
)
def test_the_exit_code_is_what_a_shell_would_have_seen(end: ExitRecord | None, code: int) -> None:
    row = RunRow(run_id="", name="", state=RunState.LOST, reason="", created=0.0, command=[], exit=end)
    assert exit_code_of(row) == code


def test_a_daemon_that_is_gone_is_started_as_often_as_allowed_and_no_more(root: DataRoot) -> None:
    said: list[str] = []
    attendance = Attendance(root, "01RUN", say=said.append, restarts=1)
    attendance._mind_the_daemon()
    assert daemon_running(root)
    assert said == ["the daemon is gone; the run goes on. Starting the daemon again"]
    end_daemon(root)
    attendance._mind_the_daemon()
    assert not daemon_running(root)
    assert len(said) == 1
