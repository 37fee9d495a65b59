"""Published messages become journal lines: one for each, and none that lies."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.daemon.lines import episode_lines, event_lines, hello_line, step_lines
from mosaic.errors import ProtocolError
from mosaic.protocol.codec import decode_line
from mosaic.protocol.events import Episode, Hello, Metric, Step
from mosaic.protocol.floats import bits_of, from_json
from mosaic.rpc.pb import trainer_pb2 as pb


def test_a_step_becomes_the_event_it_describes() -> None:
    message = pb.RunStep(
        episode_id="é\n\0",
        step=7,
        action_json=b"[1, 2]",
        reward=math.nan,
        truncated=True,
        obs_json=b'{"nd":"<f4","shape":[1],"b64":"AAAAAA=="}',
        t=-0.0,
        agent_id="p0",
        turn=0,
        rewards_json=b"[1,2]",
    )
    line = step_lines([message], first_seq=5)
    assert b"rewards" not in step_lines([pb.RunStep(episode_id="e")], first_seq=0)
    event = decode_line(line.rstrip(b"\n")).event
    assert isinstance(event, Step)
    assert (event.seq, event.episode_id, event.step, event.agent_id, event.turn) == (5, "é\n\0", 7, "p0", 0)
    assert (event.terminated, event.truncated, bytes(event.action)) == (False, True, b"[1, 2]")
    assert math.isnan(from_json(event.reward))
    assert bytes(event.rewards) == b"[1,2]"
    assert bits_of(from_json(event.t)) == bits_of(-0.0)


def test_an_episode_becomes_the_event_it_describes() -> None:
    message = pb.RunEpisode(
        episode_id="e", steps=3, episode_return=-math.inf, outcome="cut", t_end=2.5, seed=0
    )
    event = decode_line(episode_lines([message], first_seq=1).rstrip(b"\n")).event
    assert isinstance(event, Episode)
    assert (event.seq, event.steps, event.return_, event.outcome) == (1, 3, "-Infinity", "cut")
    assert (event.t_start, event.t_end, event.seed, event.agent_id) == (None, 2.5, 0, None)


def test_the_first_line_says_who_writes() -> None:
    event = decode_line(hello_line("gabc", program="walker 1.0", t=3.0).rstrip(b"\n")).event
    assert isinstance(event, Hello)
    assert (event.seq, event.producer, event.protocol, event.argv) == (0, "gabc", 1, ["walker 1.0"])


def test_a_publisher_that_names_itself_by_its_command_leaves_no_secret() -> None:
    line = hello_line("p", program="worker --password=hunter2-canary", t=0.0)
    assert b"hunter2-canary" not in line


def test_an_event_line_keeps_every_byte_but_gets_its_number() -> None:
    assert event_lines([b' {"type":"log","text":"a"}', b"{}"], first_seq=8) == (
        b'{"seq":8,"type":"log","text":"a"}\n{"seq":9}\n'
    )


def test_a_number_the_worker_wrote_itself_is_replaced() -> None:
    (line,) = event_lines([b'{"type":"log","seq":1,"text":"\\"seq\\""}'], first_seq=8).splitlines()
    assert json.loads(line) == {"type": "log", "seq": 8, "text": '"seq"'}


@pytest.mark.parametrize(
    "value",
    [b'"\\ud800"', b"9" * 5000, b"[" * 600 + b"]" * 600, b"1e999"],
    ids=["surrogate", "digits", "deep", "big"],
)
def test_an_odd_value_beside_a_number_of_its_own_breaks_nothing(value: bytes) -> None:
    line = b'{"type":"log","text":"x","seq":1,"odd":%b}' % value
    assert event_lines([line], first_seq=8).count(b"\n") == 1


def test_a_pretty_printed_event_becomes_one_line() -> None:
    assert event_lines([b'{\n  "type": "log",\n  "text": "a b"\n}'], first_seq=1).count(b"\n") == 1
    assert step_lines([pb.RunStep(episode_id="e", action_json=b"[1,\n2]")], first_seq=1).count(b"\n") == 1


def test_bare_nan_and_infinity_are_let_through_as_numbers() -> None:
    line = event_lines([b'{"type":"metric","name":"m","value":NaN}'], first_seq=4)
    event = decode_line(line.rstrip(b"\n")).event
    assert isinstance(event, Metric)
    assert (event.seq, event.value) == (4, "NaN")
    (line,) = step_lines([pb.RunStep(episode_id="e", obs_json=b"[-Infinity,\n1]")], first_seq=1).splitlines()
    step = decode_line(line).event
    assert isinstance(step, Step)
    assert json.loads(bytes(step.obs)) == ["-Infinity", 1]


def test_an_empty_line_still_takes_its_number() -> None:
    assert event_lines([b"", b" \r\n"], first_seq=4) == b'{"seq":4}\n{"seq":5}\n'


def test_a_value_that_would_smuggle_in_fields_makes_no_event() -> None:
    line = step_lines([pb.RunStep(episode_id="e", action_json=b'1,"reward":99')], first_seq=1)
    with pytest.raises(ProtocolError):
        decode_line(line.rstrip(b"\n"))


@given(st.binary(max_size=40))
def test_whatever_bytes_come_each_event_is_exactly_one_line(data: bytes) -> None:
    for block in (
        event_lines([data, b'{"type":"log","text":"x"}'], first_seq=1),
        step_lines([pb.RunStep(episode_id="e", action_json=data), pb.RunStep(episode_id="f")], first_seq=1),
    ):
        assert block.endswith(b"\n")
        assert block.count(b"\n") == 2
        assert b"\0" not in block
        assert decode_line(block.split(b"\n")[1]).event.seq == 2  # type: ignore[union-attr]
