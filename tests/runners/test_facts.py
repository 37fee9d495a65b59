from __future__ import annotations

import socket
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from mosaic.paths import DataRoot
from mosaic.protocol.cards import Capabilities, Job, RunnerCard
from mosaic.protocol.runs import RunRow, RunState
from mosaic.runners.facts import bytes_per_step, gather, memory_available
from mosaic.store.registry import Entry, Registry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_disk_memory_and_settings_are_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_DISK_RESERVE_MIB", "7")
    card = RunnerCard(id="s", title="S", needs_env=False)
    facts = gather(DataRoot(home), card, Job(runner="s"))
    assert facts.disk_reserve == 7 << 20
    assert facts.disk_free > 0
    assert facts.memory_available is not None
    assert facts.found is None
    assert facts.readiness.python == sys.executable


def test_services_are_asked_where_their_name_says_where_they_are(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        there = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setenv("MY_SERVER", there)
        with closing(socket.create_server(("127.0.0.1", 0))) as other:
            gone = f"http://127.0.0.1:{other.getsockname()[1]}"
        names = [there, gone, "$MY_SERVER", "$NO_SUCH_VARIABLE", "a game server"]
        card = RunnerCard(id="s", title="S", needs_env=False, capabilities=Capabilities(services=names))
        found = gather(DataRoot(home), card, Job(runner="s")).services
    assert list(found.values()) == [True, False, True, False, None]


def test_what_a_step_takes_is_measured_on_earlier_runs_of_that_environment(home: Path) -> None:
    root = DataRoot(home)
    assert bytes_per_step(root, "CartPole-v1") is None
    for run_id, env_id, steps in (
        ("A", "CartPole-v1", 10_000),
        ("B", "CartPole-v1", 5),
        ("C", "Other-v0", 9_000),
    ):
        folder = root.run(run_id)
        folder.journal.mkdir(parents=True)
        (folder.journal / "1-0.jsonl").write_bytes(b"x" * 100_000)
        folder.store.write_bytes(b"x" * 100_000)
        row = RunRow(
            run_id=run_id, name="", state=RunState.FINISHED, reason="", created=1.0, command=[], steps=steps,
            env_ids=[env_id],
        )  # fmt: skip
        with closing(Registry(root)) as registry:
            registry.put([Entry(row=row, settled=True)])
    found = bytes_per_step(root, "CartPole-v1")
    assert found is not None
    assert 20 <= found <= 30  # 200 kB for 10,000 steps, in whole blocks
    assert bytes_per_step(root, "Never-v0") is None


def test_of_many_runs_the_five_latest_say_how_much_a_step_takes(home: Path) -> None:
    root = DataRoot(home)
    for number, kilobytes in enumerate((900, 600, 100, 100, 100, 100)):  # the oldest took the most
        folder = root.run(f"R{number}")
        folder.journal.mkdir(parents=True)
        (folder.journal / "1-0.jsonl").write_bytes(b"x" * kilobytes * 1000)
        folder.store.write_bytes(b"")
        row = RunRow(
            run_id=f"R{number}", name="", state=RunState.FINISHED, reason="", created=float(number),
            command=[], steps=10_000, env_ids=["CartPole-v1"],
        )  # fmt: skip
        with closing(Registry(root)) as registry:
            registry.put([Entry(row=row, settled=True)])
    found = bytes_per_step(root, "CartPole-v1")
    assert found is not None
    assert 20 <= found <= 22  # a megabyte for 50,000 steps, in whole blocks


def test_a_container_with_less_memory_than_the_machine_counts(tmp_path: Path) -> None:
    meminfo, cgroup = tmp_path / "meminfo", tmp_path / "cgroup"
    assert memory_available(meminfo, cgroup) is None
    meminfo.write_text("MemTotal: 16 kB\nMemAvailable: 8 kB\n")
    assert memory_available(meminfo, cgroup) == 8192
    cgroup.mkdir()
    (cgroup / "memory.max").write_text("max\n")
    (cgroup / "memory.current").write_text("1000\n")
    assert memory_available(meminfo, cgroup) == 8192
    (cgroup / "memory.max").write_text("5000\n")
    assert memory_available(meminfo, cgroup) == 4000
