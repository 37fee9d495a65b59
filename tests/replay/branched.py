"""Real branches without a daemon: planned by the workbench, played as their program does, and ingested."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ulid import ULID

from mosaic.protocol.sessions import Seat
from mosaic.replay.branch import Going, plan_branch
from mosaic.store.reader import StoreReader
from tests.replay.recorded import record

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

__all__ = ["branched"]

_PLAYED_ON = """
import json
from mosaic_worker.replay.playing_on import Plan, play_on
play_on(Plan(**json.loads({plan!r})))
"""
_NOOP = Seat(kind="noop", name="noop")


def branched(
    parent: RunFolder, episode: int, step: int, *, seat: Seat = _NOOP, max_steps: int = 10_000
) -> RunFolder:
    """A branch of a recorded run, beside it."""
    going = Going(seats={"*": seat}, max_steps=max_steps)
    with StoreReader(parent) as reader:
        spec = plan_branch(parent, reader, episode, step, run_id=str(ULID()), going=going)
    plan = Path(spec.command[-1])
    text = plan.read_text()
    plan.unlink()
    return record(parent.path.parent.parent, _PLAYED_ON.format(plan=text))
