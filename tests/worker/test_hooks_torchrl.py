"""What reaches the journal from TorchRL's loggers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path


def test_each_scalar_of_the_csv_logger_is_recorded_at_its_step(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from torchrl.record.loggers.csv import CSVLogger
        logger = CSVLogger()
        logger.log_scalar("train/q_loss", 1.5, 20)
        logger.log_scalar("eval/reward", value=9, step=40)
        logger.log_scalar("text", "no number")
        """,
    )
    assert [(m["name"], m["value"], m.get("step"), m["source"]) for m in done.of("metric")] == [
        ("train/q_loss", 1.5, 20, "torchrl"),
        ("eval/reward", 9.0, 40, "torchrl"),
    ]
    assert done.hook_errors == {}
