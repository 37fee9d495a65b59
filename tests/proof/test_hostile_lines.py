"""G9: a line that is no event costs exactly that line; it is kept verbatim with its place."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mosaic.paths import RunFolder
from mosaic.protocol.codec import MAX_LINE_BYTES
from mosaic.store.reader import StoreReader
from mosaic.store.verify import verify
from tests.proof import oracle, places

SEGMENT = "p9x00000000-0000.jsonl"
VALID = b'{"type":"metric","name":"valid","value":%d}'

NASTY = [
    b"", b" ", b"\t \r", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", "é\u2028\u0085".encode(), b"\0",
    b"a\0b", b"\0\0{}", b"{", b"}", b"[]", b"{}", b"null", b"true", b"0", b"-", b'"', b'"text"', b"NaN",
    b"{]", b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"a":' * 50_000, b"[" * 60 + b"]" * 60, b'{"type":"step"',
    b'{"type":', b'{"type":"step"}', b'{"type":7}', b'{"type":null}',
    b'{"type":"step","episode_id":7,"step":0}', b'{"type":"step","episode_id":"e","step":"0"}',
    b'{"type":"step","episode_id":"e","step":1e99}',
    b'{"type":"step","episode_id":"e","step":99999999999999999999999}',
    b'{"type":"step","episode_id":"e","step":0,"reward":"much"}',
    b'{"type":"step","episode_id":"e","step":0,"reward":{}}',
    b'{"type":"step","episode_id":"e","step":0,"obs":' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"type":"metric","name":"m","value":"NaN:0000000000000000"}',
    b'{"type":"metric","name":"m","value":NaN}', b'{"type":"metric","name":"m","value":1e999}',
    b'{"type":"metric","name":"m","value":-Infinity,"step":null}',
    b'{"type":"metric","name":"m","value":1}{"type":"metric","name":"m","value":2}',
    b'{"type":"metric","name":"\\ud800","value":1}', b'{"type":"metric","name":"m","value":1,"seq":-5}',
    b'{"type":"metric","name":"m","value":1,"seq":1e3}',
    b'{"type":"metric","name":"m","value":1,"t":"yesterday"}', b'{"type":"hello"}',
    b'{"type":"episode","episode_id":"e","steps":-1}', b'{"type":"reset","episode_id":"e","env":[]}',
    b'{"type":"reset","episode_id":"e","rng":' + b'{"a":' * 200 + b"1" + b"}" * 201, b'{"type":"\\u0000"}',
    b'{"type":"later","x":' + b"[" * 200 + b"]" * 200 + b"}", b'{"type":"later","type":"step"}',
    b'{"event":"metric","name":"m","value":1}', b'{"type":"bye","events":"all"}',
    b"{" + b'"k":1,' * 5000 + b'"type":"later"}', b"1" * 5000,
    b'{"type":"metric","name":"m","value":' + b"9" * 5000 + b"}", b'{"type":"checkpoint","path":null}',
]  # fmt: skip

valid_line = st.integers(0, 9).map(lambda n: VALID % n)


@st.composite
def broken_event(draw: st.DrawFn) -> bytes:
    """A valid line with something done to it."""
    line = bytearray(draw(valid_line))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(line) - 1))
        line[at : at + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
        if not line:
            return b"x"
    return bytes(line)


short = [line for line in NASTY if len(line) < 1000]
hostile = st.one_of(st.binary(max_size=80), broken_event(), st.sampled_from(short))


def assert_costs_itself(folder: RunFolder, hostile_lines: list[bytes]) -> None:
    """Valid lines around each: all of them stored in order, all else stored or quarantined, nothing twice."""
    parts = [VALID % 0 + b"\n"]
    for number, line in enumerate(hostile_lines, 1):
        parts += [line + b"\n", VALID % number + b"\n"]
    data = b"".join(parts)
    (folder.journal / SEGMENT).write_bytes(data)
    oracle.end_run(folder)
    summary = oracle.ingest_all(folder)
    fragments = {at: piece for at, piece, whole in oracle._fragments(data) if piece.strip() or not whole}
    with StoreReader(folder) as reader:
        values = [row.value for row in reader.metrics(name="valid")]
        kept = reader.quarantine(limit=1 << 20)
        holes = [(offset, size) for _, offset, size, _ in reader.holes()]
    numbers = iter(values)
    assert all(number in numbers for number in range(len(hostile_lines) + 1)), (
        "a valid line was lost or moved"
    )
    assert summary.store_seq + len(kept) == len(fragments), "a line is neither stored nor quarantined"
    offsets = [row.offset for row in kept]
    assert len(set(offsets)) == len(offsets), "quarantined twice"
    filed = [json.loads(line) for line in folder.quarantine.read_bytes().splitlines()] if kept else []
    verbatim = {row["offset"]: base64.b64decode(row["line_b64"]) for row in filed}
    assert verbatim == {at: fragments[at] for at in offsets}, "quarantined is what nobody wrote"
    must = {at for at, piece in fragments.items() if not oracle.is_event(piece) and not tolerated(piece)}
    assert must <= set(offsets), "stored as an event is what is none"
    assert holes == [(m.start(), len(m[0])) for m in re.finditer(rb"\0+", data)], "holes differ"
    assert verify(folder) == []


def tolerated(piece: bytes) -> bool:
    """What strict JSON forbids and foreign writers do: bare NaN and Infinity, a tag called `event`."""
    return b'"event"' in piece or b"NaN" in piece or b"Infinity" in piece


def in_a_run(check: Callable[[RunFolder], Any]) -> None:
    with places.in_memory() as scratch:
        check(oracle.new_run(scratch / "run"))


def property_test(examples: int) -> Callable[[], None]:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(hostile, max_size=12))
    def check(lines: list[bytes]) -> None:
        in_a_run(lambda folder: assert_costs_itself(folder, lines))

    return check


@pytest.mark.parametrize(
    "examples", [40, pytest.param(1_200, marks=[pytest.mark.heavy, pytest.mark.timeout(400)])]
)
def test_any_bytes_between_valid_lines_cost_exactly_themselves(examples: int) -> None:
    property_test(examples)()


@pytest.mark.parametrize("line", NASTY, ids=lambda line: repr(line[:40]))
def test_a_known_trick_costs_exactly_itself(line: bytes, tmp_path: Path) -> None:
    assert_costs_itself(oracle.new_run(tmp_path / "run"), [line])


def test_a_thousand_mixed_hostile_lines_cost_exactly_themselves(tmp_path: Path) -> None:
    assert_costs_itself(oracle.new_run(tmp_path / "run"), [short[n % len(short)] for n in range(1_000)])


@pytest.mark.parametrize("size", [10 << 20, MAX_LINE_BYTES + 1, 40 << 20])
def test_a_huge_line_that_is_no_event_is_kept_verbatim(size: int, tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    line = bytes(range(1, 256)).replace(b"\n", b"") * (size // 254 + 1)
    line = line[:size]
    (folder.journal / SEGMENT).write_bytes(VALID % 0 + b"\n" + line + b"\n" + VALID % 1 + b"\n")
    oracle.end_run(folder)
    assert oracle.ingest_all(folder).store_seq == 2
    (row,) = [json.loads(text) for text in folder.quarantine.read_bytes().splitlines()]
    assert (row["source"], row["offset"], row["length"]) == (SEGMENT, len(VALID % 0) + 1, size)
    assert base64.b64decode(row["line_b64"]) == line


def test_a_valid_event_of_ten_megabytes_is_stored(tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    event = {"type": "step", "episode_id": "e", "step": 0, "obs": "x" * (10 << 20)}
    (folder.journal / SEGMENT).write_bytes(json.dumps(event).encode() + b"\n" + VALID % 1 + b"\n")
    oracle.end_run(folder)
    assert oracle.ingest_all(folder).store_seq == 2
    oracle.assert_stored(folder)


@pytest.mark.parametrize("line", NASTY, ids=lambda line: repr(line[:40]))
def test_what_a_program_prints_between_its_events_costs_none_of_them(line: bytes, tmp_path: Path) -> None:
    folder = oracle.new_run(tmp_path / "run")
    folder.stdout.write_bytes(VALID % 0 + b"\n" + line + b"\n" + VALID % 1 + b"\n")
    oracle.end_run(folder)
    oracle.ingest_all(folder)
    with StoreReader(folder) as reader:
        assert [row.value for row in reader.metrics(name="valid")] == [0.0, 1.0]
        kept = [base64.b64decode(row.line_b64) for row in reader.quarantine(limit=10)]
    assert kept in ([], [line.strip()])
    assert kept or oracle.is_event(line) or b'"type"' not in line or not line.startswith(b"{")
