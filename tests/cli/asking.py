"""What the tests of single commands share: strict JSON, and waiting for what is meant."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.app import reading

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.sdk.run import Run

__all__ = ["in_state", "json_lines", "settled", "strict_json"]


def strict_json(text: str) -> Any:
    """A JSON document without a bare NaN or Infinity in it."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"bare {name} in JSON"))


def json_lines(text: str) -> list[Any]:
    """One document per line."""
    return [strict_json(line) for line in text.splitlines()]


def in_state(run: Run, state: str) -> None:
    """Wait until a run is in a state."""
    until = time.monotonic() + 60
    while run.state != state:
        assert time.monotonic() < until, f"never {state}: {run.state}, {run.reason}"
        time.sleep(0.02)


def settled(root: DataRoot, run: Run) -> None:
    """Wait until ingest is done with a run."""
    until = time.monotonic() + 60
    while not reading.settled(root, run.id):
        assert time.monotonic() < until, "never settled"
        time.sleep(0.02)
