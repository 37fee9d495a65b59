"""Bytes to events: every line is an event, an odd line, or a hole; one bad line costs itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.protocol.codec import Unknown
from mosaic.protocol.events import Log
from mosaic.store.batch import Batch, parse_journal, parse_text


def line(seq: int | None, **fields: Any) -> bytes:
    event: dict[str, Any] = {"type": "log", "text": "x", **fields}
    if seq is not None:
        event["seq"] = seq
    return json.dumps(event).encode() + b"\n"


def step(seq: int, **fields: Any) -> bytes:
    return line(seq, **{"type": "step", "episode_id": "e", "step": seq, "text": "", **fields}).replace(
        b'"text": "", ', b""
    )


def texts(batch: Batch) -> list[str]:
    return [event.text for _, event in batch.others if isinstance(event, Log)]


@given(st.binary(max_size=60).filter(lambda data: b"\n" not in data and b"\0" not in data))
def test_any_bytes_between_two_events_cost_only_themselves(junk: bytes) -> None:
    block = line(0, text="before") + junk + b"\n" + line(1, text="after")
    batch = parse_journal(block, offset=100, next_seq=0)
    assert [text for text in texts(batch) if text in ("before", "after")] == ["before", "after"]
    assert batch.count + len(batch.odd) == 2 + bool(junk.strip())
    for odd in batch.odd:
        assert (odd.offset, odd.line) == (100 + len(line(0, text="before")), junk)


def test_steps_become_columns_and_others_keep_their_places() -> None:
    block = line(0) + step(1) + step(2) + line(3) + step(4)
    batch = parse_journal(block, offset=0, next_seq=0)
    assert batch.steps is not None
    assert batch.steps.seq.tolist() == [1, 2, 4]
    assert [place for place, _ in batch.others] == [0, 3]
    assert batch.next_seq == 5


@pytest.mark.parametrize(
    "bad",
    [
        {"reward": "abc"},
        {"reward": None},
        {"t": "NaN:0000000000000000"},
        {"step": 1 << 70},
        {"step": "one"},
        {"terminated": 1},
        {"episode_id": 5},
    ],
)
def test_a_step_with_an_impossible_value_is_odd_and_its_neighbours_are_not(bad: dict[str, Any]) -> None:
    block = step(0) + step(1, **bad) + step(2)
    batch = parse_journal(block, offset=0, next_seq=0)
    assert batch.steps is not None
    assert batch.steps.step.tolist() == [0, 2]
    assert [odd.offset for odd in batch.odd] == [len(step(0))]
    assert batch.holes == []


def test_named_floats_of_steps_are_exact() -> None:
    block = step(0, reward="NaN:7ff8000000000abc") + step(1, reward="-Infinity") + step(2, reward=-0.0)
    batch = parse_journal(block, offset=0, next_seq=0)
    assert batch.steps is not None
    assert [f"{bits:x}" for bits in batch.steps.reward.view("u8").tolist()] == [
        "7ff8000000000abc",
        "fff0000000000000",
        "8000000000000000",
    ]


def test_a_jump_in_the_numbers_is_a_hole_with_its_place_and_size() -> None:
    block = line(0) + line(1) + line(5) + line(6)
    batch = parse_journal(block, offset=50, next_seq=0)
    assert [(hole.offset, hole.missing) for hole in batch.holes] == [(50 + len(line(0) + line(1)), 3)]
    assert batch.next_seq == 7


def test_a_broken_line_used_up_its_number_and_is_no_hole() -> None:
    block = line(0) + b'{"type":"log","te\n' + line(2)
    batch = parse_journal(block, offset=0, next_seq=0)
    assert (len(batch.odd), batch.holes) == (1, [])


def test_events_without_numbers_and_repeated_numbers_are_kept() -> None:
    block = line(None) + line(0) + line(0) + line(None) + line(1)
    batch = parse_journal(block, offset=0, next_seq=0)
    assert (batch.count, batch.holes, batch.next_seq) == (5, [], 2)


def test_two_values_on_a_line_and_a_value_over_two_lines_are_odd() -> None:
    two = line(1).strip() + line(2)
    over = b'{"type":"log",\n"text":"y","seq":1}\n'
    for bad in (two, over):
        batch = parse_journal(line(0) + bad + line(9), offset=0, next_seq=0)
        assert texts(batch) == ["x", "x"]
        assert len(batch.odd) == bad.count(b"\n")


def test_invalid_utf8_inside_a_value_is_odd() -> None:
    bad = b'{"type":"step","episode_id":"e","step":0,"obs":"\xff","seq":1}\n'
    batch = parse_journal(line(0) + bad + line(2), offset=0, next_seq=0)
    assert (batch.count, len(batch.odd)) == (2, 1)
    assert "UTF-8" in batch.odd[0].reason


def test_unknown_types_and_fields_are_kept() -> None:
    block = line(0) + line(1, type="later", text="z") + step(2, colour="red") + line(3, shade=1)
    batch = parse_journal(block, offset=0, next_seq=0)
    assert batch.count == 4
    assert [event.type for _, event in batch.others if isinstance(event, Unknown)] == ["later"]
    assert {place: json.loads(extra) for place, extra in batch.extras.items()} == {
        2: {"colour": "red"},
        3: {"shade": 1},
    }
    assert batch.steps is not None
    assert batch.steps.extra.texts() == [b'{"colour":"red"}']
    assert batch.next_seq == 4


def test_a_program_s_own_output_is_searched_for_events_only() -> None:
    block = (
        b"loading...\n"
        + line(None, text="one")
        + b"{'a': 1}\n"
        + b'{"loss": 0.5}\n'
        + b'{"type":"log","text":}\n'
        + b"\xff\xfe\n"
        + b"  "
        + line(None, text="two")
    )
    batch = parse_text(block, offset=0)
    assert texts(batch) == ["one", "two"]
    assert [odd.line for odd in batch.odd] == [b'{"type":"log","text":}']


def test_output_that_is_nothing_but_events_takes_the_fast_road_to_the_same_result() -> None:
    block = b"".join(step(k) for k in range(50))
    batch = parse_text(block, offset=0)
    assert batch.steps is not None
    assert batch.steps.step.tolist() == list(range(50))


def test_a_text_that_only_looks_like_a_nan_costs_its_line_alone() -> None:
    lines = [b'{"type":"metric","name":"m","value":"NaN:7ff8  0000000000","seq":0}']
    lines += [b'{"type":"metric","name":"m","value":"NaN:7ff8000000000001","seq":1}', b""]
    batch = parse_journal(b"\n".join(lines), offset=0, next_seq=0)
    assert (batch.count, [odd.offset for odd in batch.odd]) == (1, [0])


def test_printed_lines_with_a_gap_are_events_that_were_damaged_or_the_rest_of_dropped_text() -> None:
    gap = bytes(4096)
    damaged = b'{"type": "log", "te' + gap + b'xt": "x"}\n'
    rest = b'{"printed": 1' + gap + b' and "type": 2}\n'
    batch = parse_text(damaged + rest + line(None, text="after"), offset=0)
    assert [odd.offset for odd in batch.odd] == [0]
    assert texts(batch) == ["after"]
