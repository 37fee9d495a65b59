from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.app import plans
from mosaic.errors import UsageError
from mosaic.store.reader import StoreReader
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
env = "FrozenLake-v1"
seeds = "1-3,7"
max_steps = 50
name = "evening"
on_failure = "random"

[seats]
one = "random"
two = "python:mind.py"

[env_arguments]
is_slippery = false

[operator_parameters]
sample = true
"""


def written(tmp_path: Path, text: str, name: str = "plan.toml") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_plan_says_all_that_options_say(tmp_path: Path) -> None:
    plan = plans.read(written(tmp_path, "copies = true\n" + WHOLE))
    assert (plan.told.env, plan.told.name, plan.told.copies) == ("FrozenLake-v1", "evening", True)
    assert plan.told.sitting == {"one": "random", "two": "python:mind.py"}
    assert plan.told.all_seeds == [1, 2, 3, 7]
    asked = plans.asked_of(plan.told, plan.told.all_seeds)
    assert asked["parameters"] == {"env.is_slippery": False, "op.sample": True}
    assert (asked["max_steps"], asked["on_failure"], asked["copies"]) == (50, "random", True)
    assert plan.digest == plans.read(tmp_path / "plan.toml").digest
    assert plan.digest != plans.read(written(tmp_path, WHOLE)).digest


@pytest.mark.parametrize(
    ("line", "expected"), [("seeds = [4, 4]", [4, 4]), ("episodes = 3\nseed = 5", [5, 6, 7]), ("", [0])]
)
def test_seeds_are_listed_ranged_or_counted(tmp_path: Path, line: str, expected: list[int]) -> None:
    text = f'env = "CartPole-v1"\noperator = "noop"\n{line}\n'
    assert plans.read(written(tmp_path, text)).told.all_seeds == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('env = "E"\noperator = \n', r"plan.toml is not TOML: .*line 2"),
        (
            'env = "E"\n\nepisods = 3\noperator = "noop"\n',
            r"plan.toml:3: a plan has no 'episods'. Did you mean 'episodes'",
        ),
        ('operator = "noop"\n', r'plan.toml: what is played\? Add a line such as: env = "CartPole-v1"'),
        ('env = "E"\n', 'nobody plays. Add a line such as: operator = "random"'),
        (
            'env = "E"\noperator = "noop"\nepisodes = "many"\n',
            r"plan.toml:3: Expected `int`, got `str`",
        ),
        (
            'env = "E"\noperator = "noop"\nseeds = "1-2"\nepisodes = 2\n',
            "plan.toml:4: .*leave `episodes` out",
        ),
        ('env = "E"\noperator = "noop"\nseeds = []\n', "plan.toml:3: at least one seed"),
        ('env = "E"\noperator = "noop"\nseeds = "3-1"\n', "plan.toml:3: .*not a range"),
        ('env = "E"\noperator = "noop"\nseeds = [4, -1]\n', "plan.toml:3: Expected `int` >= 0"),
        ('env = "E"\noperator = "noop"\nepisodes = 0\n', "plan.toml:3: Expected `int` >= 1"),
        ('env = "E"\nmax_steps = 0\noperator = "noop"\n', "plan.toml:2: Expected `int` >= 1"),
        ('env = "E"\noperator = "noop"\nfps = -1\n', "plan.toml:3: Expected `float` > 0"),
        (
            'env = "E"\noperator = "noop"\non_failure = "panic"\n',
            "plan.toml:3: Expected `stop`, `noop` or `random`, got 'panic'",
        ),
    ],
)
def test_an_error_says_where_it_is_and_the_way_out(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        plans.read(written(tmp_path, text))


def test_what_is_not_a_file_of_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        plans.read(tmp_path / "no.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        plans.read(tmp_path / "odd.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (1 << 20) + b"#")
    with pytest.raises(UsageError, match="at most"):
        plans.read(tmp_path / "large.toml")


def test_what_is_left_are_the_seeds_that_were_not_played_as_often_as_asked() -> None:
    assert plans.left_over([1, 2, 3, 2], Counter({2: 1, 3: 4})) == [1, 2]
    assert plans.left_over([1], Counter()) == [1]


CUT = """
import gymnasium as gym
env = gym.make("CartPole-v1", max_episode_steps=3)
for seed in (1, 2, 2, 3):
    env.reset(seed=seed)
    for _ in range(3 if seed < 3 else 1):
        env.step(0)
"""
GAME = """
from pettingzoo.classic import tictactoe_v3
env = tictactoe_v3.env()
for seed, moves in ((1, (0, 3, 1, 4, 2)), (2, (0, 3, 1))):
    env.reset(seed=seed)
    for move in moves:
        env.last()
        env.step(move)
    while env.agents and seed == 1:
        env.last()
        env.step(None)
"""


@pytest.mark.parametrize(("script", "expected"), [(CUT, {1: 1, 2: 2}), (GAME, {1: 1})])
def test_only_what_was_played_to_the_end_is_finished(tmp_path: Path, script: str, expected: Any) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with StoreReader(record(home, script)) as reader:
        assert plans.finished_seeds(reader) == Counter(expected)
        if script is CUT:
            assert plans.finished_seeds(reader, sides=2) == Counter({2: 1})
