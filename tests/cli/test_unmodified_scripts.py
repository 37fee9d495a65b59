"""`mosaic run` on scripts that know nothing of it: everything asked afterwards equals what they counted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.acceptance import assert_recorded_as_counted, workbench

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, SCRIPTS / "gym_plain.py"],
        [sys.executable, SCRIPTS / "gym_vector.py", "sync"],
        [sys.executable, SCRIPTS / "gym_vector.py", "async"],
        [sys.executable, SCRIPTS / "pettingzoo_aec.py"],
        [sys.executable, SCRIPTS / "pettingzoo_parallel.py"],
        ["sh", SCRIPTS / "json_lines.sh"],
    ],
    ids=["plain", "vector-sync", "vector-async", "pettingzoo-aec", "pettingzoo-parallel", "shell"],
)
def test_a_script_is_recorded_exactly_as_it_counted(home: Path, command: list[str | Path]) -> None:
    with workbench(home) as bench:
        assert_recorded_as_counted(bench, command)
