"""`mosaic checkpoints`, `eval` and `trust`, and going on with a training, as a user does it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mosaic.paths import DataRoot
from tests.cli.conftest import Said, home_after

pytestmark = pytest.mark.timeout(600)
Call = Callable[..., Said]
TRAIN = ("train", "tabular/q_learning", "FrozenLake-v1", "env.is_slippery=false", "--seed", "1")


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with one finished training, named `trained`."""
    words = (*TRAIN, "--steps", "6000", "--name", "trained", "keep_checkpoints=1")
    with home_after(tmp_path_factory.mktemp("trained"), *words) as path:
        yield path


@pytest.fixture
def trained(trained_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """Its data root, in force for this test."""
    monkeypatch.setenv("MOSAIC_HOME", str(trained_home))
    return DataRoot(trained_home)


def listed(mosaic: Call, *words: str) -> list[dict[str, object]]:
    said = mosaic("checkpoints", *words, "--json")
    assert said.code == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def test_the_table_says_what_each_checkpoint_is_worth(trained: DataRoot, mosaic: Call) -> None:
    said = mosaic("checkpoints", "trained")
    lines = said.out.splitlines()
    assert lines[0].split() == [
        "RUN", "STEP", "REASON", "RETURN", "SIZE", "INTACT", "TRUSTED", "WHAT", "HOLDS", "FILE",
    ]  # fmt: skip
    final = next(line for line in lines if " final " in line)
    assert "6000" in final
    assert "tabular/q_learning FrozenLake-v1" in final
    assert "table, step count, random generator" in final
    assert "more were pruned, renamed or written over; see --all" in said.err


def test_for_programs_there_is_every_field_and_with_all_also_what_was_pruned(
    trained: DataRoot, mosaic: Call
) -> None:
    shown = listed(mosaic, "trained")
    assert sorted(str(row["reason"]) for row in shown) == ["best", "cadence", "final"]
    assert all((row["intact"], row["trusted"], row["pruned"]) == (True, True, False) for row in shown)
    assert all(Path(str(row["path"])).is_file() for row in shown)
    pruned = [row for row in listed(mosaic, "trained", "--all") if row["pruned"]]
    assert pruned
    assert not any(Path(str(row["path"])).exists() for row in pruned)
    assert all(str(row["note"]).startswith("pruned") for row in pruned)
    assert len(listed(mosaic)) >= len(shown)
    assert {row["intact"] for row in listed(mosaic, "trained", "--quick")} == {None}


def test_show_counts_what_the_listing_lists(trained: DataRoot, mosaic: Call) -> None:
    shown, saved = listed(mosaic, "trained"), listed(mosaic, "trained", "--all")
    assert len(shown) < len(saved)
    assert json.loads(mosaic("show", "trained", "--json").out)["checkpoints"] == len(shown)
    lines = [line.split() for line in mosaic("show", "trained").out.splitlines()]
    assert ["checkpoints", str(len(shown))] in lines


def test_a_run_without_checkpoints_says_so(recorded: DataRoot, mosaic: Call) -> None:
    said = mosaic("checkpoints", "printed")
    assert (said.code, said.out) == (0, "")
    assert "has recorded no checkpoint" in said.err


def test_a_checkpoint_plays_in_its_own_environment_as_a_run_that_replays(
    trained: DataRoot, mosaic: Call
) -> None:
    said = mosaic("eval", "trained:best", "--episodes", "3", "--name", "played")
    assert said.code == 0, said.err
    assert "mean return 1.00 ± 0.00 (standard deviation, 3 episodes)" in said.out
    shown = json.loads(mosaic("show", "played", "--json").out)
    assert (shown["runner"], shown["algorithm"], shown["episodes"]) == ("tabular", "q_learning", 3)
    assert "env.is_slippery=false" in shown["command"]
    names = {json.loads(line)["name"] for line in mosaic("metrics", "played", "--json").out.splitlines()}
    assert {"eval/mean_reward", "eval/episodic_return"} <= names
    replayed = mosaic("replay", "played", "--all", "--verify")
    assert replayed.code == 0, replayed.err
    assert "replayed exactly" in replayed.err


def test_what_an_evaluation_would_do_is_shown_without_starting_it(trained: DataRoot, mosaic: Call) -> None:
    before = mosaic("ls", "--json").out.count("\n")
    said = mosaic("eval", "trained", "--dry-run", "--seed", "5")
    assert said.code == 0, said.err
    assert "mosaic_worker.drivers.tabular eval --algo q_learning --env FrozenLake-v1 --seed 5" in said.out
    assert "--sha256" in said.out
    assert mosaic("ls", "--json").out.count("\n") == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["trained@77"], "no such checkpoint"),
        (["/nowhere/model.zip"], "there is no file"),
        (["trained", "is_slippery=false"], "env.KEY=VALUE"),
        (["trained", "--env", "CartPole-v1"], "Discrete"),
    ],
)
def test_an_evaluation_that_cannot_work_is_refused(
    trained: DataRoot, mosaic: Call, words: list[str], said: str
) -> None:
    done = mosaic("eval", *words)
    assert done.code == 2, done.err
    assert said in done.err + done.out


def test_an_environment_of_the_same_kind_but_another_size_is_refused_by_the_driver(
    trained: DataRoot, mosaic: Call
) -> None:
    done = mosaic("eval", "trained", "--env", "FrozenLake8x8-v1")
    assert done.code == 2
    assert "trained on FrozenLake-v1 with Discrete(16)" in done.err


def test_a_training_goes_on_with_nothing_but_the_name_of_its_run(trained: DataRoot, mosaic: Call) -> None:
    said = mosaic("train", "--resume", "trained", "--steps", "500", "--name", "longer")
    assert said.code == 0, said.err
    assert "resuming from" in said.out
    shown = json.loads(mosaic("show", "longer", "--json").out)
    assert shown["parent"] == json.loads(mosaic("show", "trained", "--json").out)["run_id"]
    assert max(int(str(row["step"])) for row in listed(mosaic, "longer")) == 6500


def test_a_training_starts_from_the_weights_of_a_checkpoint(trained: DataRoot, mosaic: Call) -> None:
    said = mosaic(*TRAIN, "--steps", "300", "--init", "trained:final", "--name", "warm")
    assert said.code == 0, said.err
    assert "step count and random generator begin anew" in said.out
    other = mosaic("train", "tabular/sarsa", "FrozenLake-v1", "--init", "trained")
    assert other.code == 2
    assert "is a checkpoint of tabular/q_learning, not of tabular/sarsa" in other.err


def test_a_damaged_checkpoint_is_shown_as_such_and_not_played(trained: DataRoot, mosaic: Call) -> None:
    said = mosaic(*TRAIN, "--steps", "50", "--name", "damaged")
    assert said.code == 0, said.err
    (final,) = [row for row in listed(mosaic, "damaged") if row["reason"] == "final"]
    path = Path(str(final["path"]))
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    assert "NO: its bytes are not the recorded ones" in mosaic("checkpoints", "damaged").out
    refused = mosaic("eval", "damaged:final")
    assert refused.code == 2
    assert "not the recorded ones" in refused.err
