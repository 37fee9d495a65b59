from __future__ import annotations

from typing import Any

import pytest

from mosaic.app.plan_scripts import told_of
from mosaic.errors import UsageError

SIDES = """
import os  # never run
operators = [
    {"id": "a", "name": "A", "env_name": "minigrid", "task": "MiniGrid-Empty-8x8-v0", "max_steps": 64,
     "workers": {"agent": {"type": "baseline", "behavior": "random", "seed": 1}}},
    {"id": "b", "env_name": "minigrid", "task": "MiniGrid-Empty-8x8-v0",
     "workers": {"agent": {"type": "rl", "policy_path": "best.zip"}}},
]
execution: dict = {"auto_run": True, "num_episodes": 3, "seeds": range(10, 20), "step_delay_ms": 100,
                   "environment_mode": "procedural"}
os.abort()
"""
ONE = """
operators = [{{"id": "a", "task": "E-v0", "workers": {{"x": {worker}}}}}]
execution = {execution}
"""


def one(worker: str = '{"type": "baseline"}', execution: str = "{}") -> dict[str, Any]:
    return told_of(ONE.format(worker=worker, execution=execution), "plan.py")


def test_sides_share_their_seeds_and_nothing_is_executed() -> None:
    assert told_of(SIDES, "plan.py") == {
        "env": "MiniGrid-Empty-8x8-v0",
        "copies": True,
        "seats": {"a": "random", "b": "best.zip"},
        "seeds": [10, 11, 12],
        "max_steps": 64,
        "fps": 10.0,
    }


def test_one_operator_plays_alone() -> None:
    assert one() == {"env": "E-v0", "operator": "random", "episodes": 1}
    assert one('{"type": "baseline", "behavior": "still"}')["operator"] == "noop"
    assert one(execution='{"num_episodes": 4}')["episodes"] == 4
    fixed = one(execution='{"num_episodes": 3, "seeds": [7, 8], "environment_mode": "fixed"}')
    assert fixed["seeds"] == [7, 7, 7]
    assert one(execution='{"seeds": list(range(2))}')["seeds"] == [0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("operators = [\n", "plan.py:1: not Python"),
        ("execution = {}\n", "no `operators"),
        ("x = 1\noperators = make()\n", r"plan.py:2: 'make\(\)' is not a literal"),
        ("operators = [__import__('os').system('true')]\n", "is not a literal"),
        ("operators = [{**x}]\n", "write all entries out"),
        ("operators = []\n", "a list of at least one dict"),
        (
            ONE.format(worker="{'type': 'llm', 'model_id': 'm'}", execution="{}"),
            "type 'llm', which cannot sit here",
        ),
        (ONE.format(worker="{'type': 'rl'}", execution="{}"), "no `policy_path`"),
        (
            ONE.format(worker="{'type': 'baseline', 'behavior': 'dance'}", execution="{}"),
            "no behavior 'dance'",
        ),
        (ONE.format(worker="{'type': 'baseline'}", execution="{'num_episodes': 0}"), "whole number from 1"),
        (ONE.format(worker="{'type': 'baseline'}", execution="{'seeds': ['x']}"), "whole numbers"),
        (
            ONE.format(worker="{'type': 'baseline'}", execution="{'seeds': [1], 'num_episodes': 2}"),
            "only 1 seeds",
        ),
        (
            ONE.format(worker="{'type': 'baseline'}", execution="{'seeds': range(1, 9, 0)}"),
            "is not a literal",
        ),
        (ONE.format(worker="{'type': 'baseline'}", execution="{'seeds': range(10**12)}"), "is not a literal"),
        ('operators = [{"id": "a", "task": "E", "workers": {}}]', "`workers` with one agent"),
        ('operators = [{"id": "a", "task": "E"}, {"id": "b", "task": "F"}]', "play one `task`"),
    ],
)
def test_what_is_not_such_a_script_says_where_and_why(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        told_of(text, "plan.py")


def test_two_of_one_name_are_refused() -> None:
    side = '{"id": "a", "task": "E", "workers": {"x": {"type": "baseline"}}}'
    with pytest.raises(UsageError, match="two operators have the id 'a'"):
        told_of(f"operators = [{side}, {side}]", "plan.py")
