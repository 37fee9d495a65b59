from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.errors import ProtocolError
from mosaic.protocol import codec, events, floats

STEP = b'{"type":"step","episode_id":"a","step":0,"action":1,"reward":1.0,"obs":[0.5]}'

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
).filter(lambda value: "Infinity" not in json.dumps(value))


def step_of(line: bytes) -> events.Step:
    event = codec.decode_line(line).event
    assert isinstance(event, events.Step)
    return event


def test_the_seeds_example_lines_are_events() -> None:
    lines = [
        b'{"type":"config","run_id":"r","algo":"ppo","env_id":"LunarLander-v3","seed":123,"args":{"lr":1e-3}}',
        b'{"type":"step","episode_id":"e","step":42,"action":1,"reward":1.0,"terminated":false,'
        b'"truncated":false,"obs":{"x":1},"t":1700.512}',
        b'{"type":"episode","episode_id":"e","steps":512,"return":241.7,"t_end":1712.004}',
        b'{"type":"metric","name":"policy_loss","value":0.0042,"t":1712.100}',
    ]
    kinds = [type(event) for event in codec.decode_lines(b"\n".join(lines))]
    assert kinds == [events.Config, events.Step, events.Episode, events.Metric]


def test_an_artifacts_line_tagged_event_instead_of_type_is_understood() -> None:
    line = b'{"event":"artifacts","run_id":"r","video":"videos/a.mp4","wandb_url":"https://w/x"}'
    event = codec.decode_line(line).event
    assert isinstance(event, events.Artifacts)
    assert event.video == "videos/a.mp4"


@pytest.mark.parametrize(
    ("token", "value"), [("NaN", math.nan), ("Infinity", math.inf), ("-Infinity", -math.inf)]
)
def test_bare_constants_of_foreign_writers_are_accepted(token: str, value: float) -> None:
    event = step_of(b'{"type":"step","episode_id":"a","step":0,"reward":%s}' % token.encode())
    assert floats.bits_of(floats.from_json(event.reward)) == floats.bits_of(value)


def test_unknown_fields_are_kept_beside_the_event() -> None:
    decoded = codec.decode_line(STEP[:-1] + b',"q_values":[1,NaN],"note":"x"}')
    assert isinstance(decoded.event, events.Step)
    assert json.loads(decoded.extra or b"") == {"q_values": [1, "NaN"], "note": "x"}


def test_an_unknown_type_is_kept_as_it_came() -> None:
    line = b'{"type":"telepathy","strength":3}'
    assert codec.decode_line(line).event == codec.Unknown("telepathy", line)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b'{"type":"step","episode_id":"a","step":"x"}', "Expected `int`, got `str`"),
        (b'{"type":"step","step":1}', "missing required field `episode_id`"),
        (b'{"type":7}', "no 'type'"),
        (b'{"a":1}', "no 'type'"),
        (b"[1,2]", "expected an object, got list"),
        (b"\xff\xfe", "utf-8"),
        (b'{"type":"log","text":"cut', "Unterminated string"),
        (b"[" * 100_000, "recursion"),
        (b'{"type":"log","text":"x","extra":' + b"[" * 200 + b"]" * 200 + b"}", "nested deeper"),
        (b"", "Expecting value"),
    ],
)
def test_a_line_that_is_no_event_is_refused_with_what_is_wrong_and_how_it_starts(
    line: bytes, complaint: str
) -> None:
    with pytest.raises(ProtocolError, match="It starts ") as caught:
        codec.decode_line(line)
    assert complaint in str(caught.value)


def test_a_number_too_large_for_a_float_is_infinity_and_not_null() -> None:
    decoded = codec.decode_line(b'{"type":"metric","name":"m","value":-1e400,"later":[1e999]}')
    assert isinstance(decoded.event, events.Metric)
    assert decoded.event.value == "-Infinity"
    assert decoded.extra == b'{"later":["Infinity"]}'


def test_an_oversized_line_is_refused_unread() -> None:
    with pytest.raises(ProtocolError, match="over the limit"):
        codec.decode_line(b"x" * (codec.MAX_LINE_BYTES + 1))


def test_one_odd_line_refuses_the_whole_fast_block() -> None:
    with pytest.raises(ProtocolError):
        codec.decode_lines(STEP + b"\n" + b'{"type":"telepathy"}' + b"\n" + STEP)


@given(action=json_values, obs=json_values, step=st.integers(0, 2**53), reward=st.floats())
def test_a_step_round_trips_whole(action: Any, obs: Any, step: int, reward: float) -> None:
    wire = {"type": "step", "episode_id": "e", "step": step, "reward": floats.to_json(reward)}
    line = json.dumps({**wire, "action": action, "obs": obs}).encode()
    event = step_of(codec.encode(step_of(line)))
    assert event.step == step
    assert json.loads(bytes(event.action)) == action
    assert json.loads(bytes(event.obs)) == obs
    assert floats.bits_of(floats.from_json(event.reward)) == floats.bits_of(reward)


@given(st.binary(max_size=200))
def test_no_bytes_do_more_than_raise_a_protocol_error(line: bytes) -> None:
    try:
        decoded = codec.decode_line(line)
    except ProtocolError:
        return
    assert isinstance(json.loads(line), dict)
    assert decoded.event is not None


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"verdict": 5, "by": "guard"}, {"verdict": 5}),
        ({"ms": "fast"}, {"ms": "fast"}),
        ({"ms": True, "reason": ["a", "hole"]}, {"ms": True, "reason": ["a", "hole"]}),
        ({"ms": 10**400}, {"ms": 10**400}),
        ({"verdict": 5, "mood": "calm"}, {"verdict": 5, "mood": "calm"}),
    ],
)
def test_a_field_that_meant_something_else_before_is_kept_beside_the_event(
    fields: dict[str, Any], kept: dict[str, Any]
) -> None:
    decoded = codec.decode_line(json.dumps({"type": "decision", "step": 3, **fields}).encode())
    assert isinstance(decoded.event, events.Decision)
    assert (decoded.event.step, decoded.event.verdict, decoded.event.ms) == (3, None, None)
    assert decoded.event.by == fields.get("by")
    assert decoded.extra is not None
    assert json.loads(decoded.extra) == kept


def test_a_field_that_a_kind_had_from_the_beginning_must_fit() -> None:
    with pytest.raises(ProtocolError, match=r"\$\.step"):
        codec.decode_line(b'{"type":"decision","step":"seven","verdict":5}')


def test_the_components_of_a_reward_are_a_field_of_the_step_also_beside_unknown_ones() -> None:
    line = b'{"type":"step","episode_id":"e","step":0,"rewards":[1.5,NaN],"later":1}'
    decoded = codec.decode_line(line)
    assert isinstance(decoded.event, events.Step)
    assert bytes(decoded.event.rewards) == b'[1.5,"NaN"]'
    assert decoded.extra == b'{"later":1}'
