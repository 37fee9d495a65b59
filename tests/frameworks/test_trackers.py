"""The real loggers and savers (torch, tensorboardX, W&B, safetensors) under our hooks, without a daemon."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.envs import python_of
from tests.recording import Recorded, record

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]


def run(tmp_path: Path, source: str, **env: str) -> Recorded:
    script = tmp_path / "script.py"
    script.write_text(dedent(source))
    done = record([python_of("trackers"), script], folder=tmp_path, env=env, timeout_secs=300)
    assert done.returncode == 0, done.stderr
    assert done.hook_errors == {}, done.stderr
    return done


@pytest.mark.parametrize("package", ["torch.utils.tensorboard", "tensorboardX"])
def test_summary_writers_record_scalars_hyperparameters_and_their_folder(
    tmp_path: Path, package: str
) -> None:
    done = run(
        tmp_path,
        f"""
        import torch
        from {package} import SummaryWriter
        writer = SummaryWriter("runs/one")
        writer.add_scalar("a", torch.tensor(0.1, requires_grad=True), 1)
        writer.add_scalar("b", torch.tensor([2.5], dtype=torch.float64), global_step=2)
        writer.add_scalar("nan", float("nan"), 3)
        writer.add_scalars("many", {{"x": 1.5, "y": 2}}, 4)
        writer.add_histogram("h", torch.zeros(3), 5)
        writer.add_hparams({{"lr": 0.1, "net": "mlp"}}, {{"score": 3.0}})
        writer.close()
        """,
    )
    assert [(m["name"], m["value"], m.get("step")) for m in done.of("metric")] == [
        ("a", 0.10000000149011612, 1),
        ("b", 2.5, 2),
        ("nan", "NaN", 3),
        ("many/x", 1.5, 4),
        ("many/y", 2.0, 4),
        ("score", 3.0, None),
    ]
    assert [event["args"] for event in done.of("config")] == [{"lr": 0.1, "net": "mlp"}]
    assert [event["tensorboard"] for event in done.of("artifacts")] == [str(tmp_path / "runs" / "one")]


@pytest.mark.parametrize("mode", ["offline", "disabled"])
def test_wandb_records_scalars_and_config_without_an_account(tmp_path: Path, mode: str) -> None:
    done = run(
        tmp_path,
        """
        import argparse
        import numpy as np
        import wandb
        run = wandb.init(project="p", config={"lr": 0.1, "layers": [64, 64]})
        wandb.log({"loss": 0.5, "eval": {"return": np.float32(3)}, "picture": wandb.Histogram([1, 2, 3])})
        run.log({"loss": 0.25}, step=10)
        wandb.config.update(argparse.Namespace(lr=0.1, batch_size=8))
        wandb.config.late = 1
        run.config.update({"lr": 0.2}, allow_val_change=True)
        wandb.log({"loss": 0.125}, commit=False)
        wandb.log({"loss": 0.1}, step=12)
        run.finish()
        """,
        WANDB_MODE=mode,
        WANDB_SILENT="true",
    )
    assert [(m["name"], m["value"], m["step"]) for m in done.of("metric")] == [
        ("loss", 0.5, 0),
        ("eval/return", 3.0, 0),
        ("loss", 0.25, 10),
        ("loss", 0.125, 10),
        ("loss", 0.1, 12),
    ]
    assert [event["args"] for event in done.of("config")] == [
        {"lr": 0.1, "layers": [64, 64]},
        {"batch_size": 8},
        {"late": 1},
        {"lr": 0.2},
    ]
    assert {metric["source"] for metric in done.of("metric")} == {"wandb"}


def test_saved_files_are_listed_and_streams_are_not(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import io, pathlib
        import torch
        from safetensors.torch import save_file
        torch.save({"w": torch.zeros(3)}, "a.pt")
        torch.save({"w": torch.zeros(3)}, pathlib.Path("b.pt"))
        torch.save({"w": torch.zeros(3)}, io.BytesIO())
        save_file({"w": torch.zeros(3)}, "c.safetensors")
        assert torch.load("a.pt")["w"].tolist() == [0.0, 0.0, 0.0]
        """,
    )
    found = [(Path(event["path"]).name, event["kind"]) for event in done.of("checkpoint")]
    assert found == [("a.pt", "torch"), ("b.pt", "torch"), ("c.safetensors", "safetensors")]
    for event in done.of("checkpoint"):
        assert event["bytes"] == Path(event["path"]).stat().st_size


def test_a_script_that_imports_no_framework_gets_none_from_us(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        import sys
        heavy = {"torch", "numpy", "wandb", "tensorboard", "tensorboardX", "safetensors", "msgspec"}
        print(sorted(heavy & set(sys.modules)))
        """,
    )
    assert done.stdout == "[]\n"
