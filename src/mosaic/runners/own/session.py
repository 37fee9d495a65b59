"""The runner `session`: an environment and who decides in it. Asked by `mosaic play`; trains nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mosaic.errors import UsageError
from mosaic.protocol.cards import SESSION_RUNNER, Algorithm, Capabilities, RunnerCard
from mosaic.runners.parameters import env_arguments

if TYPE_CHECKING:
    from mosaic.protocol.cards import Job

__all__ = ["RUNNER", "SessionRunner"]


class SessionRunner:
    """Plays a job's session with the driver of that name."""

    card = RunnerCard(
        id=SESSION_RUNNER,
        title="Sessions",
        help="Anybody in any seat of an environment: mosaic play CartPole-v1 --operator random",
        algorithms=[Algorithm(id="play", title="A session", help="An operator in every seat.")],
        capabilities=Capabilities(supports_train=False, supports_pause=True, multi_agent=True),
        imports=["gymnasium"],
    )

    def command(self, job: Job, *, python: str) -> list[str]:
        """The driver, with all it must know as one word of JSON.

        Raises:
            UsageError: the job is not a session.
        """
        if job.session is None:
            raise UsageError("a session is started with `mosaic play ENV --operator WHO`")
        told = msgspec.to_builtins(job.session)
        told |= {"env_id": job.env_id, "env_arguments": env_arguments(job.parameters)}
        return [python, "-m", "mosaic_worker.drivers.session", msgspec.json.encode(told).decode()]


RUNNER = SessionRunner()
