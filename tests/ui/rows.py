"""Rows of runs, for tests that need some."""

from __future__ import annotations

from typing import Any

from mosaic.protocol.runs import RunRow, RunState

__all__ = ["row", "run_id"]


def run_id(number: int) -> str:
    """A run's id; larger numbers are newer."""
    return f"01JROW{number:020d}"


def row(number: int = 1, **more: Any) -> RunRow:
    """A run, running since its number as a time."""
    given: dict[str, Any] = {
        "run_id": run_id(number),
        "name": f"run-{number}",
        "state": RunState.RUNNING,
        "reason": "",
        "created": float(number),
        "command": ["python", "train.py"],
        "started": float(number),
    }
    return RunRow(**(given | more))
