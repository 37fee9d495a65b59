"""What reaches the journal from d3rlpy's logger and savers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path


def test_each_metric_of_an_epoch_is_recorded_once_whichever_adapter_writes_it(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from d3rlpy.logging.logger import D3RLPyLogger
        logger = D3RLPyLogger()
        logger.buffer = {"loss": [1.0, 2.0], "time_step": [0.5]}
        logger.commit(1, 20)
        logger.buffer = {"loss": [3.0]}
        logger.commit(epoch=2, step=40)
        """,
    )
    assert [(m["name"], m["value"], m["step"], m["source"]) for m in done.of("metric")] == [
        ("loss", 1.5, 20, "d3rlpy"),
        ("time_step", 0.5, 20, "d3rlpy"),
        ("loss", 3.0, 40, "d3rlpy"),
    ]
    assert done.hook_errors == {}


def test_what_it_saves_is_listed_once(tmp_path: Path) -> None:
    done = run(tmp_path, "from d3rlpy.base import LearnableBase\nLearnableBase().save('all.d3')\n")
    assert [(c["path"], c["kind"]) for c in done.of("checkpoint")] == [(str(tmp_path / "all.d3"), "d3rlpy")]
    assert done.hook_errors == {}
