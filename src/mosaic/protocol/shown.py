"""What was asked for, as it may be written down and shown: with a mark in place of each secret. Pure.

The worker is started with the true words; everything that is kept, listed, packed or drawn comes from these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mosaic_worker.common import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mosaic.protocol.cards import Job
    from mosaic.protocol.runs import RunSpec
    from mosaic.protocol.sessions import Seat, Session

__all__ = ["job_shown", "spec_shown"]


def spec_shown(spec: RunSpec, env: Mapping[str, str]) -> RunSpec:
    """A spec without the secrets of its words, nor those that the worker's variables hold."""
    secrets = redact.known(env, spec.command)
    return msgspec.structs.replace(
        spec,
        command=redact.hide_words(spec.command, secrets),
        name=redact.hide(spec.name, secrets),
        tags=redact.hide_values(spec.tags, secrets),
        record=redact.hide_values(spec.record, secrets),
        job=None if spec.job is None else job_shown(spec.job, secrets),
    )


def job_shown(job: Job, secrets: Iterable[str] = ()) -> Job:
    """A job without the secrets among its parameters and arguments, nor any of those given."""
    secrets = list(secrets)
    program_and_words = redact.hide_words(["", *job.arguments], secrets)
    return msgspec.structs.replace(
        job,
        arguments=program_and_words[1:],
        parameters=redact.hide_values(job.parameters, secrets),
        session=None if job.session is None else _session_shown(job.session, secrets),
    )


def _session_shown(session: Session, secrets: list[str]) -> Session:
    def shown(seat: Seat) -> Seat:
        argv = redact.hide_words(seat.argv, secrets)
        return msgspec.structs.replace(seat, argv=argv, name=redact.hide(seat.name, secrets))

    return msgspec.structs.replace(
        session, seats={actor: shown(seat) for actor, seat in session.seats.items()}
    )
