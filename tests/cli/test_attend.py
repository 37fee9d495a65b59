"""What `mosaic run` exits with. The rest of an attendance is tested by running it: test_run."""

from __future__ import annotations

import pytest

from mosaic.cli.attend import exit_code_of
from mosaic.protocol.runs import ExitRecord, RunRow, RunState


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
