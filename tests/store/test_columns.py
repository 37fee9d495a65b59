"""Step events to columns."""

from __future__ import annotations

import numpy as np
import pytest

from mosaic.errors import ProtocolError
from mosaic.protocol.codec import decode_line
from mosaic.protocol.events import Step
from mosaic.store import values
from mosaic.store.columns import exact_floats, to_columns


def step(**fields: str) -> Step:
    text = ",".join(f'"{name}":{value}' for name, value in {"step": "0", **fields}.items())
    event = decode_line(b'{"type":"step","episode_id":"e",%b}' % text.encode()).event
    assert isinstance(event, Step)
    return event


def test_each_field_has_its_column() -> None:
    steps = [
        step(step="3", action="1", reward="0.5", terminated="true", t="2.5"),
        step(step="4", truncated="true"),
    ]
    columns = to_columns(steps, np.array([7, 9]))
    assert columns.seq.tolist() == [7, 9]
    assert columns.step.tolist() == [3, 4]
    assert columns.reward.tolist() == [0.5, 0.0]
    assert columns.t.tolist() == [2.5, 0.0]
    assert columns.flags.tolist() == [1, 2]
    assert columns.action.texts() == [b"1", b"null"]
    assert isinstance(columns.agent, values.Same)


def test_agents_and_turns_of_any_kind_are_kept() -> None:
    steps = [
        step(agent_id='"a"', turn="1"),
        step(),
        step(agent_id='"é"', turn="123456789012345678901234567890"),
    ]
    columns = to_columns(steps, np.arange(3))
    assert columns.agent.objects() == ["a", None, "é"]
    assert columns.turn.objects() == [1, None, 123456789012345678901234567890]


def test_unknown_fields_go_to_their_step() -> None:
    columns = to_columns([step(), step()], np.arange(2), {1: b'{"q":1}'})
    assert columns.extra.texts() == [b"null", b'{"q":1}']


def test_floats_are_exact_or_refused() -> None:
    assert exact_floats([1.0, "NaN:7ff8000000000123"]).view(np.uint64).tolist()[1] == 0x7FF8000000000123
    with pytest.raises(ProtocolError, match="expected a number"):
        exact_floats([1.0, "1.5"])


def test_a_step_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ProtocolError, match="64 bits"):
        to_columns([step(step=str(1 << 80))], np.arange(1))
