"""Operators that fail, in real sessions under every policy: who and why is told, the record stays whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Said, home_after

pytestmark = pytest.mark.timeout(600)
Call = Callable[..., Said]
PROGRAM = """
import json, os, signal, sys
asked_for = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "open":
        print('{{"ready": true}}', flush=True)
    elif asked["ask"] == "act":
        asked_for += 1
        if asked_for > 3:
            {then}
        else:
            print(json.dumps({{"id": asked["id"], "action": asked_for % 2}}), flush=True)
"""
ENDS = {
    "raises": ("raise ValueError('out of ideas')", "it ended with code 1"),
    "is killed": ("os.kill(os.getpid(), signal.SIGKILL)", "it was ended by SIGKILL"),
    "hangs": ("pass", "it took longer than 0.5 s to decide, which is its --deadline"),
    "prints": ("print('hello', flush=True)", "a line that is not JSON: 'hello'"),
    "lists": ("print('[]', flush=True)", "a line that is not a JSON object: '[]'"),
    "forgets": ("print(json.dumps({'id': asked['id']}), flush=True)", "its answer has no action"),
    "errs": (
        "print(json.dumps({'id': asked['id'], 'action': 7}), flush=True)",
        "it answered 7, which is not an action of Discrete(2)",
    ),
}


@pytest.fixture(scope="module")
def played_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with a trained table, named `walker`."""
    path = tmp_path_factory.mktemp("bad")
    with home_after(
        path, "train", "tabular/q_learning", "FrozenLake-v1", "--steps", "500", "--name", "walker"
    ):
        yield path


@pytest.fixture(autouse=True)
def _in_force(played_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_HOME", str(played_home))


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("policy", ["stop", "noop"])
def test_a_bad_operator_is_told_of_and_the_record_is_whole(
    mosaic: Call, tmp_path: Path, policy: str, how: str
) -> None:
    then, why = ENDS[how]
    mind = tmp_path / "mind.py"
    mind.write_text(PROGRAM.format(then=then))
    operator = f"cmd:{sys.executable} {mind}"
    said = mosaic("play", "CartPole-v1", "-o", operator, "--on-failure", policy, "--deadline", "0.5")
    assert said.code == (1 if policy == "stop" else 0), said.err
    assert why in said.err
    rows = [json.loads(line) for line in mosaic("episodes", "last", "--json").out.splitlines()]
    assert [row["outcome"] for row in rows] == (["cut"] if policy == "stop" else ["terminated"])
    if policy == "stop":
        assert rows[0]["steps"] == 3
        assert "--on-failure noop" in said.err
    else:
        metrics = [json.loads(line) for line in mosaic("metrics", "last", "--json").out.splitlines()]
        (failures,) = [row["value"] for row in metrics if row["name"] == "session/failures"]
        assert failures == rows[0]["steps"] - 3
    assert mosaic("verify", "last").code == 0
    assert mosaic("replay", "last", "--all", "--verify").code == 0


def test_an_error_in_a_file_says_the_line(mosaic: Call, tmp_path: Path) -> None:
    mind = tmp_path / "mind.py"
    mind.write_text(
        "def act(view):\n    guess = view.observation[0]\n    return guess / 0 if view.step else {}[1]\n"
    )
    said = mosaic("play", "CartPole-v1", "-o", f"python:{mind}")
    assert (said.code, "KeyError: 1 (mind.py, line 3)" in said.err) == (1, True), said.err


def test_a_checkpoint_elsewhere_is_told_before_where_it_belongs(mosaic: Call) -> None:
    for words in (
        ("play", "CartPole-v1", "-o", "walker"),
        ("versus", "walker", "random", "--env", "CartPole-v1", "--seeds", "1"),
        ("league", "walker", "random", "--env", "pettingzoo.classic.tictactoe_v3", "--seeds", "1"),
    ):
        said = mosaic(*words)
        assert said.code == 2, words
        assert "If it does not fit: mosaic play FrozenLake-v1 -o walker\n" in said.err, words
        assert "the observation space there is" in said.err, words
        assert "--resume" not in said.err, words
    again = mosaic("play", "FrozenLake-v1", "-o", "walker")
    assert (again.code, "does not fit" in again.err) == (0, False)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ('env = "CartPole-v1"\noperator = "randm"\n', "plan.toml:2: 'randm' is neither"),
        ('env = "FrozenLake-v1"\n\noperator = "wakler"\n', "plan.toml:3: 'wakler' is neither"),
        (
            'operator = "noop"\nenv = "CartPole-v1"\n[operator_parameters]\nsample = true\n',
            "plan.toml:4: no operator",
        ),
    ],
)
def test_a_plan_that_names_what_is_not_there_says_the_line_and_starts_nothing(
    mosaic: Call, tmp_path: Path, lines: str, why: str
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(lines)
    before = mosaic("ls", "--json").out
    said = mosaic("play", str(plan))
    assert said.code == 2
    assert why in said.err
    assert "?." not in said.err
    assert mosaic("ls", "--json").out == before


def test_unknown_agents_and_operators_are_answered_with_the_nearest(mosaic: Call) -> None:
    for words, why in (
        (
            ("pettingzoo.classic.connect_four_v3", "--seat", "player_2=noop", "-o", "random"),
            "mean 'player_1'?",
        ),
        (("CartPole-v1", "-o", "nop"), "Did you mean 'noop'?"),
        (("CartPole-v1", "-o", "wakler"), "Did you mean 'walker'?"),
    ):
        said = mosaic("play", *words)
        assert said.code == 2, words
        assert why in said.err + said.out, words
