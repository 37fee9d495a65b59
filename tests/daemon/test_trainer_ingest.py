"""The trainer with the real ingest process: what a worker wrote is stored, settled, sealed and rebuilt."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.daemon.places.local.place import LocalPlace
from mosaic.daemon.trainer import LOCAL, Trainer
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec, RunState
from mosaic.settings import Settings
from mosaic.store.registry import read_entries
from tests.daemon.keeping import run_id, until

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def after(home: Path, command: list[str], *, seal: bool = True) -> Iterator[Trainer]:
    """A trainer whose only run, of that command, has ended and is settled."""
    root, settings = DataRoot(home), Settings(disk_reserve_mib=0, seal_journals=seal)
    local = LocalPlace(root, settings)
    trainer = Trainer(root, settings, places={LOCAL: local})
    trainer.start()
    try:
        spec = RunSpec(run_id=run_id(0), command=command, cwd="/")
        trainer.submit(spec, {"PATH": os.environ["PATH"]})
        until(lambda: trainer.tick() is not None and trainer.settled(run_id(0)))
        until(lambda: trainer.tick() is not None and not local._launcher._shims)
        yield trainer
    finally:
        trainer.close()


def test_a_shell_script_that_prints_events_is_stored_settled_and_rebuilt(home: Path) -> None:
    lines = [
        {"type": "reset", "episode_id": "e"},
        *({"type": "step", "episode_id": "e", "step": n, "reward": 1.0} for n in range(3)),
        {"type": "episode", "episode_id": "e", "steps": 3, "return": 3.0},
        {"type": "metric", "name": "loss", "value": 0.5},
    ]
    script = "".join(f"echo '{json.dumps(line)}'\n" for line in lines) + "echo plain words\n"
    with after(home, ["sh", "-c", script]) as trainer:
        row = trainer.run(run_id(0))
        assert row.state is RunState.FINISHED
        assert (row.episodes, row.steps, row.metrics, row.quarantined) == (1, 3, 1, 0)
        assert row.last_return == 3.0
        DataRoot(home).run(run_id(0)).store.unlink()
        assert trainer.rebuild(run_id(0)).steps == 3
    assert [entry.settled for entry in read_entries(DataRoot(home).registry)] == [True]


@pytest.mark.parametrize(("seal", "suffix"), [(True, ".jsonl.zst"), (False, ".jsonl")])
def test_a_settled_journal_is_compressed_unless_the_setting_says_no(
    home: Path, *, seal: bool, suffix: str
) -> None:
    script = "import mosaic_worker; mosaic_worker.start().metric('loss', 0.5)"
    with after(home, [sys.executable, "-c", script], seal=seal) as trainer:
        assert trainer.run(run_id(0)).metrics == 1
        segments = [path.name for path in DataRoot(home).run(run_id(0)).journal.glob("p*")]
        assert [name[name.index(".") :] for name in segments] == [suffix]
