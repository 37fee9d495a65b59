"""A store's roll-up at a glance."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from ulid import ULID

from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.runs.folder import create
from mosaic.store.glance import glance
from mosaic.store.ingest import RunIngest

if TYPE_CHECKING:
    from pathlib import Path


def test_it_says_what_the_store_says_and_nothing_of_a_bad_one(home: Path) -> None:
    folder = create(DataRoot(home), RunSpec(run_id=str(ULID()), command=["true"], cwd="/"), created=1.0)
    assert glance(folder) is None
    folder.stdout.write_bytes(b'{"type":"metric","name":"x","value":1}\n')
    with RunIngest(folder) as ingest:
        while ingest.turn().advanced:
            pass
        summary = ingest.summary()
    assert summary.metrics == 1
    assert glance(folder) == summary
    folder.store.write_bytes(b"x" * 5000)
    assert glance(folder) is None


def test_it_loads_no_numpy() -> None:
    code = "import sys, mosaic.store.glance; assert not {'numpy', 'zstandard'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
