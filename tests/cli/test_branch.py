"""`mosaic branch`: a new run that goes on from a recorded step, and what it refuses."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.app import reading, run_index
from mosaic.protocol.runs import Manifest, RunState
from mosaic.runs.files import read_json
from mosaic.store.reader import StoreReader
from tests.daemons import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import RunSpec
    from tests.cli.conftest import Said

SCRIPT = """
import gymnasium as gym
env = gym.make("CliffWalking-v1")
env.reset(seed=1)
for action in [0, 1, 1, 0, 3, 2]:
    env.step(action)
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
    for row, step in ((twig, "2"), (leaf, "3")):
        spec = spec_of(root, row.run_id)
        assert spec.parent == walk.run_id
        assert spec.tags == {"branch.episode": "0", "branch.step": step}
    assert actions_of(root, leaf.run_id) == [0, 1, 1, 3, 0, 0]
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
