"""What reaches the journal from a script that logs to TensorBoard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker.hooks.tensorboard import parse_table
from tests.worker.stand_ins import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.recording import Recorded


def scalars(done: Recorded) -> list[tuple[Any, ...]]:
    return [(m["name"], m["value"], m.get("step"), m["source"]) for m in done.of("metric")]


@pytest.mark.parametrize("package", ["torch.utils.tensorboard", "tensorboardX"])
def test_scalars_are_metrics_with_their_own_name_and_step(tmp_path: Path, package: str) -> None:
    done = run(
        tmp_path,
        f"""
        from {package} import SummaryWriter
        import numpy as np
        writer = SummaryWriter("runs/one")
        writer.add_scalar("charts/return", 0.1, 5)
        writer.add_scalar(tag="loss", scalar_value=np.float32(0.1), global_step=np.int64(6))
        writer.add_scalar("array", np.array([2.5]))
        writer.add_scalar("nan", float("nan"), 7)
        writer.add_scalars("many", {{"a": 1, "text": "blob", "b": 2}}, 8)
        writer.add_scalar("text", "blob", 9)
        """,
    )
    assert scalars(done) == [
        ("charts/return", 0.1, 5, "tensorboard"),
        ("loss", 0.10000000149011612, 6, "tensorboard"),
        ("array", 2.5, None, "tensorboard"),
        ("nan", "NaN", 7, "tensorboard"),
        ("many/a", 1.0, 8, "tensorboard"),
        ("many/b", 2.0, 8, "tensorboard"),
    ]
    assert [event["tensorboard"] for event in done.of("artifacts")] == [str(tmp_path / "runs" / "one")]
    assert done.hook_errors == {}


def test_a_scalar_that_the_writer_refuses_is_not_recorded_and_its_error_is_the_scripts(
    tmp_path: Path,
) -> None:
    done = run(
        tmp_path,
        """
        from torch.utils.tensorboard import SummaryWriter
        try:
            SummaryWriter().add_scalar("bad", 1.0, 1)
        except ValueError as error:
            print("caught", error)
        """,
    )
    assert "caught a bad tag" in done.stdout
    assert scalars(done) == []


def test_hyperparameters_given_either_way_are_config(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        r"""
        from torch.utils.tensorboard import SummaryWriter
        writer = SummaryWriter("runs/one")
        writer.add_text("hyperparameters", "|param|value|\n|-|-|\n|seed|1|\n|env_id|CartPole-v1|")
        writer.add_text("note", "|param|value|\n|-|-|\n|seed|2|")
        writer.add_hparams({"lr": 0.1, "net": object()}, {"score": 3.0})
        """,
    )
    first, second = done.of("config")
    assert first["args"] == {"seed": 1, "env_id": "CartPole-v1"}
    assert (first["env_id"], first["seed"]) == ("CartPole-v1", 1)
    assert second["args"] == {"lr": 0.1}
    assert scalars(done) == [("score", 3.0, None, "tensorboard")]
    assert len(done.of("artifacts")) == 1  # the folder below it is part of it


def test_a_value_that_cannot_be_asked_costs_only_itself(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from torch.utils.tensorboard import SummaryWriter

        class Broken:
            def item(self):
                raise KeyError("no")

        writer = SummaryWriter()
        writer.add_scalar("broken", Broken(), 1)
        writer.add_scalar("fine", 1.0, 2)
        """,
    )
    assert [row[0] for row in scalars(done)] == ["fine"]
    assert done.hook_errors == {"tensorboard.add_scalar": 1}
    assert done.stderr.count("mosaic: ") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|param|value|\n|-|-|\n|a|1|\n|b|x|y|", {"a": 1, "b": "x|y"}),
        (
            "| param | value |\n|---|---|\n| a | 2.5e-4 |\n|b|True|\n|c|None|",
            {"a": 2.5e-4, "b": True, "c": None},
        ),
        ("|param|value|\n|-|-|\n|a|[1, 2]|\n|b|(((|", {"a": "[1, 2]", "b": "((("}),
        ("|name|value|\n|-|-|\n|a|1|", {}),
        ("", {}),
        ("|param|value|", {}),
    ],
)
def test_a_table_of_parameters_is_read_and_anything_else_is_not(
    text: str, expected: dict[str, object]
) -> None:
    assert parse_table(text) == expected
