"""Following a run's store: all there is, then all that comes, each thing once and in order."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from ulid import ULID

from mosaic.app import following, reading
from mosaic.errors import StoreError
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.rpc.launch import daemon_running
from mosaic.runs.folder import create
from mosaic.store.ingest import RunIngest
from tests.daemons import daemon
from tests.store.journals import Segments, end_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mosaic.paths import RunFolder
    from tests.daemons import Daemon

__all__ = ["daemon"]


@pytest.fixture
def ended(home: Path) -> Iterator[RunFolder]:
    """A run that has ended and is in its store: three episodes, some metrics and notes. No daemon runs."""
    root = DataRoot(home)
    folder = create(root, RunSpec(run_id=str(ULID()), command=["true"], cwd="/"), created=1.0)
    folder.journal.mkdir(mode=0o700, exist_ok=True)
    writer = Segments(folder)
    for number in range(3):
        writer.episode(number, 4 + number)
        writer.add({"type": "log", "text": f"note {number}", "t": 5.0})
        writer.add({"type": "config", "algo": f"a{number}", "t": 5.0})
    writer.write()
    end_run(folder)
    with RunIngest(folder) as ingest:
        while not ingest.settle():
            pass
    yield folder
    assert not daemon_running(root)


def root_of(folder: RunFolder) -> DataRoot:
    return DataRoot(folder.path.parent.parent)


@pytest.mark.parametrize("page", [1, 3, 4096])
def test_everything_of_an_ended_run_comes_once_in_order_and_then_it_is_over(
    ended: RunFolder, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(following, "_PAGE", page)
    root = root_of(ended)
    rows = list(following.episodes(root, ended.run_id, ingest_secs=60))
    assert [(row.index, row.steps) for row in rows] == [(0, 4), (1, 5), (2, 6)]
    assert [row.seq for row in rows] == sorted(row.seq for row in rows)
    steps = list(following.steps(root, ended.run_id, ingest_secs=60))
    assert [(name[-1], row.step) for name, row in steps] == [
        (str(number), step) for number in range(3) for step in range(4 + number)
    ]
    events = list(following.events(root, ended.run_id, kinds=None, ingest_secs=60))
    assert [event.kind for event in events if event.kind in ("log", "config")] == ["log", "config"] * 3
    assert [event.seq for event in events] == sorted({event.seq for event in events})


@pytest.mark.parametrize("page", [1, 4096])
def test_events_are_chosen_by_kind_and_from_a_number_on(
    ended: RunFolder, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(following, "_PAGE", page)
    root = root_of(ended)
    logs = list(following.events(root, ended.run_id, kinds=["log"], ingest_secs=60))
    assert [json.loads(event.data)["text"] for event in logs] == ["note 0", "note 1", "note 2"]
    later = list(following.events(root, ended.run_id, kinds=["log"], since_seq=logs[0].seq, ingest_secs=60))
    assert later == logs[1:]


FOLLOW: dict[str, Any] = {
    "episodes": following.episodes,
    "steps": following.steps,
    "events": lambda *args, **more: following.events(*args, kinds=None, **more),
}


@pytest.mark.parametrize("what", list(FOLLOW))
def test_a_run_that_has_ended_with_nothing_to_ingest_is_over_at_once(home: Path, what: str) -> None:
    root = DataRoot(home)
    folder = create(root, RunSpec(run_id=str(ULID()), command=["true"], cwd="/"), created=1.0)
    end_run(folder)
    assert list(FOLLOW[what](root, folder.run_id, ingest_secs=60)) == []
    assert not daemon_running(root)


@pytest.mark.parametrize("what", list(FOLLOW))
def test_a_store_that_cannot_be_read_is_said_once_nothing_more_will_come(
    ended: RunFolder, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended.store.write_bytes(b"not a database" * 100)
    monkeypatch.setattr(reading, "wait_ingested", lambda *_, **__: True)
    with pytest.raises(StoreError):
        list(FOLLOW[what](root_of(ended), ended.run_id, ingest_secs=60))


@pytest.mark.parametrize("what", list(FOLLOW))
def test_a_damaged_store_of_a_running_run_is_waited_for(
    ended: RunFolder, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ingest makes it anew; here that happens while the follower sleeps."""
    good = ended.store.read_bytes()
    ended.store.write_bytes(b"not a database" * 100)
    states = iter([False, True])
    monkeypatch.setattr(following, "_complete", lambda *_: next(states))
    clock = SimpleNamespace(sleep=lambda _: ended.store.write_bytes(good))
    monkeypatch.setattr(following, "time", clock)
    assert list(FOLLOW[what](root_of(ended), ended.run_id, ingest_secs=60))


TALKS = """
import json, pathlib, sys, time
def say(kind, **event): print(json.dumps({"type": kind, **event}), flush=True)
for e in range(2):
    one = {"episode_id": f"e{e}"}
    say("reset", **one)
    say("step", step=0, action=e, reward=1.0, terminated=True, **one)
    say("episode", steps=1, outcome="terminated", **{"return": 1.0}, **one)
    say("log", text=f"note {e}")
    while e == 0 and not pathlib.Path(sys.argv[1]).exists():
        time.sleep(0.02)
"""


@pytest.mark.parametrize("what", list(FOLLOW))
def test_what_a_running_run_does_is_seen_while_it_runs_and_to_its_end(
    daemon: Daemon, tmp_path: Path, what: str
) -> None:
    gate = tmp_path / "go on"
    row = daemon.submit([sys.executable, "-I", "-S", "-c", TALKS, str(gate)])
    found = []
    for one in FOLLOW[what](daemon.root, row.run_id, ingest_secs=60):
        found.append(one)
        gate.touch()  # it goes on only once the first thing has been seen
    if what == "episodes":
        assert sorted({one.index for one in found if one.steps == 1}) == [0, 1]
    elif what == "steps":
        assert [(name, one.action) for name, one in found] == [("e0", 0), ("e1", 1)]
    else:
        assert [json.loads(one.data)["text"] for one in found if one.kind == "log"] == ["note 0", "note 1"]
