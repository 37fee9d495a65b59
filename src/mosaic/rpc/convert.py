"""Structs to protobuf messages and back. Pure; the one place that knows both; rounds and drops nothing."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from mosaic.errors import ProtocolError
from mosaic.protocol.cards import Job
from mosaic.protocol.rows import CheckpointRow, EpisodeRow, MetricRow, StepRow, StoreSummary
from mosaic.protocol.runs import ExitRecord, RunRow, RunSpec, RunState
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.records import DaemonStatus, EventRow, Skipped

__all__ = [
    "checkpoint_from_pb",
    "checkpoint_to_pb",
    "episode_from_pb",
    "episode_to_pb",
    "event_from_pb",
    "metric_from_pb",
    "metric_to_pb",
    "run_from_pb",
    "run_to_pb",
    "skipped_from_pb",
    "spec_from_pb",
    "spec_to_pb",
    "status_from_pb",
    "step_from_pb",
    "step_to_pb",
    "summary_from_pb",
    "summary_to_pb",
]

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_RUN_PLAIN = (
    "run_id",
    "name",
    "reason",
    "created",
    "episodes",
    "steps",
    "metrics",
    "quarantined",
    "store_seq",
    "runner",
    "algorithm",
)
_RUN_OPTIONAL = ("started", "ended", "last_return", "steps_per_sec", "mean_return_100", "group", "parent")
_EXIT_OPTIONAL = ("code", "signal", "error")
_SUMMARY_PLAIN = (
    "store_seq", "episodes", "steps", "metrics", "checkpoints", "quarantined", "unknown", "holes",
)  # fmt: skip
_SUMMARY_OPTIONAL = ("last_return", "mean_return_100", "steps_per_sec", "t_first", "t_last")
_STEP_PLAIN = ("step", "reward", "terminated", "truncated", "t", "seq")
_STEP_OPTIONAL = ("agent_id", "turn")
_EPISODE_PLAIN = ("episode_id", "index", "env_index", "steps", "seq")
_EPISODE_OPTIONAL = ("agent_id", "seed", "outcome", "t_start", "t_end", "group", "env_id")
_METRIC_PLAIN = ("name", "value", "t", "seq")
_METRIC_OPTIONAL = ("canonical", "step", "source")
_CHECKPOINT_PLAIN = ("path", "t", "seq")
_CHECKPOINT_OPTIONAL = ("sha256", "bytes", "step", "kind")
_STATUS_PLAIN = (
    "version", "protocol", "pid", "home", "started", "faults", "last_fault", "streams", "publishers",
)  # fmt: skip


def _fields(source: Any, plain: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """A message's fields by name; an optional one that is not set reads as None."""
    values = {name: getattr(source, name) for name in plain}
    for name in optional:
        values[name] = getattr(source, name) if source.HasField(name) else None
    return values


def _named(source: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """A struct's fields by name. Message constructors take None for 'not set'."""
    return {name: getattr(source, name) for name in names}


def spec_to_pb(spec: RunSpec) -> Any:
    """A run's spec as a message."""
    return pb.RunSpec(
        run_id=spec.run_id,
        command=spec.command,
        cwd=spec.cwd,
        name=spec.name,
        tags=spec.tags,
        runner=spec.runner,
        record_json=_encode(spec.record) if spec.record else b"",
        parent=spec.parent,
        job_json=_encode(spec.job) if spec.job is not None else b"",
    )


def spec_from_pb(message: Any) -> RunSpec:
    """The spec in a message.

    Raises:
        ProtocolError: `record_json` or `job_json` is not what it should be.
    """
    record = _decoded(message, "record_json", dict[str, Any])
    return RunSpec(
        run_id=message.run_id,
        command=list(message.command),
        cwd=message.cwd,
        name=message.name,
        tags=dict(message.tags),
        runner=message.runner or "script",
        record=record or {},
        parent=message.parent if message.HasField("parent") else None,
        job=_decoded(message, "job_json", Job),
    )


def _decoded(message: Any, field: str, kind: type[T]) -> T | None:
    data = getattr(message, field)
    if not data:
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"{field} of run {message.run_id!r} cannot be read: {error}") from error


