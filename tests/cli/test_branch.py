"""`mosaic branch`: a new run that goes on from a recorded step, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.app import reading, run_index
from mosaic.paths import DataRoot
from mosaic.protocol.runs import Manifest, RunState
from mosaic.runs.files import read_json
from mosaic.store.reader import StoreReader
from tests.cli.conftest import home_after
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mosaic.protocol.runs import RunSpec
    from tests.cli.conftest import Said

SCRIPT = """
import gymnasium as gym
env = gym.make("CliffWalking-v1")
env.reset(seed=1)
for action in [0, 1, 1, 0, 3, 2]:
    env.step(action)
"""

MIND = """
import json, os, pathlib, sys
decided = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "open":
        pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()}\\n")
        print('{"ready": true}', flush=True)
    elif asked["ask"] == "act":
        decided += 1
        if decided == 4:
            pathlib.Path(sys.argv[2]).touch()
            sys.stdin.readline()  # until it is killed
        print(json.dumps({"id": asked["id"], "action": 3, "data": {"value": decided}}), flush=True)
"""
"""Decides three times, says who it is, and then nothing more."""
STUCK = """
import os, pathlib, time
from mosaic_worker.operators import Choice
def act(view):
    if view.step == 3:
        pathlib.Path({pid!r}).write_text(f"{{os.getpid()}}\\n")
        pathlib.Path({stuck!r}).touch()
        while True:
            time.sleep(1)
    return Choice(3, {{"value": view.step}})
"""


def spec_of(root: DataRoot, run_id: str) -> RunSpec:
    manifest = read_json(root.run(run_id).manifest, Manifest)
    assert manifest is not None
    return manifest.spec


def actions_of(root: DataRoot, run_id: str) -> list[object]:
    with StoreReader(root.run(run_id)) as reader:
        return [step.action for step in reader.steps(0)]


def test_a_branch_keeps_the_steps_before_it_and_goes_on_otherwise(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    script = tmp_path / "walk.py"
    script.write_text(SCRIPT)
    assert mosaic("run", "--name", "walk", "--", sys.executable, str(script)).code == 0
    (walk,) = run_index.rows(root)

    said = mosaic("branch", "walk", "-e", "0", "--step", "2", "--name", "twig", "--max-steps", "4")
    assert said.code == 0, said.err
    assert "played 2 steps as recorded, then 4 more" in said.out
    assert mosaic("replay", "twig", "--all").code == 0

    (tmp_path / "actions.json").write_text("[3, 0, 0]")
    said = mosaic(
        "branch", "walk", "-e", "0", "--step", "3", "--policy", str(tmp_path / "actions.json"), "--detach"
    )
    assert said.code == 0, said.err
    run_id = said.out.strip()
    until(lambda: reading.has_ended(root, run_id))
    assert reading.wait_ingested(root, run_id)
    twig, leaf = (row for row in sorted(run_index.rows(root), key=lambda row: row.created)[1:])
    assert (leaf.run_id, twig.name, twig.state) == (run_id, "twig", RunState.FINISHED)
    assert leaf.name == "walk-from-3", "by default it says where it comes from"
    for row, step in ((twig, "2"), (leaf, "3")):
        spec = spec_of(root, row.run_id)
        assert spec.parent == walk.run_id
        assert spec.tags == {"branch.episode": "0", "branch.step": step}
    assert actions_of(root, leaf.run_id) == [0, 1, 1, 3, 0, 0]
    assert f"{walk.run_id}, branched at step 2 of its episode 0" in mosaic("show", "twig").out
    assert json.loads(mosaic("show", "twig", "--json").out)["branched_at"] == {"episode": 0, "step": 2}
    assert json.loads(mosaic("show", "walk", "--json").out)["branched_at"] is None
    assert actions_of(root, twig.run_id)[:2] == [0, 1]

    said = mosaic("branch", "walk", "-e", "0", "--step", "9999")
    assert said.code == 2
    assert "branch from 0 to 6" in said.err


def test_what_was_not_recorded_whole_has_no_branch(recorded: DataRoot, mosaic: Callable[..., Said]) -> None:
    said = mosaic("branch", "printed", "-e", "0", "--step", "1")
    assert said.code == 1
    assert "was not recorded" in said.err
    said = mosaic("branch", "printed", "-e", "77", "--step", "1")
    assert said.code == 2
    assert "episodes 0 to 2" in said.err
    assert len(run_index.rows(recorded)) == 1


@pytest.mark.parametrize(
    ("held", "hint"),
    [
        (None, "the policy is 'random' or a file; there is no file"),
        (json.dumps({"no": "list"}), "must hold a JSON list with one action for each step"),
        ("[1, 2", "does not hold JSON"),
    ],
)
def test_a_policy_that_is_no_list_of_actions_is_refused(
    recorded: DataRoot, mosaic: Callable[..., Said], tmp_path: Path, held: str | None, hint: str
) -> None:
    path = tmp_path / "actions.json"
    if held is not None:
        path.write_text(held)
    said = mosaic("branch", "printed", "-e", "0", "--step", "1", "--policy", str(path))
    assert said.code == 2
    assert hint in said.err
    assert str(path) in said.err


@pytest.mark.parametrize("words", [("--step", "-1"), ("--max-steps", "0", "--step", "1"), ()])
def test_bounds_that_make_no_sense_are_refused(
    recorded: DataRoot, mosaic: Callable[..., Said], words: tuple[str, ...]
) -> None:
    said = mosaic("branch", "printed", "-e", "0", *words)
    assert said.code == 2
    assert "--max-steps" in said.err or "--step" in said.err


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with a table that walks over the ice, named `walker`."""
    path = tmp_path_factory.mktemp("branched")
    words = ("train", "tabular/q_learning", "FrozenLake-v1", "--steps", "8000", "--seed", "1", "--name")
    with home_after(path, *words, "walker", "env.is_slippery=false"):
        yield path


