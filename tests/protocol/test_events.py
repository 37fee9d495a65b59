"""The events by name: each can be written with what it needs alone, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from mosaic.protocol import events
from mosaic.protocol.events import EVENT_TYPES, LATER_FIELDS, Event, Step

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


def test_every_field_that_a_kind_got_later_is_listed_as_such_and_may_be_left_out() -> None:
    """Lines of before may hold anything under its name, and must not turn odd because it means something."""
    first = json.loads((Path(__file__).parents[1] / "golden" / "0.1" / "fields.json").read_text())
    later = {
        EVENT_TYPES[kind]: [
            field for field in msgspec.structs.fields(EVENT_TYPES[kind]) if field.encode_name not in names
        ]
        for kind, names in first.items()
    }
    assert not any(field.required for fields in later.values() for field in fields)
    added = {cls: tuple(field.encode_name for field in fields) for cls, fields in later.items() if fields}
    assert {cls: set(names) for cls, names in added.items()} == {
        cls: set(names) for cls, names in LATER_FIELDS.items()
    }


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
