"""Chunks: what goes in comes out, bit for bit, and damage is noticed."""

from __future__ import annotations

import dataclasses
import json
import math
import struct

import msgspec
import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic.errors import StoreError
from mosaic.store import chunks, values
from tests.store.test_values import encoded, json_values, nd

any_float = st.integers(0, (1 << 64) - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])
int64s = st.integers(-(1 << 63), (1 << 63) - 1)


def make(
    count: int,
    *,
    t: list[float] | None = None,
    reward: list[float] | None = None,
    obs: list[bytes] | None = None,
    action: list[bytes] | None = None,
    step: list[int] | None = None,
) -> chunks.Steps:
    return chunks.Steps(
        seq=np.arange(10, 10 + count),
        step=np.array(step if step is not None else range(count), np.int64),
        t=np.array(t if t is not None else [1.79e9 + k * 2e-5 for k in range(count)], np.float64),
        reward=np.array(reward if reward is not None else [1.0] * count, np.float64),
        flags=np.array([0] * (count - 1) + [chunks.TERMINATED], np.uint8),
        action=values.recognise(action or [b"%d" % (k % 2) for k in range(count)]),
        obs=values.recognise(obs or [nd(struct.pack("<2f", k, -k), "<f4", [2]) for k in range(count)]),
        agent=values.Same(b"null", count),
        turn=values.Same(b"null", count),
        extra=values.Same(b"null", count),
        rewards=values.Same(b"null", count),
    )


def assert_same(first: chunks.Steps, second: chunks.Steps) -> None:
    for name in ("seq", "step", "flags"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist()
    assert first.t.tobytes() == second.t.tobytes()
    assert first.reward.tobytes() == second.reward.tobytes()
    for name in ("action", "obs", "agent", "turn", "extra", "rewards"):
        assert getattr(first, name).texts() == getattr(second, name).texts()


@settings(deadline=None)
@given(st.integers(1, 30), st.booleans(), st.data())
def test_every_value_round_trips_exactly(count: int, quick: bool, data: st.DataObject) -> None:
    def many(strategy: st.SearchStrategy[object]) -> list[object]:
        return data.draw(st.lists(strategy, min_size=count, max_size=count))

    steps = make(
        count,
        t=many(any_float),  # type: ignore[arg-type]
        reward=many(any_float),  # type: ignore[arg-type]
        step=many(int64s),  # type: ignore[arg-type]
        action=[encoded(value) for value in many(json_values)],
        obs=[encoded(value) for value in many(json_values)],
    )
    assert_same(chunks.decode(chunks.encode([3], [count], steps, [b""], quick=quick)).steps, steps)


@pytest.mark.parametrize("counts", [[1], [1, 1, 1], [5, 1, 300, 2], [1024], [500, 524]])
def test_several_episodes_share_a_chunk_and_are_found_in_it(counts: list[int]) -> None:
    parts = [make(count) for count in counts]
    indexes = [7 * k + 1 for k in range(len(counts))]
    resets = [json.dumps({"n": k}).encode() if k % 2 else b"" for k in indexes]
    chunk = chunks.decode(chunks.encode(indexes, counts, chunks.concat(parts), resets))
    assert list(chunk.episodes) == indexes
    assert list(chunk.resets) == resets
    for index, part in zip(indexes, parts, strict=True):
        assert_same(chunk.part(index), part)


@pytest.mark.parametrize("counts", [[1], [1, 1, 1], [5, 1, 300, 2], [1024]])
def test_what_is_packed_quickly_comes_back_the_same(counts: list[int]) -> None:
    total = sum(counts)
    steps = make(total, t=[math.nan if k == 1 else 1.79e9 + k * 0.02 for k in range(total)])
    resets = [b'{"seed":%d}' % k for k in range(len(counts))]
    quick = chunks.decode(chunks.encode(range(len(counts)), counts, steps, resets, quick=True))
    best = chunks.decode(chunks.encode(range(len(counts)), counts, steps, resets))
    assert_same(quick.steps, steps)
    assert (quick.episodes, quick.counts, quick.resets) == (best.episodes, best.counts, best.resets)


def test_every_form_of_a_column_is_packed_quickly_too() -> None:
    forms = {
        "texts": [b'"left"', b'"right"', b"null"],
        "ints": [b"-5", b"9223372036854775807", b"7"],
        "checksums": [b'{"crc32":%d,"nd":"|u1","shape":[9]}' % k for k in (1, 4294967295, 3)],
        "arrays": [nd(bytes([k] * 3), "|u1", [3]) for k in (0, 7, 255)],
        "same": [b'"x"'] * 3,
    }
    for name, texts in forms.items():
        steps = make(3, action=texts, obs=texts)
        assert type(steps.action).__name__.lower() == name
        steps = dataclasses.replace(steps, agent=steps.action, rewards=steps.obs)
        assert_same(chunks.decode(chunks.encode([0], [3], steps, [b""], quick=True)).steps, steps)


@pytest.mark.parametrize("count", [20, 1024])
def test_a_float_time_keeps_all_its_bits(count: int) -> None:
    t = [math.nan, -0.0, math.inf, -math.inf, 5e-324] + [1.79e9 + k / 3 for k in range(count - 5)]
    assert_same(chunks.decode(chunks.encode([0], [count], make(count, t=t), [b""])).steps, make(count, t=t))


@pytest.mark.parametrize("quick", [True, False])
def test_damage_anywhere_is_noticed(*, quick: bool) -> None:
    blob = chunks.encode([0], [40], make(40), [b"{}"], quick=quick)
    for place in range(0, len(blob), 7):
        broken = bytearray(blob)
        broken[place] ^= 0x10
        with pytest.raises(StoreError, match="damaged"):
            chunks.decode(bytes(broken))
    with pytest.raises(StoreError, match="damaged"):
        chunks.decode(blob[:-1])


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("counts", [[5, 0], [2, 2]])
def test_counts_that_do_not_add_up_are_refused(counts: list[int], *, quick: bool) -> None:
    with pytest.raises(ValueError, match="5 steps cannot be"):
        chunks.encode([0, 1], counts, make(5), [b"", b""], quick=quick)


def test_agents_turns_and_unknown_fields_are_kept() -> None:
    steps = chunks.Steps(
        **{
            **make(3).__dict__,
            "agent": values.recognise([b'"a"', b'"b"', b"null"]),
            "turn": values.recognise([b"1", b"2", b"2"]),
            "extra": values.recognise([b"null", b'{"q":[1,2]}', b"null"]),
        }
    )
    assert_same(chunks.decode(chunks.encode([0], [3], steps, [b""])).steps, steps)


def test_vectors_of_rewards_are_kept_and_steps_without_them_are_written_as_ever() -> None:
    texts = [b"[1.0,-2.5]", b"null", b'["NaN",0.0]']
    steps = dataclasses.replace(make(3), rewards=values.recognise(texts))
    found = chunks.decode(chunks.encode([0, 1], [1, 2], steps, [b"", b""]))
    assert_same(found.steps, steps)
    assert found.part(1).rewards.texts() == texts[1:]
    without = chunks.encode([0], [3], make(3), [b""])
    body = zstandard.decompress(without[6:]) if without[1] else without[6:]
    assert len(msgspec.msgpack.decode(body)) == 20  # what an earlier version reads, and no more