@pytest.fixture
def trained(trained_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """Its data root, in force for this test."""
    monkeypatch.setenv("MOSAIC_HOME", str(trained_home))
    return DataRoot(trained_home)


def decisions(mosaic: Callable[..., Said], run: str, episode: int = 0) -> list[dict[str, Any]]:
    lines = mosaic("events", run, "--kind", "decision", "--episode", str(episode), "--json").out
    return [json.loads(line) for line in lines.splitlines()]


def replays_whole(mosaic: Callable[..., Said], run: str) -> None:
    replayed = mosaic("replay", run, "--all", "--verify")
    assert replayed.code == 0, replayed.out + replayed.err
    assert mosaic("verify", run).code == 0


def test_a_checkpoint_goes_on_and_its_decisions_are_kept(
    trained: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    """Down, down by a list; from there the trained table finds the goal in four steps."""
    (tmp_path / "path.json").write_text("[1, 1, 0, 0]")
    words = ("FrozenLake-v1", "-o", f"actions:{tmp_path}/path.json", "env.is_slippery=false", "--name", "ice")
    mosaic("play", *words, "--on-failure", "noop", "--max-steps", "6")
    said = mosaic("branch", "ice", "-e", "0", "--step", "2", "-o", "walker:best", "--name", "saved")
    assert said.code == 0, said.err
    assert "played 2 steps as recorded, then 4 more" in said.out
    row = run_index.find(trained, "saved")
    with StoreReader(trained.run(row.run_id)) as reader:
        (episode,) = reader.episodes()
        assert (episode.return_, episode.steps, episode.outcome) == (1.0, 6, "terminated")
    assert actions_of(trained, row.run_id)[:2] == [1, 1]
    found = decisions(mosaic, "saved")
    assert [one["step"] for one in found] == [2, 3, 4, 5]  # none of them are about the recorded part
    assert {one["operator"].partition("@")[0] for one in found} == {"walker"}
    assert all(len(one["data"]["q"]) == 4 for one in found)
    replays_whole(mosaic, "saved")

    said = mosaic("branch", "ice", "-e", "0", "--step", "2", "-o", "walker:best", "op.wings=2")
    assert (said.code, "has a parameter 'wings'" in said.err) == (2, True)
    said = mosaic("branch", "ice", "-e", "0", "--step", "2", "-o", "walkr")
    assert (said.code, "neither an operator, nor a run, nor a file" in said.err) == (2, True)


def test_each_agent_goes_on_with_an_operator_of_its_own(
    trained: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text("def act(view):\n    return max(i for i, legal in enumerate(view.mask) if legal)\n")
    assert mosaic("play", "pettingzoo.classic.tictactoe_v3", "-o", "random", "--name", "game").code == 0
    words = ("branch", "game", "-e", "0", "--step", "1", "-o", "random")
    said = mosaic(*words, "--seat", f"player_2=python:{mind}", "--name", "rematch")
    assert said.code == 0, said.err
    by = {one["agent_id"]: one["operator"] for e in (0, 1) for one in decisions(mosaic, "rematch", e)}
    assert by == {"player_1": "random", "player_2": f"python:{mind}"}
    replays_whole(mosaic, "rematch")
    row, parent = run_index.find(trained, "rematch"), run_index.find(trained, "game")
    assert spec_of(trained, row.run_id).parent == parent.run_id
    said = mosaic(*words, "--seat", "player_3=noop")
    assert (said.code, "Did you mean 'player_" in said.err) == (2, True)


@pytest.mark.parametrize("policy", ["stop", "random"])
def test_a_killed_operator_leaves_a_whole_record(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path, policy: str
) -> None:
    """With a stand-in the branch goes on to its last step; without one it ends there."""
    (tmp_path / "walk.py").write_text(SCRIPT)
    (tmp_path / "mind.py").write_text(MIND)
    assert mosaic("run", "--name", "walk", "--", sys.executable, str(tmp_path / "walk.py")).code == 0
    pid, stuck = tmp_path / "pid", tmp_path / "stuck"
    words = ("--operator", f"cmd:{sys.executable} {tmp_path}/mind.py {pid} {stuck}", "--max-steps", "8")
    said = mosaic("branch", "walk", "-e", "0", "--step", "2", *words, "--on-failure", policy, "--detach")
    run_id = said.out.strip()
    until(stuck.exists)
    os.kill(int(pid.read_text()), signal.SIGKILL)
    until(lambda: reading.has_ended(root, run_id))
    assert reading.wait_ingested(root, run_id)
    row = run_index.find(root, run_id)
    assert row.state is (RunState.FAILED if policy == "stop" else RunState.FINISHED)
    assert "it was ended by SIGKILL" in mosaic("logs", run_id, "--stderr").out
    taken = actions_of(root, run_id)
    assert taken[:5] == [0, 1, 3, 3, 3]
    assert len(taken) == (5 if policy == "stop" else 10)
    found = decisions(mosaic, run_id)
    assert [(one["step"], one["data"]) for one in found[:3]] == [
        (2, {"value": 1}),
        (3, {"value": 2}),
        (4, {"value": 3}),
    ]
    assert {one["operator"] for one in found[3:]} == ({"random"} if policy == "random" else set())
    replays_whole(mosaic, run_id)


def test_a_killed_worker_leaves_a_whole_record(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    (tmp_path / "walk.py").write_text(SCRIPT)
    pid, stuck, mind = tmp_path / "pid", tmp_path / "stuck", tmp_path / "mind.py"
    mind.write_text(STUCK.format(pid=str(pid), stuck=str(stuck)))
    assert mosaic("run", "--name", "walk", "--", sys.executable, str(tmp_path / "walk.py")).code == 0
    words = ("--step", "2", "--operator", f"python:{mind}", "--detach")
    run_id = mosaic("branch", "walk", "-e", "0", *words).out.strip()
    until(stuck.exists)
    os.kill(int(pid.read_text()), signal.SIGKILL)
    until(lambda: reading.has_ended(root, run_id))
    assert reading.wait_ingested(root, run_id)
    assert run_index.find(root, run_id).state is RunState.FAILED
    assert actions_of(root, run_id) == [0, 1, 3, 3, 3]
    assert [(one["step"], one["data"]) for one in decisions(mosaic, run_id)] == [
        (2, {"value": 0}),
        (3, {"value": 1}),
        (4, {"value": 2}),
    ]
    replays_whole(mosaic, run_id)


def test_a_stopped_branch_ends_in_good_order(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    (tmp_path / "walk.py").write_text(SCRIPT)
    assert mosaic("run", "--name", "walk", "--", sys.executable, str(tmp_path / "walk.py")).code == 0
    words = ("--step", "2", "--max-steps", "1000000", "--fps", "50", "--detach")
    run_id = mosaic("branch", "walk", "-e", "0", *words).out.strip()
    until(lambda: run_index.find(root, run_id).steps > 4)
    assert mosaic("stop", run_id, "--wait", "60").code == 0
    assert run_index.find(root, run_id).state is RunState.STOPPED
    assert "played 2 steps as recorded, then " in mosaic("logs", run_id).out
    replays_whole(mosaic, run_id)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--policy", "random", "--operator", "noop"), "--policy is an earlier spelling of --operator"),
        (("env.gravity=1",), "the environment is the recorded one"),
        (("--seat", "x"), "a seat is AGENT=WHO"),
        (("--seat", "a=noop"), "one actor: use --operator"),
        (("--operator", "random:3"), "random takes nothing after a colon"),
    ],
)
def test_what_is_asked_wrongly_starts_nothing(
    trained: DataRoot, mosaic: Callable[..., Said], words: tuple[str, ...], said: str
) -> None:
    before = len(run_index.rows(trained))
    found = mosaic("branch", "walker", "-e", "0", "--step", "0", *words)
    assert (found.code, said in found.err) == (2, True), found.err
    assert len(run_index.rows(trained)) == before
