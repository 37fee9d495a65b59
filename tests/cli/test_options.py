"""Finding the run a command names, and reading it when its store is gone."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from mosaic.cli.eval import eval_command
from mosaic.cli.options import of_job
from mosaic.cli.train import train_command
from mosaic.rpc.launch import daemon_running
from mosaic.sdk.connection import Connection
from mosaic_worker.common.words import asked
from tests.cli.asking import settled, strict_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


@pytest.mark.usefixtures("recorded")
def test_a_run_is_found_by_prefix_in_any_case(mosaic: Callable[..., Said], recorded: DataRoot) -> None:
    (run_id,) = [path.name for path in recorded.runs.iterdir()]
    for text in (run_id, run_id[:10], run_id[:10].lower(), "printed"):
        assert strict_json(mosaic("show", text, "--json").out)["run_id"] == run_id


@pytest.mark.usefixtures("recorded")
def test_a_misspelt_name_is_answered_with_the_nearest(mosaic: Callable[..., Said]) -> None:
    said = mosaic("show", "pritned")
    assert said.code == 2
    assert "Did you mean 'printed'?" in said.err


def test_a_deleted_store_is_rebuilt_and_that_is_said(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    run = Connection(root).run(["sh", "-c", f"echo '{line}'"])
    run.wait()
    settled(root, run)
    for path in run.folder.glob("telemetry.sqlite*"):
        path.unlink()
    said = mosaic("metrics", "last", "--json")
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 1
    assert "anew" in said.err


def test_a_corrupted_store_is_rebuilt_and_that_is_said(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    line = json.dumps({"type": "metric", "name": "x", "value": 1.0})
    run = Connection(root).run(["sh", "-c", f"echo '{line}'"])
    run.wait()
    settled(root, run)
    for path in run.folder.glob("telemetry.sqlite-*"):
        path.unlink()
    (run.folder / "telemetry.sqlite").write_bytes(os.urandom(40_000))
    said = mosaic("metrics", "last", "--json")
    assert said.code == 0, said.err
    assert len(said.out.splitlines()) == 1
    assert "anew" in said.err
    assert mosaic("verify", "last").code == 0


def test_an_id_that_matches_two_runs_lists_them(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    runs = [Connection(root).run(["true"], name="twin") for _ in range(2)]
    for run in runs:
        run.wait()
    for text in ("twin", runs[0].id[:4]):
        said = mosaic("show", text)
        assert said.code == 2
        assert all(run.id in said.err for run in runs)


@pytest.mark.parametrize("command", ["show", "episodes", "stop", "rm", "export"])
def test_a_run_that_does_not_exist_is_a_usage_error(
    root: DataRoot, mosaic: Callable[..., Said], command: str
) -> None:
    extra = {"rm": ["--yes"], "export": ["--format", "csv"]}.get(command, [])
    said = mosaic(command, "nothing", *extra)
    assert said.code == 2
    assert said.err.startswith("mosaic: ")
    assert not daemon_running(root)


def test_a_command_takes_an_option_for_every_field_of_a_job_that_people_may_fill_in() -> None:
    for kind, command in (("train", train_command), ("eval", eval_command)):
        options = {option for param in command.params for option in param.opts}
        assert {field.flag for field in asked(kind)} <= options
    assert "--episodes" not in {option for param in train_command.params for option in param.opts}


def test_bounds_defaults_and_changes_of_a_field_reach_its_option() -> None:
    @click.command
    @of_job("eval", changes={"seed": {"default": 7}})
    def command(**fields: object) -> None:
        click.echo(json.dumps(fields))

    said = CliRunner().invoke(command, ["-n", "3", "--env", "E-v0"])
    assert json.loads(said.output) == {"checkout": "", "env_id": "E-v0", "seed": 7, "episodes": 3}
    refused = CliRunner().invoke(command, ["--episodes", "0"])
    assert refused.exit_code == 2
    assert "x>=1" in refused.output
