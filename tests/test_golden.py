"""Data roots that earlier versions wrote still open: they list, show, verify, replay and evaluate."""

from __future__ import annotations

import contextlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from mosaic.cli import main as cli
from mosaic.paths import DataRoot
from tests.cli.conftest import end_daemon

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = ["0.1"]

# name: state, episodes, steps, metrics, quarantined lines
RUNS = {
    "cartpole": ("finished", 5, 78, 0, 0),
    "lake": ("finished", 8, 69, 8, 0),
    "vector": ("finished", 18, 345, 0, 0),
    "turns": ("finished", 10, 32, 0, 0),
    "together": ("finished", 8, 120, 0, 0),
    "shell": ("finished", 2, 3, 2, 1),
    "failed": ("failed", 1, 4, 0, 0),
    "trained": ("finished", 226, 1500, 9, 0),
    "judged": ("finished", 3, 18, 5, 0),
}


EVENTS = ["config", "belief", "decision", "decision", "artifacts", "log", "weather"]  # of the run `shell`


def unpack(version: str, home: Path) -> None:
    """The data root as it was, private as MOSAIC demands; a zip keeps no modes."""
    with zipfile.ZipFile(GOLDEN / version / "root.zip") as packed:
        packed.extractall(home)
    for path in home.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, home: Path) -> Iterator[Path]:
    """A data root of that version, in force."""
    unpack(request.param, home)
    yield home
    end_daemon(DataRoot(home))


def mosaic(*words: str, code: int = 0) -> str:
    """Call the command line, in this process to be quick; what it printed."""
    printed = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(printed, encoding="utf-8")) as stdout:
        ended = cli._guarded(list(words))
        stdout.flush()
    assert ended == code, f"mosaic {' '.join(words)}: {printed.getvalue().decode()}"
    return printed.getvalue().decode()


def documents(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def agrees_with_what_was_recorded() -> None:
    rows = {row["name"]: row for row in documents(mosaic("ls", "--all", "--json"))}
    assert {
        name: (row["state"], row["episodes"], row["steps"], row["metrics"], row["quarantined"])
        for name, row in rows.items()
    } == RUNS
    for name in RUNS:
        assert "agree" in mosaic("verify", name)
        assert RUNS[name][0] in mosaic("show", name)
    shell = documents(mosaic("steps", "shell", "0", "--json"))
    assert [step["reward"] for step in shell] == [0.5, 1.5]
    assert [row["step"] for row in documents(mosaic("metrics", "lake", "--json"))] == list(range(8))
    events = documents(mosaic("events", "shell", "--json"))
    assert [event["type"] for event in events] == EVENTS
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    (veto,) = documents(mosaic("events", "shell", "--kind", "decision", "--step", "1", "--json"))
    assert (veto["operator"], veto["data"]) == ("human", {"veto": "not yet"})
    assert "learning_rate = 0.5" in mosaic("show", "lake")


def replays_as_recorded() -> None:
    for name in RUNS:
        # A shell script that prints events has no environment to simulate again: that is said, not guessed.
        verdicts = documents(mosaic("replay", name, "--all", "--verify", "--json", code=name == "shell"))
        assert len(verdicts) == RUNS[name][1]
        assert {verdict["status"] for verdict in verdicts} == {"cannot" if name == "shell" else "exact"}


def test_an_old_data_root_lists_verifies_and_replays_with_the_stores_it_came_with(old: Path) -> None:
    del old
    agrees_with_what_was_recorded()
    replays_as_recorded()


def test_an_old_data_root_lists_verifies_and_replays_from_its_journals_alone(old: Path) -> None:
    (old / "registry.sqlite").unlink()
    stores = list(old.glob("runs/*/telemetry.sqlite"))
    assert len(stores) == len(RUNS)
    for store in stores:
        store.unlink()
    for name in RUNS:
        mosaic("rebuild", name)
    agrees_with_what_was_recorded()
    replays_as_recorded()


def test_an_old_checkpoint_is_listed_whole_and_trusted_and_plays_on(old: Path) -> None:
    del old
    saved = documents(mosaic("checkpoints", "trained", "--json"))
    assert [one["step"] for one in saved] == [1500, 1500, 1200, 900, 600]
    assert all(one["intact"] and one["trusted"] for one in saved)
    mosaic("eval", "trained:final", "--episodes", "2", "--seed", "7", "--name", "again")
    again = documents(mosaic("episodes", "again", "--json"))
    before = documents(mosaic("episodes", "judged", "--json"))
    assert [one["return"] for one in again] == [one["return"] for one in before[:2]]


def test_an_old_training_goes_on_where_it_ended(old: Path) -> None:
    del old
    mosaic("train", "--resume", "trained", "--steps", "200", "--name", "longer")
    (longer,) = [row for row in documents(mosaic("ls", "--json")) if row["name"] == "longer"]
    assert longer["steps"] == 200


def test_nothing_in_a_golden_folder_names_the_machine_it_was_made_on(tmp_path: Path) -> None:
    for version in VERSIONS:
        unpack(version, tmp_path)
        for path in (path for path in tmp_path.rglob("*") if path.is_file()):
            data = path.read_bytes()
            if path.suffix == ".zst":
                data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
            places = set(re.findall(rb"(?:/[\w.-]+)*/(?:home|root|usr|opt|Users|bin|work)\b[\w./-]*", data))
            assert all(place.startswith(b"/tmp/mosaic-golden/") for place in places), (path, places)
