"""The second opinion understands lines as the codec does, by rules of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.errors import ProtocolError
from mosaic.protocol.codec import Unknown, decode_line
from mosaic.store.recount import bits, lines_of, understand
from tests.store.journals import Segments
from tests.store.test_values import json_values

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

GOOD: dict[str, dict[str, Any]] = {
    "hello": {"protocol": 1, "producer": "p"},
    "config": {"seed": 3, "args": {}},
    "reset": {"episode_id": "e", "seeded": True},
    "step": {"episode_id": "e", "step": 1, "reward": 0.5},
    "episode": {"episode_id": "e", "steps": 3},
    "metric": {"name": "m", "value": 1},
    "checkpoint": {"path": "p"},
    "artifacts": {"tensorboard": "tb"},
    "decision": {"episode_id": "e", "step": 1, "operator": "o", "verdict": "veto", "ms": 1.5, "proposed": 2},
    "belief": {"episode_id": "e", "step": 1, "add": [], "del": [], "chosen": 1},
    "bye": {"reason": "x", "events": 3},
    "log": {"text": "x"},
}


def verdict(line: bytes) -> str:
    try:
        event = decode_line(line).event
    except ProtocolError:
        return "odd"
    return "unknown" if isinstance(event, Unknown) else str(event.__struct_config__.tag)


@given(st.sampled_from(sorted(GOOD)), st.data())
def test_both_agree_on_events_with_one_field_changed(kind: str, data: st.DataObject) -> None:
    fields: dict[str, Any] = {"type": kind, **GOOD[kind]}
    name = data.draw(st.sampled_from([*GOOD[kind], "t", "seq", "obs", "other"]))
    fields[name] = data.draw(json_values)
    if isinstance(fields[name], str) or name in ("step", "steps") or (kind, name) == ("config", "args"):
        return  # names of floats and sizes of counts are for ingest to judge
    line = json.dumps(fields).encode()
    understood = understand(line, is_text=False)
    assert understood is not None
    assert understood[0] == verdict(line)


@pytest.mark.parametrize("line", [b"", b"  ", b"plain text", b'{"loss": 1}'])
def test_text_that_is_no_event_is_no_matter_of_ours(line: bytes) -> None:
    assert understand(line, is_text=True) is None


@pytest.mark.parametrize(
    "line", [b"x", b"[]", b'{"a":1}', b'{"type":5}', b'{"type":"step"}', b"\xff", b"[" * 5000]
)
def test_lines_that_are_no_events_are_odd(line: bytes) -> None:
    understood = understand(line, is_text=False)
    assert understood is not None
    assert understood[0] == "odd"


def test_floats_are_compared_by_their_bits() -> None:
    assert bits(-0.0) != bits(0.0)
    assert bits("NaN") == bits(float("nan"))
    assert bits("NaN:7ff8000000000001") == "7ff8000000000001"
    assert bits(1) == bits(1.0)


def test_what_lies_behind_the_cursor_is_counted_apart(folder: RunFolder) -> None:
    worker = Segments(folder)
    end = len(worker.pending)
    worker.add({"type": "log", "text": "x"})
    path = worker.write()
    beyond: dict[str, int] = {}
    assert len(list(lines_of(folder, {path.name: (end, False)}, beyond))) == 1
    assert beyond == {path.name: 1}


def test_a_last_line_without_newline_is_a_line_of_text_but_a_fragment_of_a_journal(folder: RunFolder) -> None:
    worker = Segments(folder)
    worker.raw(b'{"type":"log","te\0\0')
    path = worker.write()
    folder.stdout.write_bytes(b"one\ntwo")
    cursors = {path.name: (path.stat().st_size, True), folder.stdout.name: (7, True)}
    found = [(name, line) for name, _, line in lines_of(folder, cursors, {})]
    assert found[1:] == [(path.name, None), (folder.stdout.name, b"one"), (folder.stdout.name, b"two")]
