"""Events as JSON, nothing lost."""

from __future__ import annotations

import json

from mosaic.protocol.codec import Unknown, decode_line
from mosaic.store.lines import json_of, to_bytes

HUGE = 123456789012345678901234567890


def test_an_event_keeps_its_unknown_fields() -> None:
    line = b'{"type":"config","algo":"ppo","later":{"x":[1,2]}}'
    decoded = decode_line(line)
    assert not isinstance(decoded.event, Unknown)
    assert json.loads(json_of(decoded.event, decoded.extra)) == json.loads(line)


def test_an_event_with_an_integer_over_64_bits_says_what_it_said_and_no_more() -> None:
    line = b'{"type":"decision","step":%d,"data":{"n":%d},"t":1.5}' % (HUGE, HUGE)
    decoded = decode_line(line)
    assert not isinstance(decoded.event, Unknown)
    assert json.loads(json_of(decoded.event)) == json.loads(line)
    assert json_of(decoded.event).startswith(b'{"type":"decision"')


def test_any_value_becomes_bytes() -> None:
    assert json.loads(to_bytes({"n": HUGE, "x": [None, 0.5]})) == {"n": HUGE, "x": [None, 0.5]}


def test_an_event_without_unknown_fields_is_encoded_once_and_its_json_values_stay_as_they_came() -> None:
    line = b'{"type":"reset","episode_id":"e","obs":[1,  2.50]}'
    decoded = decode_line(line)
    assert not isinstance(decoded.event, Unknown)
    assert json_of(decoded.event) == line
