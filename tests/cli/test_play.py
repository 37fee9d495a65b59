"""`mosaic play`: sessions by operators of several kinds and interpreters, as runs that replay."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mosaic.app import run_index
from mosaic.paths import DataRoot
from mosaic.runs.folder import read_manifest
from tests.cli.conftest import Said, home_after
from tests.daemons import until

pytestmark = pytest.mark.timeout(600)
Call = Callable[..., Said]
DIES = """
import os, pathlib, signal
GATE = pathlib.Path({gate!r})
def act(view):
    if view.step == 0 and GATE.exists():
        left = int(GATE.read_text()) - 1
        GATE.write_text(str(left))
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return 2 if view.step % 2 else 1
"""
MIND = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "open":
        print('{"ready": true}', flush=True)
    elif asked["ask"] == "act":
        print(json.dumps({"id": asked["id"], "action": 1}), flush=True)
"""


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with a table that walks over the ice, named `walker`."""
    path = tmp_path_factory.mktemp("played")
    words = (
        "train",
        "tabular/q_learning",
        "FrozenLake-v1",
        "--steps",
        "8000",
        "--seed",
        "1",
        "--name",
        "walker",
    )
    with home_after(path, *words, "env.is_slippery=false"):
        yield path


@pytest.fixture
def trained(trained_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """Its data root, in force for this test."""
    monkeypatch.setenv("MOSAIC_HOME", str(trained_home))
    return DataRoot(trained_home)


def test_a_checkpoint_plays_in_a_seat_and_its_decisions_are_kept(trained: DataRoot, mosaic: Call) -> None:
    words = ("FrozenLake-v1", "-o", "walker:best", "--seeds", "3-5", "env.is_slippery=false")
    said = mosaic("play", *words, "--name", "walk")
    assert said.code == 0, said.err
    assert said.out.splitlines()[0] == "1 of 3, seed 3: return 1 in 6 steps"
    row = run_index.find(trained, "walk")
    spec = read_manifest(trained.run(row.run_id)).spec
    assert (spec.runner, spec.job and spec.job.kind) == ("session", "session")
    assert json.loads(mosaic("show", "walk", "--json").out)["episodes"] == 3
    lines = mosaic("events", "walk", "--kind", "decision", "--episode", "1", "--json").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert [one["step"] for one in found] == list(range(6))
    assert {one["operator"].partition("@")[0] for one in found} == {"walker"}
    assert all(len(one["data"]["q"]) == 4 for one in found)
    replayed = mosaic("replay", "walk", "--all", "--verify")
    assert replayed.code == 0, replayed.err
    assert mosaic("verify", "walk").code == 0


def test_a_checkpoint_in_the_wrong_environment_says_which_one_fits(trained: DataRoot, mosaic: Call) -> None:
    del trained
    said = mosaic("play", "CliffWalking-v1", "-o", "walker")
    assert said.code == 2, said.out
    assert "does not fit CliffWalking-v1" in said.err
    assert "trained on FrozenLake-v1" in said.err


@pytest.mark.parametrize("who", ["random", "walker", "cmd"])
def test_a_stopped_session_ends_in_good_order(
    trained: DataRoot, mosaic: Call, tmp_path: Path, who: str
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(MIND)
    operator = f"cmd:{sys.executable} {mind}" if who == "cmd" else who
    words = ("FrozenLake-v1", "-o", operator, "-n", "1000000", "env.is_slippery=false", "--detach")
    run_id = mosaic("play", *words).out.strip()
    until(lambda: run_index.find(trained, run_id).steps > 0)
    assert mosaic("stop", run_id, "--wait", "60").code == 0
    shown = json.loads(mosaic("show", run_id, "--json").out)
    assert shown["state"] == "stopped"
    assert "seat  operator" in mosaic("logs", run_id).out  # it told what was played so far
    assert "failed" not in mosaic("logs", run_id, "--stderr").out
    assert mosaic("verify", run_id).code == 0


def test_what_is_asked_wrongly_starts_nothing(trained: DataRoot, mosaic: Call) -> None:
    del trained
    for words, said in (
        (("CartPole-v1",), "who plays?"),
        (("CartPole-v1", "--seat", "x"), "a seat is AGENT=WHO"),
        (("CartPole-v1", "-o", "random", "--seeds", "1-3", "-n", "2"), "leave out --episodes"),
        (("CartPole-v1", "-o", "random", "gravity=3"), "arguments are env.KEY=VALUE or op.KEY=VALUE"),
        (("CartPole-v1", "--seat", "a=noop", "--seat", "a=random"), "a has two operators"),
        (("CartPol-v1", "-o", "random"), "did you mean CartPole-v1"),
    ):
        found = mosaic("play", *words)
        assert found.code == 2, words
        assert said in found.err + found.out, words


def test_a_dry_run_prints_the_command_and_the_checks(trained: DataRoot, mosaic: Call) -> None:
    del trained
    said = mosaic("play", "CartPole-v1", "-o", "noop", "--dry-run")
    assert said.code == 0
    assert f"{sys.executable} -m mosaic_worker.drivers.session" in said.out
    assert "CartPole-v1 was made and stepped" in said.out


def test_a_plan_that_was_killed_is_resumed_without_playing_an_episode_twice(
    trained: DataRoot, mosaic: Call, tmp_path: Path
) -> None:
    mind, gate = tmp_path / "mind.py", tmp_path / "gate"
    mind.write_text(DIES.format(gate=str(gate)))
    gate.write_text("3")
    plan = tmp_path / "plan.toml"
    plan.write_text(f'env = "FrozenLake-v1"\noperator = "python:{mind}"\nseeds = "1-6"\nname = "planned"\n'
                    "[env_arguments]\nis_slippery = false\n")  # fmt: skip
    assert mosaic("play", str(plan), "--resume").code == 2
    assert mosaic("play", str(plan)).code != 0
    killed = run_index.find(trained, "last")
    gate.unlink()
    said = mosaic("play", str(plan), "--resume")
    assert said.code == 0, said.err
    row = run_index.find(trained, "last")
    assert row.parent == killed.run_id
    seeds = []
    for run in (killed, row):
        lines = mosaic("episodes", run.run_id, "--json").out.splitlines()
        seeds += [one["seed"] for one in map(json.loads, lines) if one["outcome"] == "terminated"]
    assert sorted(seeds) == [1, 2, 3, 4, 5, 6]
    again = mosaic("play", str(plan), "--resume")
    assert (again.code, "no run of" in again.err) == (2, True)
    for words in (("-o", "random"), ("--on-failure", "noop"), ("--deadline", "5")):
        assert mosaic("play", str(plan), *words).code == 2  # the plan says it: none is ignored in silence
    assert mosaic("play", "CartPole-v1", "-o", "random", "--resume").code == 2