def run_to_pb(row: RunRow) -> Any:
    """A run as a message."""
    ended = row.exit
    return pb.RunRow(
        **_named(row, _RUN_PLAIN + _RUN_OPTIONAL),
        state=row.state.value,
        command=row.command,
        tags=row.tags,
        env_ids=row.env_ids,
        exit=None
        if ended is None
        else pb.RunExit(
            **_named(ended, _EXIT_OPTIONAL), t=ended.t, stop_asked=ended.stop_asked, leftovers=ended.leftovers
        ),
    )


def run_from_pb(message: Any) -> RunRow:
    """The run in a message."""
    ended = None
    if message.HasField("exit"):
        ended = ExitRecord(
            **_fields(message.exit, ("t", "stop_asked"), _EXIT_OPTIONAL),
            leftovers=list(message.exit.leftovers),
        )
    return RunRow(
        **_fields(message, _RUN_PLAIN, _RUN_OPTIONAL),
        state=RunState(message.state),
        command=list(message.command),
        tags=dict(message.tags),
        env_ids=list(message.env_ids),
        exit=ended,
    )


def summary_to_pb(summary: StoreSummary) -> Any:
    """A store's roll-up as a message."""
    names = (*_SUMMARY_PLAIN, *_SUMMARY_OPTIONAL, "env_ids", "warnings")
    return pb.StoreSummary(**_named(summary, names))


def summary_from_pb(message: Any) -> StoreSummary:
    """The roll-up in a message."""
    return StoreSummary(
        **_fields(message, _SUMMARY_PLAIN, _SUMMARY_OPTIONAL),
        env_ids=list(message.env_ids),
        warnings=list(message.warnings),
    )


def step_to_pb(episode_id: str, row: StepRow) -> Any:
    """A step as a message."""
    return pb.StepRecord(
        episode_id=episode_id,
        step=row.step,
        action_json=_encode(row.action),
        reward=row.reward,
        terminated=row.terminated,
        truncated=row.truncated,
        obs_json=_encode(row.obs),
        t=row.t,
        agent_id=row.agent_id,
        turn=row.turn,
        seq=row.seq,
    )


def step_from_pb(message: Any) -> tuple[str, StepRow]:
    """The step in a message, and the id of its episode."""
    row = StepRow(
        **_fields(message, _STEP_PLAIN, _STEP_OPTIONAL),
        action=_decode(message.action_json or b"null"),
        obs=_decode(message.obs_json or b"null"),
    )
    return message.episode_id, row


def episode_to_pb(row: EpisodeRow) -> Any:
    """An episode as a message."""
    return pb.EpisodeRecord(**_named(row, _EPISODE_PLAIN + _EPISODE_OPTIONAL), episode_return=row.return_)


def episode_from_pb(message: Any) -> EpisodeRow:
    """The episode in a message."""
    return EpisodeRow(**_fields(message, _EPISODE_PLAIN, _EPISODE_OPTIONAL), return_=message.episode_return)


def metric_to_pb(row: MetricRow) -> Any:
    """A metric as a message."""
    return pb.MetricRecord(**_named(row, _METRIC_PLAIN + _METRIC_OPTIONAL))


def metric_from_pb(message: Any) -> MetricRow:
    """The metric in a message."""
    return MetricRow(**_fields(message, _METRIC_PLAIN, _METRIC_OPTIONAL))


def checkpoint_to_pb(row: CheckpointRow) -> Any:
    """A checkpoint as a message."""
    return pb.CheckpointRecord(
        **_named(row, _CHECKPOINT_PLAIN + _CHECKPOINT_OPTIONAL), meta_json=_encode(row.meta)
    )


def checkpoint_from_pb(message: Any) -> CheckpointRow:
    """The checkpoint in a message."""
    return CheckpointRow(
        **_fields(message, _CHECKPOINT_PLAIN, _CHECKPOINT_OPTIONAL),
        meta=_decode(message.meta_json or b"{}"),
    )


def event_from_pb(message: Any) -> EventRow:
    """The event in a message."""
    return EventRow(seq=message.seq, type=message.type, json=message.json)


def skipped_from_pb(message: Any) -> Skipped | None:
    """What a batch's reader was not sent, if anything."""
    if not message.HasField("skipped"):
        return None
    return Skipped(message.skipped.from_seq, message.skipped.to_seq)


def status_from_pb(message: Any) -> DaemonStatus:
    """The daemon's status in a message."""
    return DaemonStatus(**_fields(message, _STATUS_PLAIN), runs=dict(message.runs))
