"""What a training may go on with or start from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mosaic.app.starting_points import inherited, loadable, located
from mosaic.artifacts import checkpoints, trust
from mosaic.errors import RunNotFoundError, UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Capabilities, Job, RunnerCard
from tests.artifacts.saving import META, Saved, saved_run

ABLE = Capabilities(supports_resume=True, supports_warmstart=True)
SAFE = RunnerCard(id="tabular", title="T", capabilities=ABLE, pickled_checkpoints=False)
PICKLED = RunnerCard(id="tabular", title="T", capabilities=ABLE)
JOB = Job(runner="tabular", algorithm="sarsa", env_id="FrozenLake-v1")


@pytest.fixture
def root(home: Path) -> DataRoot:
    return DataRoot(home)


def run_with(root: DataRoot, *, own: bool = True, **job: object) -> Saved:
    run = saved_run(root, name="first", own=own, job=Job(runner="tabular", algorithm="sarsa", seed=7, **job))  # type: ignore[arg-type]
    run.save("step-1", b"one", step=1, reason="cadence")
    run.save("final-2", b"two", step=2, reason="final")
    run.end()
    return run


def changed(**fields: object) -> Job:
    return Job(runner="tabular", algorithm="sarsa", env_id="FrozenLake-v1", **fields)  # type: ignore[arg-type]


def test_a_run_is_gone_on_with_from_its_newest_checkpoint_and_with_its_seed(root: DataRoot) -> None:
    run = run_with(root)
    found = located(root, changed(resume="first"), PICKLED)
    newest = checkpoints.find(root, "first:last")
    assert (found.resume, found.checkpoint, found.sha256) == (run.run_id, str(newest.path), newest.row.sha256)
    assert newest.row.step == 2
    assert found.seed == 7
    assert located(root, changed(resume="first", seed=1), PICKLED).seed == 1


def test_a_warm_start_names_the_file_and_its_hash(root: DataRoot) -> None:
    run_with(root)
    found = located(root, changed(init="first@1"), PICKLED)
    known = checkpoints.find(root, "first@1")
    assert (found.init, found.sha256, found.resume, found.checkpoint) == (
        str(known.path),
        known.row.sha256,
        None,
        None,
    )
    assert located(root, found, PICKLED) == found  # asked again, it is the same


def test_a_job_that_starts_from_nothing_stays_as_it_is(root: DataRoot) -> None:
    assert located(root, JOB, PICKLED) is JOB


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (changed(resume="first", init="first"), "give one of them"),
        (Job(runner="tabular", algorithm="q_learning", init="first"), "is a checkpoint of tabular/sarsa"),
        (Job(runner="tabular", algorithm="sarsa", env_id="Taxi-v4", resume="first"), "--init"),
        (changed(init="first@9"), "no such checkpoint"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_way_out(root: DataRoot, job: Job, said: str) -> None:
    run_with(root)
    with pytest.raises(UsageError, match=said):
        located(root, job, PICKLED)
    with pytest.raises(RunNotFoundError):
        located(root, changed(resume="second"), PICKLED)


def test_what_the_runner_cannot_do_is_left_for_the_preflight_to_say(root: DataRoot) -> None:
    job = changed(resume="nothing")
    assert located(root, job, RunnerCard(id="tabular", title="T")) is job


def test_a_strangers_pickle_needs_trust_and_a_format_without_code_does_not(root: DataRoot) -> None:
    run_with(root, own=False)
    known = checkpoints.find(root, "first")
    assert loadable(root, known, SAFE) == known.row.sha256
    with pytest.raises(UsageError, match="mosaic trust"):
        loadable(root, known, PICKLED)
    trust.trust(root, known.path)
    assert loadable(root, known, PICKLED) == known.row.sha256


def test_trust_in_the_old_bytes_does_not_hold_for_the_new_ones(root: DataRoot) -> None:
    run_with(root)
    known = checkpoints.find(root, "first")
    known.path.write_bytes(b"owt")
    for card in (SAFE, PICKLED):
        with pytest.raises(UsageError, match="not the recorded ones"):
            loadable(root, known, card)


def test_meta_of_a_checkpoint_wins_over_the_job_of_its_run(root: DataRoot) -> None:
    run = saved_run(root, name="odd", job=Job(runner="sb3", algorithm="ppo", env_id="CartPole-v1"))
    run.save("final", b"x", step=1)
    run.end()
    known = checkpoints.find(root, "odd")
    assert {"runner": known.runner, "algorithm": known.algorithm, "env_id": known.env_id} == META


def test_a_resumed_training_takes_over_what_it_does_not_say_and_neither_length_nor_beginning(
    root: DataRoot,
) -> None:
    held: dict[str, Any] = {
        "env_id": "FrozenLake-v1",
        "envs": 4,
        "checkout": "/c",
        "steps": 500,
        "init": "/old.npz",
    }
    run = run_with(root, **held, parameters={"gamma": 0.9, "log_every": 5})
    found = inherited(root, Job(runner="", resume="first", parameters={"log-every": 7}))
    assert (found.runner, found.algorithm, found.env_id) == ("tabular", "sarsa", "FrozenLake-v1")
    assert (found.envs, found.checkout, found.resume) == (4, "/c", run.run_id)
    assert found.parameters == {"gamma": 0.9, "log_every": 7}
    assert (found.steps, found.seed, found.init) == (None, None, None)
    said = inherited(root, Job(runner="sb3", algorithm="ppo", envs=2, resume="first", steps=9))
    assert (said.runner, said.algorithm, said.envs, said.steps) == ("sb3", "ppo", 2, 9)
    assert said.parameters == {}, "those of another runner mean something else"
