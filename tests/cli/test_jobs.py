"""From what was typed after `mosaic train` to a job. Starts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.cli.jobs import Asked, job_of, show_parameters, write_parameters
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Algorithm, Job, Parameter

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(home: Path) -> DataRoot:
    """A data root in which nothing runs."""
    return DataRoot(home)


def test_words_and_options_are_one_job_and_what_follows_the_dashes_comes_last(place: DataRoot) -> None:
    asked = Asked(
        words=["tabular/q_learning", "Taxi-v3", "gamma=0.9", "env.size=3"],
        rest=["--tail"],
        arguments=["first"],
        fields={"seed": 0, "steps": 70, "envs": 2, "checkout": "/c", "init": "run:best"},
    )
    assert job_of(place, asked) == Job(
        runner="tabular",
        algorithm="q_learning",
        env_id="Taxi-v3",
        seed=0,
        steps=70,
        envs=2,
        parameters={"gamma": "0.9", "env.size": "3"},
        arguments=["first", "--tail"],
        checkout="/c",
        init="run:best",
    )


def test_a_command_of_the_users_own_stands_after_the_dashes(place: DataRoot) -> None:
    job = job_of(place, Asked(words=["script"], rest=["python", "train.py"], fields={"seed": 3}))
    assert job == Job(runner="script", arguments=["python", "train.py"], seed=3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the runner and the algorithm first"),
        (["--seed"], "name the runner and the algorithm first"),
        (["tabulr/q_learning"], "'tabular'"),
        (["tabular/q_lerning"], "q_learning"),
        (["script"], "say what to run: mosaic train script -- python train.py"),
        (["script", "python"], "the command comes after '--': mosaic train script -- python"),
        (["script/x"], "runner script has no algorithms"),
    ],
)
def test_what_names_no_job_is_answered_with_the_way_to_name_one(
    place: DataRoot, words: list[str], said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        job_of(place, Asked(words=words))
    assert said in str(refused.value)


def test_a_runner_without_parameters_says_so(place: DataRoot) -> None:
    with pytest.raises(UsageError, match="runner script has no parameters"):
        show_parameters(place, Asked(words=["script"]), as_json=False)


def test_parameters_stay_in_their_groups_with_the_advanced_ones_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_parameters(
        Algorithm(
            id="a",
            parameters=[
                Parameter(name="deep", type="float", default=1e-4, group="learning", advanced=True),
                Parameter(name="other", type="float", default=None, optional=True, group="rest"),
                Parameter(name="plain", type="bool", default=False, group="learning"),
            ],
        )
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["PARAMETER", "DEFAULT"]
    assert [line.split()[:2] for line in lines[1:]] == [
        ["plain", "false"],
        ["deep", "0.0001"],
        ["other", "none"],
    ]
    assert "(advanced)" in lines[2]
    ends = [
        line.index(text) + len(text)
        for line, text in zip(lines, ("DEFAULT", "false", "0.0001"), strict=False)
    ]
    assert len(set(ends)) == 1, "numbers stand under each other by their last digit"
    write_parameters(Algorithm(id="b"))
    assert capsys.readouterr().out == "no parameters\n"
