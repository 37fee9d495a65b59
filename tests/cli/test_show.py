"""`mosaic show`."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from ulid import ULID

from mosaic.protocol.runs import RunSpec
from mosaic.rpc.launch import daemon_running
from mosaic.runs.folder import create
from mosaic.sdk.connection import Connection
from mosaic.text import span
from tests.cli.asking import json_lines, strict_json
from tests.store.test_bystep import LAYOUT_1

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


@pytest.mark.usefixtures("recorded")
def test_show_json_keeps_its_contract(mosaic: Callable[..., Said]) -> None:
    document = strict_json(mosaic("show", "last", "--json").out)
    assert next(iter(document)) == "run_id"
    contract = [
        "run_id",
        "name",
        "state",
        "reason",
        "exit",
        "command",
        "episodes",
        "steps",
        "metrics",
        "quarantined",
        "store_seq",
        "lag_events",
    ]
    assert set(contract) <= document.keys()
    assert document["exit"]["code"] == 0
    assert document["exit"]["signal"] is None
    assert (document["episodes"], document["steps"], document["metrics"]) == (3, 12, 3)
    assert (document["quarantined"], document["lag_events"]) == (1, 0)
    assert document["parent"] is None
    assert document["created"] - 60 < document["synced"] <= document["ended"] + 60


@pytest.mark.usefixtures("recorded")
def test_show_is_readable(mosaic: Callable[..., Said]) -> None:
    said = mosaic("show", "printed")
    assert said.code == 0
    assert "finished: exit code 0" in said.out
    assert "1 lines quarantined" in said.out
    assert "survives a power loss" in said.out
    titles = {line[:11].strip() for line in said.out.splitlines()}
    assert {"episodes", "steps", "steps/s", "metrics", "return", "store"} <= titles
    document = strict_json(mosaic("show", "printed", "--json").out)
    assert f"took        {span(document['ended'] - document['started'])}\n" in said.out


@pytest.mark.usefixtures("roles")
def test_show_tells_returns_of_training_and_of_evaluation_apart(mosaic: Callable[..., Said]) -> None:
    shown = {line[:11].strip(): line[12:] for line in mosaic("show", "last").out.splitlines()}
    assert shown["return"] == (
        "30 last, 20 mean of the last 100 (training); evaluation: 92 mean of the last 100"
    )
    assert shown["environment"] == "Lake-v0", "a config said so"
    assert "'gymnasium step' failed 1,234 times, 'sb3.save' failed once" in shown["warning"]
    assert shown["roles"] == "4 training, 2 evaluation, 1 unknown"
    document = strict_json(mosaic("show", "last", "--json").out)
    assert (document["last_return"], document["mean_return_100"], document["returns_of"]) == (30, 20, "train")
    assert (document["eval_mean_return_100"], document["eval_episodes"]) == (92, 2)
    (listed,) = json_lines(mosaic("ls", "--json").out)
    assert listed["last_return"] == 30
    assert mosaic("verify", "last").code == 0


def test_a_script_that_dies_at_once_shows_its_last_words(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    run = Connection(root).run(["sh", "-c", r"printf 'boom \033[2J\n' >&2; exit 9"])
    run.wait()
    said = mosaic("show", "last")
    assert "failed: exit code 9" in said.out
    assert "  boom \\x1b[2J" in said.out
    document = json.loads(mosaic("show", "last", "--json").out)
    assert document["state"] == "failed"
    assert document["exit"]["code"] == 9
    assert document["stderr_tail"] == ["boom \x1b[2J"]


def test_a_run_of_an_earlier_version_is_listed_shown_and_read_without_a_daemon(
    root: DataRoot, mosaic: Callable[..., Said]
) -> None:
    folder = create(root, RunSpec(run_id=str(ULID()), name="old", command=["true"], cwd="/"), created=1.0)
    shutil.copytree(LAYOUT_1, folder.path, dirs_exist_ok=True)
    folder.shim_lock.touch()
    assert "old" in mosaic("ls").out
    document = strict_json(mosaic("show", "old", "--json").out)
    assert (document["state"], document["episodes"], document["steps"]) == ("finished", 3, 12)
    assert document["config"]["args"] == {"lr": 0.001}
    rows = json_lines(mosaic("events", "old", "--kind", "decision", "--episode", "2", "--json").out)
    assert [row["step"] for row in rows] == [0, 1, 2, 3]
    assert mosaic("verify", "old").code == 0
    assert not daemon_running(root)
