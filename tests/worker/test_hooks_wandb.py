"""What reaches the journal from a script that logs to Weights & Biases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic_worker.common.redact import MARK
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


@pytest.mark.parametrize("mode", ["online", "disabled"])
def test_what_is_set_after_init_is_recorded_call_by_call_and_only_what_changed(
    tmp_path: Path, mode: str
) -> None:
    done = run(
        tmp_path,
        f"""
        import argparse
        import wandb
        wandb.init(config={{"lr": 0.1}}, mode="{mode}")
        args = argparse.Namespace(lr=0.1, layers=[64, 64], fn=print)
        wandb.config.update(args)
        wandb.config.update(args)
        wandb.config.late = 1
        wandb.config["--dashed"] = {{"deep": {{"x": 2}}}}
        wandb.config.update({{"lr": 0.2}}, allow_val_change=True)
        wandb.config.update(d={{"late": 1, "gamma": 0.9}})
        wandb.config.setdefaults({{"gamma": 0.5, "tau": 0.01}})
        wandb.config.update("some.yaml")
        wandb.config._own = 1
        """,
    )
    assert [event["args"] for event in done.of("config")] == [
        {"lr": 0.1},
        {"layers": [64, 64]},
        {"late": 1},
        {"dashed": {"deep": {"x": 2}}},
        {"lr": 0.2},
        {"gamma": 0.9},
        {"tau": 0.01},
        {"from": "some.yaml"},
    ]
    assert done.hook_errors == {}


def test_a_value_that_wandb_refuses_is_not_recorded_and_a_config_of_no_run_neither(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import wandb
        own = wandb.Config()
        own.x = 1
        wandb.init()
        own.y = 2
        wandb.config.lr = 0.1
        try:
            wandb.config.lr = 0.2
        except ValueError as error:
            print("caught", error)
        """,
    )
    assert "caught Attempted to change value of key lr" in done.stdout
    assert [event["args"] for event in done.of("config")] == [{"lr": 0.1}]


def test_of_a_run_without_a_config_the_address_is_recorded_all_the_same(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import wandb
        wandb.Run.__init__ = lambda self, config: setattr(self, "config", None)
        wandb.init()
        """,
    )
    assert done.of("config") == []
    assert [event["wandb_url"] for event in done.of("artifacts")] == [
        "https://wandb.example/me/project/runs/1"
    ]
    assert done.hook_errors == {}


def test_of_what_is_called_like_a_password_a_mark_is_recorded(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import wandb
        wandb.init(config={"api_key": "hidden", "lr": 0.1, "db": {"host": "h", "DB_PASSWORD": "hidden"}})
        wandb.config.token = "hidden"
        wandb.config.update({"wandbApiKey": "hidden", "hf_token": "hidden", "eos_token": "</s>"})
        wandb.config.update({"max_tokens": 9, "secret": 3, "tokenizer": "bpe"})
        """,
    )
    assert [event["args"] for event in done.of("config")] == [
        {"api_key": MARK, "lr": 0.1, "db": {"host": "h", "DB_PASSWORD": MARK}},
        {"token": MARK},
        {"wandbApiKey": MARK, "hf_token": MARK, "eos_token": "</s>"},
        {"max_tokens": 9, "secret": 3, "tokenizer": "bpe"},
    ]


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
