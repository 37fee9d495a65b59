"""Data roots that earlier versions wrote still open: they list, show, verify, replay and evaluate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from mosaic.paths import DataRoot
from tests.cli.conftest import end_daemon
from tests.golden.facts import documents, expected, gather, mosaic, unpack

VERSIONS = ["0.1"]


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def old(version: str, home: Path) -> Iterator[Path]:
    """A data root of that version, in force."""
    unpack(version, home)
    yield home
    end_daemon(DataRoot(home))


def agrees_with_what_was_recorded(version: str, *, anew: bool = False) -> None:
    found, runs = gather(), expected(version)
    if anew:  # 0.1 did not count the environment that a config names
        runs["shell"]["run"]["env_ids"] = ["Door-v0"]
    assert found.keys() == runs.keys()
    for name, facts in runs.items():
        for about, said in facts.items():
            assert found[name][about] == said, f"{about} of {name}"
        assert "agree" in mosaic("verify", name)
        assert facts["run"]["state"] in mosaic("show", name)
    events = documents(mosaic("events", "shell", "--json"))
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    (veto,) = documents(mosaic("events", "shell", "--kind", "decision", "--step", "1", "--json"))
    assert (veto["operator"], veto["data"]) == ("human", {"veto": "not yet"})
    assert "learning_rate = 0.5" in mosaic("show", "lake")


def replays_as_recorded(version: str) -> None:
    for name, facts in expected(version).items():
        # A shell script that prints events has no environment to simulate again: that is said, not guessed.
        verdicts = documents(mosaic("replay", name, "--all", "--verify", "--json", code=name == "shell"))
        assert len(verdicts) == facts["run"]["episodes"]
        assert {verdict["status"] for verdict in verdicts} == {"cannot" if name == "shell" else "exact"}


def test_an_old_data_root_lists_verifies_and_replays_with_the_stores_it_came_with(
    old: Path, version: str
) -> None:
    del old
    agrees_with_what_was_recorded(version)
    replays_as_recorded(version)


def test_an_old_data_root_lists_verifies_and_replays_from_its_journals_alone(old: Path, version: str) -> None:
    (old / "registry.sqlite").unlink()
    stores = list(old.glob("runs/*/telemetry.sqlite"))
    assert len(stores) == len(expected(version))
    for store in stores:
        store.unlink()
    for name in expected(version):
        mosaic("rebuild", name)
    agrees_with_what_was_recorded(version, anew=True)
    replays_as_recorded(version)


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
