"""Rows survive the way over protobuf, bit for bit."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.errors import ProtocolError
from mosaic.protocol.cards import COMMAND_RUNNER, Job
from mosaic.protocol.floats import bits_of
from mosaic.protocol.rows import CheckpointRow, EpisodeRow, MetricRow, StepRow, StoreSummary
from mosaic.protocol.runs import ExitRecord, RunRow, RunSpec, RunState
from mosaic.rpc import convert
from mosaic.rpc.pb import trainer_pb2 as pb

PROTO = Path(convert.__file__).with_name("trainer.proto")

any_float = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])


@given(any_float)
def test_every_float_arrives_with_all_its_bits(value: float) -> None:
    row = MetricRow(name="m", canonical=None, value=value, step=None, t=0.0)
    wire = convert.metric_to_pb(row).SerializeToString()
    assert bits_of(convert.metric_from_pb(pb.MetricRecord.FromString(wire)).value) == bits_of(value)


def test_a_step_comes_back_as_it_was() -> None:
    row = StepRow(
        step=3,
        action=[1, {"a": None}],
        reward=-0.0,
        terminated=True,
        truncated=False,
        obs={"nd": "<f4", "shape": [1], "b64": "AAAAAA=="},
        t=1.5,
        agent_id="",
        turn=0,
        rewards=[1.0, "NaN"],
        seq=9,
    )
    assert convert.step_from_pb(convert.step_to_pb("e", row)) == ("e", row)
    bare = StepRow(step=0, action=None, reward=1.0, terminated=False, truncated=False, obs=None, t=0.0)
    assert convert.step_from_pb(convert.step_to_pb("é\n", bare)) == ("é\n", bare)


def test_an_episode_a_checkpoint_and_a_summary_come_back_as_they_were() -> None:
    episode = EpisodeRow(
        episode_id="e",
        index=4,
        return_=math.inf,
        seed=0,
        outcome="terminated",
        t_start=0.0,
        role="eval",
        seq=7,
    )
    assert convert.episode_from_pb(convert.episode_to_pb(episode)) == episode
    checkpoint = CheckpointRow(
        path="a/b.pt", sha256=None, bytes=0, step=None, kind="sb3", t=2.0, meta={"k": [1]}, seq=3
    )
    assert convert.checkpoint_from_pb(convert.checkpoint_to_pb(checkpoint)) == checkpoint
    summary = StoreSummary(
        store_seq=5,
        holes=1,
        last_return=0.0,
        env_ids=["CartPole-v1"],
        warnings=["rebuilt"],
        eval_episodes=2,
        eval_mean_return_100=-0.5,
    )
    assert convert.summary_from_pb(convert.summary_to_pb(summary)) == summary


@pytest.mark.parametrize(
    "exit_", [None, ExitRecord(code=0, t=1.0), ExitRecord(signal=9, stop_asked=True, leftovers=["p 7"])]
)
def test_a_run_comes_back_as_it_was(exit_: ExitRecord | None) -> None:
    row = RunRow(
        run_id="01J",
        name="n",
        state=RunState.PAUSED,
        reason="disk low",
        created=1.25,
        command=["python", "x y.py"],
        tags={"k": "v"},
        exit=exit_,
        started=0.0,
        last_return=-1.0,
    )
    assert convert.run_from_pb(convert.run_to_pb(row)) == row


def test_a_spec_comes_back_as_it_was() -> None:
    job = Job(runner="sb3", algorithm="ppo", env_id="CartPole-v1", parameters={"gamma": 0.9})
    record = {"obs_inline_bytes": 0}
    job = Job(runner="sb3", algorithm="ppo", env_id="CartPole-v1", parameters={"gamma": 0.9})
    record = {"obs_inline_bytes": 0}
    spec = RunSpec(run_id="01J", command=["x"], cwd="/", record=record, parent="01H", job=job)
    assert convert.spec_from_pb(convert.spec_to_pb(spec)) == spec
    plain = RunSpec(run_id="01J", command=["x"], cwd="/")
    assert convert.spec_from_pb(convert.spec_to_pb(plain)) == plain


def test_a_spec_that_names_no_runner_is_a_plain_command() -> None:
    assert convert.spec_from_pb(pb.RunSpec(run_id="01J", command=["true"])).runner == COMMAND_RUNNER


def test_a_spec_whose_record_is_no_object_is_refused_with_its_run() -> None:
    with pytest.raises(ProtocolError, match="record_json of run .01J."):
        convert.spec_from_pb(pb.RunSpec(run_id="01J", record_json=b"[1]"))


def test_no_field_of_a_row_is_forgotten() -> None:
    names: dict[Any, Any] = {
        RunRow: pb.RunRow,
        EpisodeRow: pb.EpisodeRecord,
        MetricRow: pb.MetricRecord,
        StoreSummary: pb.StoreSummary,
        ExitRecord: pb.RunExit,
    }
    renamed = {"return_": "episode_return"}
    for struct_type, message in names.items():
        ours = {renamed.get(field.name, field.name) for field in msgspec.structs.fields(struct_type)}
        assert ours == {field.name for field in message.DESCRIPTOR.fields}


def test_a_field_that_its_message_lacks_is_refused_when_the_module_is_imported() -> None:
    class Wider(MetricRow, frozen=True, kw_only=True):
        extra: int = 0

    with pytest.raises(TypeError, match="message MetricRecord has no extra"):
        convert._shared(Wider, pb.MetricRecord)


def test_the_contract_names_every_state_a_run_can_be_in() -> None:
    line = next(line for line in PROTO.read_text().splitlines() if line.startswith("  string state = "))
    assert set(line.partition("//")[2].split()) == {state.value for state in RunState}
