"""What is kept of a spec and of a job: everything but the secrets."""

from __future__ import annotations

import msgspec

from mosaic.protocol.cards import Job
from mosaic.protocol.runs import RunSpec
from mosaic.protocol.shown import job_shown, spec_shown
from mosaic_worker.common.redact import MARK

CANARY = "c4n4ry-Zq81xWv0"


def test_a_spec_is_shown_without_the_secrets_of_its_words_and_of_the_workers_variables() -> None:
    job = Job(
        runner="r",
        arguments=["--password", "abc", "x"],
        parameters={"api_key": "abc", "lr": 0.1, "env.note": CANARY},
    )
    spec = RunSpec(
        run_id="x",
        command=["python", "a.py", "--api-key", "flag-canary", f"--x={CANARY}"],
        cwd=f"/{CANARY}",
        name=f"with {CANARY}",
        tags={"key": "flag-canary", "algo": "ppo"},
        record={"note": CANARY, "obs_inline_bytes": 9},
        job=job,
    )
    assert spec_shown(spec, {"MY_TOKEN": CANARY}) == msgspec.structs.replace(
        spec,
        command=["python", "a.py", "--api-key", MARK, f"--x={MARK}"],
        name=f"with {MARK}",
        tags={"key": MARK, "algo": "ppo"},
        record={"note": MARK, "obs_inline_bytes": 9},
        job=msgspec.structs.replace(
            job,
            arguments=["--password", MARK, "x"],
            parameters={"api_key": MARK, "lr": 0.1, "env.note": MARK},
        ),
    )


def test_a_spec_without_secrets_is_shown_as_it_is() -> None:
    job = Job(runner="r", arguments=["--seed", "1"], parameters={"lr": 0.1})
    spec = RunSpec(run_id="x", command=["python", "a.py"], cwd="/", tags={"a": "b"}, job=job)
    assert spec_shown(spec, {"HOME": "/home/me"}) == spec
    assert job_shown(job) == job
    assert spec_shown(msgspec.structs.replace(spec, job=None), {}).job is None
