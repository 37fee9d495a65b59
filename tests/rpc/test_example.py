"""The worked example in the documentation does what the documentation says."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic.protocol.runs import RunState
from mosaic.rpc import generate
from mosaic.store.reader import StoreReader
from tests.daemons import Daemon, until

DOCS = Path(__file__).parent.parent.parent / "docs"
EXAMPLE = DOCS / "examples" / "grpc_worker.py"


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """The generated code, made as the documentation says."""
    target = tmp_path / "stubs"
    target.mkdir()
    proto = Path(generate.__file__).parent
    arguments = [f"-I{proto}", f"--python_out={target}", f"--grpc_python_out={target}", "trainer.proto"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *arguments], check=True)
    return target


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example, where it cannot find anything of ours beside it."""
    return Path(shutil.copy(EXAMPLE, tmp_path / "grpc_worker.py"))


def expected(daemon: Daemon, run_id: str) -> list[tuple[str, int, float, str]]:
    """The episodes as the worker itself counted them, on its standard output."""
    told = daemon.client.logs(run_id).data.decode().splitlines()
    rows = [json.loads(line) for line in told]
    return [(row["episode_id"], row["steps"], row["return"], row["outcome"]) for row in rows]


def stored(daemon: Daemon, run_id: str) -> list[tuple[str, int, float, str | None]]:
    """The episodes in the store."""
    with StoreReader(daemon.root.run(run_id)) as reader:
        return [(row.episode_id, row.steps, row.return_, row.outcome) for row in reader.episodes()]


def test_its_episodes_arrive_in_the_store_exactly(daemon: Daemon, example: Path, stubs: Path) -> None:
    row = daemon.submit([sys.executable, str(example), "--episodes", "30", "--stubs", str(stubs)])
    batches = list(daemon.client.stream_episodes(row.run_id))  # ends when all of the run is in the store
    assert daemon.wait(row.run_id).state is RunState.FINISHED
    assert len(expected(daemon, row.run_id)) == 30
    assert stored(daemon, row.run_id) == expected(daemon, row.run_id)
    streamed = {episode.episode_id: episode for batch in batches for episode in batch.rows}
    assert len(streamed) == 30
    with StoreReader(daemon.root.run(row.run_id)) as reader:
        summary = reader.summary()
        assert summary.steps == sum(steps for _, steps, _, _ in expected(daemon, row.run_id))
        assert (summary.metrics, summary.quarantined, summary.holes) == (30, 0, 0)
        first = reader.steps(0)
        assert [step.step for step in first] == list(range(len(first)))
        assert sum(step.reward for step in first) == reader.episode(0).return_


def test_it_goes_on_when_the_daemon_is_killed(daemon: Daemon, example: Path, stubs: Path) -> None:
    row = daemon.submit([sys.executable, str(example), "--episodes", "400", "--stubs", str(stubs)])
    journal = daemon.root.run(row.run_id).journal
    until(lambda: list(journal.glob("g*-*.jsonl*")))
    daemon.kill()
    daemon.reconnect()
    list(daemon.client.stream_episodes(row.run_id))
    assert daemon.wait(row.run_id).state is RunState.FINISHED
    assert len(expected(daemon, row.run_id)) == 400
    assert stored(daemon, row.run_id) == expected(daemon, row.run_id)


def test_the_documentation_shows_the_variables_a_worker_finds(shared_daemon: Daemon) -> None:
    row = shared_daemon.submit(["env"])
    shared_daemon.wait(row.run_id)
    told = shared_daemon.client.logs(row.run_id).data.decode()
    text = (DOCS / "grpc-worker.md").read_text()
    for name in ("MOSAIC_SOCKET", "MOSAIC_TOKEN_FILE", "MOSAIC_RUN_ID"):
        assert f"{name}=" in told
        assert f"`{name}`" in text
