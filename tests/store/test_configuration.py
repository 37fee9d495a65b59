"""What a run was told, read at a glance."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from mosaic.store.configuration import glance_config
from mosaic.store.reader import StoreReader
from tests.store.journals import Segments, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def test_later_configs_add_to_earlier_ones(folder: RunFolder) -> None:
    assert glance_config(folder) is None
    worker = Segments(folder)
    worker.add({"type": "config", "algo": "ppo", "args": {"lr": 0.1, "net": [64]}})
    worker.add({"type": "config", "seed": 3, "args": {"lr": 0.2}, "later": 1})
    worker.write()
    ingest_all(folder)
    config = glance_config(folder)
    assert config is not None
    assert (config.algo, config.seed, config.args) == ("ppo", 3, {"lr": 0.2, "net": [64]})
    with StoreReader(folder) as reader:
        assert reader.config() == config


def test_it_loads_no_numpy() -> None:
    code = "import sys, mosaic.store.configuration; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
