"""What the worker writes, the protocol reads: strictly, and to the last bit."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mosaic.protocol import floats
from mosaic.protocol.codec import decode_lines
from mosaic.protocol.events import Episode, Hello, Reset, Step
from mosaic_worker.encode import ArrayHead, float_bytes, value_bytes
from mosaic_worker.episodes import Track
from mosaic_worker.recorder import Recorder
from mosaic_worker.values import plain
from tests.worker.reading import lines_of

if TYPE_CHECKING:
    from pathlib import Path

any_float = st.floats(allow_nan=True, allow_infinity=True)
scalars = st.one_of(
    st.integers(-(2**70), 2**70), st.booleans(), st.none(), any_float, st.text(max_size=8).map(str)
)
arrays = st.builds(
    lambda raw, dtype: np.frombuffer(raw[: len(raw) // 8 * 8], dtype),
    st.binary(max_size=64),
    st.sampled_from(["<f4", "<f8", "|u1", "<i8"]),
)
values = st.recursive(
    scalars | arrays,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(values)
def test_the_quick_encoding_of_a_value_says_what_the_plain_one_does(value: Any) -> None:
    for found in (value_bytes(value, 1024), ArrayHead(1024).bytes_of(value)):
        assert msgspec.json.decode(found) == plain(value)
        assert b"\0" not in found
        assert b"\n" not in found


@given(any_float)
def test_a_float_comes_back_with_all_its_bits(value: float) -> None:
    assert floats.bits_of(floats.from_json(json.loads(float_bytes(value)))) == floats.bits_of(value)


def test_an_array_head_follows_changes_of_type_shape_and_layout() -> None:
    head = ArrayHead(64)
    grid = np.arange(12, dtype=np.float32).reshape(3, 4)
    for array in (grid, grid.T, grid[:, 1], grid.astype(np.int8), np.zeros(100), grid[::2], grid):
        assert json.loads(head.bytes_of(array)) == plain(array, inline_bytes=64)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    steps=st.lists(st.tuples(values, values, any_float, st.booleans()), min_size=1, max_size=6), first=values
)
def test_recorded_steps_decode_strictly_and_exactly(tmp_path: Path, steps: list[Any], first: Any) -> None:
    recorder = Recorder(str(tmp_path))
    track = Track(recorder)
    track.begin(first, seed=3, options={"x": first})
    for action, obs, reward, truncated in steps:
        track.step(action, obs, reward, False, truncated)
    recorder.close()
    events = []
    for segment in sorted((tmp_path / "journal").iterdir()):
        events += decode_lines(b"\n".join(lines_of(segment.read_bytes())))
        segment.unlink()
    assert isinstance(events[0], Hello)
    assert isinstance(events[1], Reset)
    assert msgspec.json.decode(events[1].obs) == plain(first)
    found = [event for event in events if isinstance(event, Step)]
    for event, (action, obs, reward, truncated) in zip(found, steps, strict=True):
        assert msgspec.json.decode(event.action) == plain(action)
        assert msgspec.json.decode(event.obs) == plain(obs)
        assert floats.bits_of(floats.from_json(event.reward)) == floats.bits_of(reward)
        assert event.truncated is truncated
    totals: dict[str, tuple[float, int]] = {}
    for event in found:
        total, count = totals.get(event.episode_id, (0.0, 0))
        totals[event.episode_id] = total + floats.from_json(event.reward), count + 1
    for ended in events:
        if isinstance(ended, Episode):
            total, count = totals[ended.episode_id]
            assert ended.steps == count
            recorded = floats.from_json(ended.return_)
            assert recorded == total or (math.isnan(recorded) and math.isnan(total))


@pytest.mark.parametrize("reward", [0.0, -0.0, 1, True, np.float32(0.1), np.float64(-0.0), 5e-324, 2**80])
def test_equal_rewards_that_differ_keep_their_difference(tmp_path: Path, reward: Any) -> None:
    recorder = Recorder(str(tmp_path))
    track = Track(recorder)
    track.begin(None)
    for given_reward in (0.0, -0.0, 1.0, reward):
        track.step(0, None, given_reward, False, False)
    recorder.close()
    (segment,) = (tmp_path / "journal").iterdir()
    steps = [event for event in decode_lines(segment.read_bytes()) if isinstance(event, Step)]
    bits = [floats.bits_of(floats.from_json(step.reward)) for step in steps]
    assert bits == [floats.bits_of(float(value)) for value in (0.0, -0.0, 1.0, reward)]
