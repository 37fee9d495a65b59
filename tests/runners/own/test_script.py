"""The command of a plain script, and of one that plays a checkpoint."""

from __future__ import annotations

from mosaic.protocol.cards import Job
from mosaic.runners.own.script import RUNNER, variables

WORDS = ["python", "play.py", "--weights={checkpoint}", "{episodes}", '{"seed": {seed}, "x": {}}', "{other}"]


def test_a_training_is_the_users_own_words() -> None:
    job = Job(runner="script", arguments=WORDS)
    assert RUNNER.command(job, python="/py") == WORDS
    assert variables(job) == {}


def test_a_command_that_plays_is_told_what_in_its_words_and_in_its_environment() -> None:
    job = Job(runner="script", kind="eval", arguments=WORDS, checkpoint="/a {seed}/t.npy", episodes=3, seed=7)
    assert RUNNER.command(job, python="/py") == [
        "python", "play.py", "--weights=/a {seed}/t.npy", "3", '{"seed": 7, "x": {}}', "{other}",
    ]  # fmt: skip
    assert variables(job) == {
        "MOSAIC_CHECKPOINT": "/a {seed}/t.npy",
        "MOSAIC_EPISODES": "3",
        "MOSAIC_SEED": "7",
    }


def test_other_runners_are_told_by_their_driver() -> None:
    assert variables(Job(runner="sb3", kind="eval", checkpoint="/c.zip", episodes=3, seed=7)) == {}
