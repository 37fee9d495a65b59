"""The setting `seal_journals`, from the trainer to the files on disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mosaic.daemon.trainer import Trainer
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.settings import Settings
from tests.daemon.keeping import run_id, until


@pytest.mark.parametrize(("seal", "suffix"), [(True, ".jsonl.zst"), (False, ".jsonl")])
def test_a_settled_journal_is_compressed_unless_the_setting_says_no(
    home: Path, *, seal: bool, suffix: str
) -> None:
    trainer = Trainer(DataRoot(home), Settings(disk_reserve_mib=0, seal_journals=seal))
    trainer.start()
    try:
        script = "import mosaic_worker; mosaic_worker.start().metric('loss', 0.5)"
        spec = RunSpec(run_id=run_id(0), command=[sys.executable, "-c", script], cwd="/")
        trainer.submit(spec, {"PATH": os.environ["PATH"]})
        until(lambda: trainer.tick() is not None and trainer.settled(run_id(0)))
        until(lambda: trainer.tick() is not None and not trainer._supervisor._shims)
        assert trainer.run(run_id(0)).metrics == 1
        segments = [path.name for path in DataRoot(home).run(run_id(0)).journal.glob("p*")]
        assert [name[name.index(".") :] for name in segments] == [suffix]
    finally:
        trainer.close()
