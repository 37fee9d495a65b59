"""The events by name: each can be written with what it needs alone, and read back."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from mosaic.protocol import events
from mosaic.protocol.events import EVENT_TYPES, Event, Step

LEAST: dict[str, dict[str, object]] = {
    "hello": {"protocol": 1, "producer": "p"},
    "config": {},
    "reset": {"episode_id": "e"},
    "step": {"episode_id": "e", "step": 0},
    "episode": {"episode_id": "e", "steps": 1},
    "metric": {"name": "loss", "value": 0.5},
    "checkpoint": {"path": "model.zip"},
    "artifacts": {},
    "decision": {},
    "belief": {},
    "log": {"text": "hello"},
    "bye": {},
}


def test_the_list_of_types_is_the_union_and_both_are_public() -> None:
    assert set(EVENT_TYPES.values()) == set(get_args(Event))
    assert {cls.__name__ for cls in EVENT_TYPES.values()} <= set(events.__all__)
    assert list(EVENT_TYPES) == list(LEAST)


@pytest.mark.parametrize("name", LEAST)
def test_an_event_is_written_without_the_fields_that_have_their_default(name: str) -> None:
    line = {"type": name, **LEAST[name]}
    event = msgspec.convert(line, EVENT_TYPES[name])
    assert msgspec.json.decode(msgspec.json.encode(event)) == line
    assert (event.seq, event.t) == (None, 0.0)


@pytest.mark.parametrize("name", [name for name, needed in LEAST.items() if needed])
def test_an_event_without_what_it_needs_is_refused(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="missing required field"):
        msgspec.json.decode(msgspec.json.encode({"type": name}), type=EVENT_TYPES[name])


def test_a_step_that_says_neither_action_nor_observation_has_null_for_both() -> None:
    step = msgspec.json.decode(b'{"type":"step","episode_id":"e","step":0,"obs":[1, 2]}', type=Step)
    assert (bytes(step.action), bytes(step.obs)) == (b"null", b"[1, 2]")
