"""G10: all 64 bits of a float survive from the worker's call to a row a client got over gRPC."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mosaic.rpc import convert
from mosaic.rpc.pb import trainer_pb2 as pb
from mosaic.store.reader import StoreReader
from mosaic_worker.encode import float_bytes
from mosaic_worker.episodes import Track
from mosaic_worker.journal import Journal
from mosaic_worker.recorder import Recorder
from tests.proof import oracle, places

SPECIAL = [
    0x0000000000000000, 0x8000000000000000,  # 0.0, -0.0
    0x0000000000000001, 0x800FFFFFFFFFFFFF,  # subnormal
    0x7FEFFFFFFFFFFFFF, 0x0010000000000000,  # the largest, the smallest normal
    0x7FF0000000000000, 0xFFF0000000000000,  # infinities
    0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF,
    0x7FF4DEADBEEF0001,  # all NaN
    0x3FF0000000000001, 0x3FB999999999999A, 0x4340000000000001,  # 1 + ulp, 0.1, 2**53 + 2
]  # fmt: skip


def floats_of(patterns: list[int]) -> list[float]:
    return list(struct.unpack(f"<{len(patterns)}d", struct.pack(f"<{len(patterns)}Q", *patterns)))


def bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def record(folder: Path, patterns: list[int]) -> None:
    """Every pattern as metric, reward, action, observation and time."""
    recorder = Recorder(str(folder))
    track = Track(recorder)
    values = floats_of(patterns)
    arrays = np.array(patterns, np.uint64).view(np.float64)
    track.begin(arrays)
    for number, value in enumerate(values):
        recorder.metric("m", value, number)
        track.step(value, arrays, value, False, False)
        track.step(arrays[number : number + 1], {"one": value, "all": arrays}, value, False, False)
    track.cut()
    recorder.close()
    journal = Journal(str(folder / "journal"))
    for value in values:
        journal.append(b'{"type":"metric","name":"t","value":0,"t":' + float_bytes(value))
    for number, value in enumerate(values):
        t = float_bytes(value)
        journal.append(b'{"type":"step","episode_id":"t%d","step":0,"t":%b' % (number, t))
        told = b'"return":%b,"t_start":%b,"t_end":%b' % (t, t, t)
        journal.append(b'{"type":"episode","episode_id":"t%d","steps":1,%b' % (number, told))
    journal.close()


def assert_exact(patterns: list[int]) -> None:
    with places.in_memory() as scratch:
        folder = oracle.new_run(scratch / "run")
        record(folder.path, patterns)
        oracle.end_run(folder)
        oracle.ingest_all(folder)
        oracle.assert_stored(folder)
        with StoreReader(folder) as reader:
            metrics = [
                convert.metric_from_pb(
                    pb.MetricRecord.FromString(convert.metric_to_pb(row).SerializeToString())
                )
                for row in reader.metrics()
            ]
            steps = [
                convert.step_from_pb(
                    pb.StepRecord.FromString(convert.step_to_pb(name, row).SerializeToString())
                )
                for name, row in reader.steps_since(0, limit=1 << 20)[0]
            ]
            episodes = [
                convert.episode_from_pb(
                    pb.EpisodeRecord.FromString(convert.episode_to_pb(row).SerializeToString())
                )
                for row in reader.episodes()
            ]
            curve = reader.returns()
    assert [bits(row.value) for row in metrics if row.name == "m"] == patterns
    assert [bits(row.t) for row in metrics if row.name == "t"] == patterns
    printed = [row for name, row in steps if name.startswith("t")]
    assert [bits(row.t) for row in printed] == patterns
    told = [row for row in episodes if row.episode_id.startswith("t")]
    for row, pattern in zip(told, patterns, strict=True):
        assert row.t_start is not None
        assert row.t_end is not None
        assert (bits(row.return_), bits(row.t_start), bits(row.t_end)) == (pattern,) * 3
    ended = {int(index): float(value) for index, value in zip(curve.index, curve.return_, strict=True)}
    assert [bits(ended[row.index]) for row in told] == patterns
    recorded = [row for name, row in steps if not name.startswith("t")]
    data = struct.pack(f"<{len(patterns)}Q", *patterns)
    assert [bits(row.reward) for row in recorded] == [pattern for pattern in patterns for _ in range(2)]
    for number, (scalar, array) in enumerate(zip(recorded[::2], recorded[1::2], strict=True)):
        assert oracle.bits(scalar.action) == patterns[number]
        assert base64.b64decode(scalar.obs["b64"]) == data
        assert base64.b64decode(array.action["b64"]) == struct.pack("<Q", patterns[number])
        assert oracle.bits(array.obs["one"]) == patterns[number]
        assert base64.b64decode(array.obs["all"]["b64"]) == data


def property_test(examples: int) -> Callable[[], None]:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.lists(st.one_of(st.integers(0, (1 << 64) - 1), st.sampled_from(SPECIAL)), min_size=1, max_size=20)
    )
    @example(SPECIAL)
    def check(patterns: list[int]) -> None:
        assert_exact(patterns)

    return check


@pytest.mark.parametrize(
    "examples", [30, pytest.param(800, marks=[pytest.mark.heavy, pytest.mark.timeout(400)])]
)
def test_every_float_arrives_bit_for_bit(examples: int) -> None:
    property_test(examples)()


def test_the_patterns_mean_what_they_say() -> None:
    values = floats_of(SPECIAL)
    assert math.copysign(1.0, values[1]) == -1.0
    assert values[6:8] == [math.inf, -math.inf]
    assert all(math.isnan(value) for value in values[8:13])
    assert [bits(value) for value in values] == SPECIAL
