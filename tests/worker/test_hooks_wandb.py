"""What reaches the journal from a script that logs to Weights & Biases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic_worker.hooks.wandb import next_step
from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("mode", ["online", "disabled"])
def test_logged_scalars_are_metrics_and_the_rest_is_left_alone(tmp_path: Path, mode: str) -> None:
    done = run(
        tmp_path,
        f"""
        import wandb
        run = wandb.init(project="p", config={{"lr": 0.1, "sizes": (64, 64), "fn": print}}, mode="{mode}")
        wandb.log({{"loss": 0.5, "eval": {{"return": 3, "deep": {{"x": True}}}}, "image": object()}})
        run.log({{"loss": 0.25}}, step=10)
        wandb.run.log({{"loss": float("inf")}}, commit=False)
        wandb.log(data={{"loss": 1}}, step=12, commit=True)
        wandb.log({{"loss": 2}})
        """,
    )
    assert [(m["name"], m["value"], m["step"], m["source"]) for m in done.of("metric")] == [
        ("loss", 0.5, 0, "wandb"),
        ("eval/return", 3.0, 0, "wandb"),
        ("eval/deep/x", 1.0, 0, "wandb"),
        ("loss", 0.25, 10, "wandb"),
        ("loss", "Infinity", 10, "wandb"),
        ("loss", 1.0, 12, "wandb"),
        ("loss", 2.0, 13, "wandb"),
    ]
    assert [event["args"] for event in done.of("config")] == [{"lr": 0.1, "sizes": [64, 64]}]
    urls = [event["wandb_url"] for event in done.of("artifacts")]
    assert urls == (["https://wandb.example/me/project/runs/1"] if mode == "online" else [])
    assert done.hook_errors == {}


def test_a_call_that_wandb_refuses_stays_the_scripts_own_error(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import wandb
        try:
            wandb.log({"loss": 1})
        except RuntimeError as error:
            print("caught", error)
        """,
    )
    assert "caught call wandb.init() first" in done.stdout
    assert done.of("metric") == []


@pytest.mark.parametrize(
    ("current", "step", "commit", "filed", "after"),
    [
        (0, None, None, 0, 1),
        (3, None, False, 3, 3),
        (3, 7, None, 7, 7),
        (7, 7, None, 7, 7),
        (7, 7, True, 7, 8),
        (7, 5, None, 5, 7),
    ],
)
def test_steps_are_counted_as_wandb_counts_them(
    *, current: int, step: int | None, commit: bool | None, filed: int, after: int
) -> None:
    assert next_step(current, step, commit) == (filed, after)
