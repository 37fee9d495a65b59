"""The documentation's worker in another language, run by Node: what it publishes, and what it reads back."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mosaic.protocol.runs import RunState
from mosaic.rpc import generate
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.daemons import Daemon, daemon, until

__all__ = ["daemon"]

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(600)]

DOCS = Path(__file__).parents[2] / "docs"
PACKAGES = ("@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.1")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with the packages it names beside it, as the documentation says."""
    assert shutil.which("node"), "there is no Node.js here; install it with: apt-get install nodejs npm"
    assert shutil.which("npm"), "there is no npm here; install it with: apt-get install npm"
    folder = tmp_path_factory.mktemp("node")
    command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(shutil.copy(DOCS / "examples" / "grpc_worker.mjs", folder))


def submit(daemon: Daemon, example: Path, *, episodes: int) -> str:
    proto = Path(generate.__file__).with_name("trainer.proto")
    words = ["node", str(example), "--episodes", str(episodes), "--proto", str(proto)]
    return daemon.submit(words).run_id


def told(daemon: Daemon, run_id: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What the worker says it published, and what it says it read back."""
    lines = daemon.root.run(run_id).stdout.read_bytes().splitlines()
    *episodes, read = [json.loads(line) for line in lines]
    return episodes, read


def agrees(daemon: Daemon, run_id: str) -> int:
    """Compare what the worker said with the store, row by row; over how many connections it read."""
    episodes, read = told(daemon, run_id)
    with StoreReader(daemon.root.run(run_id)) as reader:
        rows = reader.episodes()
        assert [(row.episode_id, row.steps, row.return_, row.outcome, row.role) for row in rows] == [
            (one["episode_id"], one["steps"], one["return"], one["outcome"], one["role"]) for one in episodes
        ]
        stored = [
            [row.episode_id, step.step, step.action, step.reward, step.seq]
            for row in rows
            for step in reader.steps(row.index)
        ]
    assert read["read"] == stored, "every step once, in the order in which they were stored"
    first = [(step, action) for name, step, action, _, _ in stored if name == episodes[0]["episode_id"]]
    assert [(one["step"], one["executed"]) for one in read["decisions"]] == first, "those of one episode"
    assert verify(daemon.root.run(run_id)) == []
    return int(read["connections"])


def test_a_node_worker_publishes_a_run_and_reads_it_back_over_dropped_connections(
    daemon: Daemon, example: Path
) -> None:
    run_id = submit(daemon, example, episodes=60)
    list(daemon.client.stream_episodes(run_id))  # ends when all of the run is in the store
    assert daemon.wait(run_id).state is RunState.FINISHED
    assert agrees(daemon, run_id) > 2


def test_a_node_worker_goes_on_when_the_daemon_is_killed(daemon: Daemon, example: Path) -> None:
    run_id = submit(daemon, example, episodes=600)
    journal = daemon.root.run(run_id).journal
    until(lambda: list(journal.glob("g*-*.jsonl*")))
    daemon.kill()
    daemon.reconnect()
    list(daemon.client.stream_episodes(run_id))
    assert daemon.wait(run_id).state is RunState.FINISHED
    assert agrees(daemon, run_id) > 2


def test_the_documentation_names_the_example_and_the_packages_it_needs() -> None:
    text = (DOCS / "grpc-worker.md").read_text()
    assert "examples/grpc_worker.mjs" in text
    for package in PACKAGES:
        assert package.rpartition("@")[0] in text
