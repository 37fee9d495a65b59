"""What a run's files say: all of it, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.paths import DataRoot
from mosaic.ui.details.model import Facts
from mosaic.ui.details.reading import read_facts
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from pathlib import Path


def test_manifest_summary_and_configuration_are_read(home: Path) -> None:
    run = Stored(DataRoot(home), name="mine")
    run.episodes([1.0, 2.0])
    run.event(type="config", args={"lr": 0.1})
    run.commit()
    found = read_facts(DataRoot(home), run.folder.run_id)
    assert found.manifest is not None
    assert found.manifest.spec.name == "mine"
    assert found.summary is not None
    assert found.summary.episodes == 2
    assert found.config is not None
    assert found.config.args == {"lr": 0.1}


def test_of_a_run_that_is_gone_nothing_is_known(home: Path) -> None:
    assert read_facts(DataRoot(home), "01ARZ3NDEKTSV4RRFFQ69G5FAV") == Facts()


def test_checkpoints_are_counted_as_they_are_listed_not_as_they_were_saved(home: Path) -> None:
    run = Stored(DataRoot(home), name="mine")
    run.event(type="checkpoint", path="part", sha256="0" * 64, bytes=1)
    run.event(type="checkpoint", path="whole", sha256="0" * 64, bytes=1, meta={"renamed_from": "part"})
    run.commit()
    found = read_facts(DataRoot(home), run.folder.run_id)
    assert found.summary is not None
    assert found.summary.checkpoints == 1
