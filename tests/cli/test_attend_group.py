"""Staying with several real runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mosaic.cli.attend_group import GroupAttendance
from mosaic.sdk.connection import Connection

if TYPE_CHECKING:
    from mosaic.paths import DataRoot


def test_a_line_as_each_ends_and_the_exit_code_says_whether_all_finished(root: DataRoot) -> None:
    runs = Connection(root)
    good = runs.run([sys.executable, "-c", "print('fine')"], name="good")
    bad = runs.run([sys.executable, "-c", "raise SystemExit(3)"], name="bad")
    said: list[str] = []
    assert GroupAttendance(root, [good.id, bad.id], say=said.append).stay() == 1
    assert any(line.startswith("run good finished (exit code 0)") for line in said)
    assert any(line.startswith("run bad failed (exit code 3") for line in said)
    assert said[-1] == "1 of 2 runs finished"
    assert GroupAttendance(root, [good.id], say=said.append).stay() == 0
