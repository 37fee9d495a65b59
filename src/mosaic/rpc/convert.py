"""Structs to protobuf messages and back. The one place that knows both; rounds and drops nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from mosaic.errors import ProtocolError
from mosaic.protocol.cards import COMMAND_RUNNER, Job
from mosaic.protocol.rows import CheckpointRow, EpisodeRow, MetricRow, StepRow, StoreSummary
from mosaic.protocol.runs import ExitRecord, RunRow, RunSpec, RunState
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.rpc.records import DaemonStatus, EventRow, Skipped
from mosaic.runs.listing import unreadable_row

if TYPE_CHECKING:
    from mosaic.store.eventlog import Stored

__all__ = [
    "checkpoint_from_pb",
    "checkpoint_to_pb",
    "episode_from_pb",
    "episode_to_pb",
    "event_from_pb",
    "event_to_pb",
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


class _Shared(NamedTuple):
    """The fields a struct and its message have in common, by what kind of field they are in the message."""

    plain: tuple[str, ...]
    optional: tuple[str, ...]
    lists: tuple[str, ...]

    @property
    def every(self) -> tuple[str, ...]:
        return self.plain + self.optional + self.lists


def _shared(kind: type[msgspec.Struct], message: Any, *, apart: tuple[str, ...] = ()) -> _Shared:
    """What is carried over by name; `apart` are the fields that need a hand.

    Raises:
        TypeError: the message has no such field, so it would be lost on the way.
    """
    fields = message.DESCRIPTOR.fields_by_name
    names = [name for name in kind.__struct_fields__ if name not in apart]
    missing = [name for name in names if name not in fields]
    if missing:
        raise TypeError(f"trainer.proto: message {message.DESCRIPTOR.name} has no {', '.join(missing)}")
    return _Shared(
        plain=tuple(name for name in names if not (fields[name].has_presence or fields[name].is_repeated)),
        optional=tuple(name for name in names if fields[name].has_presence),
        lists=tuple(name for name in names if fields[name].is_repeated),
    )


_RUN = _shared(RunRow, pb.RunRow, apart=("state", "tags", "exit"))
_EXIT = _shared(ExitRecord, pb.RunExit)
_SUMMARY = _shared(StoreSummary, pb.StoreSummary)
_STEP = _shared(StepRow, pb.StepRecord, apart=("action", "obs", "rewards"))
_EPISODE = _shared(EpisodeRow, pb.EpisodeRecord, apart=("return_",))
_METRIC = _shared(MetricRow, pb.MetricRecord)
_CHECKPOINT = _shared(CheckpointRow, pb.CheckpointRecord, apart=("meta",))
_STATUS = _shared(DaemonStatus, pb.DaemonStatus, apart=("runs",))


def _fields(source: Any, shared: _Shared) -> dict[str, Any]:
    """A message's fields by name; an optional one that is not set reads as None."""
    values = {name: getattr(source, name) for name in shared.plain}
    for name in shared.optional:
        values[name] = getattr(source, name) if source.HasField(name) else None
    for name in shared.lists:
        values[name] = list(getattr(source, name))
    return values


def _named(source: Any, shared: _Shared) -> dict[str, Any]:
    """A struct's fields by name. Message constructors take None for 'not set'."""
    return {name: getattr(source, name) for name in shared.every}


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
        runner=message.runner or COMMAND_RUNNER,
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
    """A run as a message. One that no message can hold becomes `unreadable`: it must not end a list."""
    try:
        return _run_to_pb(row)
    except (ValueError, TypeError, OverflowError) as error:
        return _run_to_pb(unreadable_row(row.run_id, f"what it recorded fits no message: {error}"))


def _run_to_pb(row: RunRow) -> Any:
    ended = None if row.exit is None else pb.RunExit(**_named(row.exit, _EXIT))
    return pb.RunRow(**_named(row, _RUN), state=row.state.value, tags=row.tags, exit=ended)


def run_from_pb(message: Any) -> RunRow:
    """The run in a message."""
    ended = ExitRecord(**_fields(message.exit, _EXIT)) if message.HasField("exit") else None
    return RunRow(
        **_fields(message, _RUN), state=RunState(message.state), tags=dict(message.tags), exit=ended
    )


def summary_to_pb(summary: StoreSummary) -> Any:
    """A store's roll-up as a message."""
    return pb.StoreSummary(**_named(summary, _SUMMARY))


def summary_from_pb(message: Any) -> StoreSummary:
    """The roll-up in a message."""
    return StoreSummary(**_fields(message, _SUMMARY))


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
        rewards_json=b"" if row.rewards is None else _encode(row.rewards),
        seq=row.seq,
    )


def step_from_pb(message: Any) -> tuple[str, StepRow]:
    """The step in a message, and the id of its episode."""
    row = StepRow(
        **_fields(message, _STEP),
        action=_decode(message.action_json or b"null"),
        obs=_decode(message.obs_json or b"null"),
        rewards=_decode(message.rewards_json or b"null"),
    )
    return message.episode_id, row


def episode_to_pb(row: EpisodeRow) -> Any:
    """An episode as a message."""
    return pb.EpisodeRecord(**_named(row, _EPISODE), episode_return=row.return_)


def episode_from_pb(message: Any) -> EpisodeRow:
    """The episode in a message."""
    return EpisodeRow(**_fields(message, _EPISODE), return_=message.episode_return)


def metric_to_pb(row: MetricRow) -> Any:
    """A metric as a message."""
    return pb.MetricRecord(**_named(row, _METRIC))


def metric_from_pb(message: Any) -> MetricRow:
    """The metric in a message."""
    return MetricRow(**_fields(message, _METRIC))


def checkpoint_to_pb(row: CheckpointRow) -> Any:
    """A checkpoint as a message."""
    return pb.CheckpointRecord(**_named(row, _CHECKPOINT), meta_json=_encode(row.meta))


def checkpoint_from_pb(message: Any) -> CheckpointRow:
    """The checkpoint in a message."""
    return CheckpointRow(
        **_fields(message, _CHECKPOINT),
        meta=_decode(message.meta_json or b"{}"),
    )


def event_to_pb(event: Stored) -> Any:
    """An event as a message."""
    return pb.EventRecord(seq=event.seq, type=event.kind, json=event.data)


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
    return DaemonStatus(**_fields(message, _STATUS), runs=dict(message.runs))
