"""From a driver's command line to its job."""

from __future__ import annotations

import pytest

from mosaic.protocol.cards import Job
from mosaic.runners.runner import driver_words
from mosaic_worker.drivers.kit.command import Refused, Words, main, parse


def test_what_a_runner_writes_a_driver_reads() -> None:
    job = Job(
        runner="sb3",
        algorithm="ppo",
        env_id="CartPole-v1",
        seed=0,
        steps=10,
        envs=2,
        parameters={
            "learning_rate": 1e-4,
            "normalize": True,
            "target_kl": None,
            "policy": "MlpPolicy",
            "env.size": 3,
            "env.is_slippery": False,
            "env.desc": ["SF", "HG"],
            "env.map": {"a": 1},
        },
        arguments=["--sha256", "ab"],
    )
    assert parse(driver_words(job)) == Words(
        kind="train",
        algo="ppo",
        env="CartPole-v1",
        seed=0,
        steps=10,
        envs=2,
        sha256="ab",
        parameters={
            "learning_rate": 1e-4,
            "normalize": True,
            "target_kl": None,
            "policy": "MlpPolicy",
        },
        env_arguments={"size": 3, "is_slippery": False, "desc": ["SF", "HG"], "map": {"a": 1}},
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "one of train, eval, play"),
        (["dance"], "'dance'"),
        (["train", "--env"], "--env needs a value"),
        (["train", "--env", "E", "--seed", "one"], "whole number, got 'one'"),
        (["train", "--env", "E", "--sed", "1"], "'--sed'"),
        (["train", "--env", "E", "what"], "'what'"),
        (["train", "--env", "E", "--steps", "0"], "at least 1, got 0"),
        (["train"], "--env is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_word_in_question(words: list[str], said: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(words)
    assert said in str(caught.value)


def test_a_refused_job_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    def work(words: Words) -> int:
        raise Refused(f"cannot {words.kind}")

    assert main(work, ["eval"]) == 2
    assert capsys.readouterr().err == "cannot eval\n"
