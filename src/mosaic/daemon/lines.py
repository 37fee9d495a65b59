"""Published messages to journal lines. Pure: messages in, bytes out; one line per event, whatever it holds.

What is not an event becomes a line all the same: one that ingest refuses and keeps in quarantine. So the n-th
event is the n-th line, and nothing a worker sends can look like two events, or like another one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from mosaic.protocol import floats
from mosaic.protocol.events import PROTOCOL_VERSION, Hello, Step
from mosaic_worker.common import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["episode_lines", "event_lines", "hello_line", "step_lines"]

_encoder = msgspec.json.Encoder()
_encode = _encoder.encode
_check_json = msgspec.json.Decoder(msgspec.Raw).decode
_BAD_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_NULL = msgspec.Raw(b"null")
_NO_VECTOR = Step(episode_id="", step=0).rewards  # the default itself, which is not written


def hello_line(producer: str, *, program: str, t: float) -> bytes:
    """The first line of a producer; its number is 0."""
    argv = [redact.hide(program)] if program else []
    hello = Hello(protocol=PROTOCOL_VERSION, producer=producer, seq=0, t=floats.to_json(t), argv=argv)
    return _encode(hello) + b"\n"


def step_lines(steps: Iterable[Any], *, first_seq: int) -> bytes:
    """The lines of RunStep messages."""
    events: list[Step] = []
    actions: dict[bytes, msgspec.Raw] = {}  # of this batch: most workers have few different ones
    for seq, step in enumerate(steps, first_seq):
        agent_id, action = step.agent_id, step.action_json
        if action not in actions:
            actions[action] = _value(action)
        reward, t = step.reward, step.t
        events.append(
            Step(
                seq=seq,
                t=t if t - t == 0.0 else floats.to_json(t),
                episode_id=step.episode_id,
                step=step.step,
                action=actions[action],
                reward=reward if reward - reward == 0.0 else floats.to_json(reward),
                terminated=step.terminated,
                truncated=step.truncated,
                obs=_value(step.obs_json),
                agent_id=agent_id or None,
                turn=step.turn if agent_id and step.HasField("turn") else None,
                rewards=_value(step.rewards_json) if step.rewards_json else _NO_VECTOR,
            )
        )
    return _encoder.encode_lines(events)


def episode_lines(episodes: Iterable[Any], *, first_seq: int) -> bytes:
    """The lines of RunEpisode messages."""
    lines: list[bytes] = []
    for seq, episode in enumerate(episodes, first_seq):
        fields: dict[str, Any] = {
            "type": "episode",
            "seq": seq,
            "t": floats.to_json(episode.t),
            "episode_id": episode.episode_id,
            "steps": episode.steps,
            "return": floats.to_json(episode.episode_return),
        }
        for name in ("outcome", "env_index", "agent_id", "seed"):
            if episode.HasField(name):
                fields[name] = getattr(episode, name)
        for name in ("t_start", "t_end"):
            if episode.HasField(name):
                fields[name] = floats.to_json(getattr(episode, name))
        lines.append(_encode(fields) + b"\n")
    return b"".join(lines)


def event_lines(lines: Sequence[bytes], *, first_seq: int) -> bytes:
    """Journal lines as they came, each with its number put in."""
    return b"".join(_numbered(line, seq) for seq, line in enumerate(lines, first_seq))


def _numbered(line: bytes, seq: int) -> bytes:
    line = line.strip(b" \t\r\n")
    if not line:
        return b'{"seq":%d}\n' % seq
    if not _is_json(line):
        return _harmless(line) + b"\n"  # no event, and ingest will say so
    line = line.replace(b"\n", b" ")
    if not line.startswith(b"{"):
        return line + b"\n"
    if b'"seq"' in line:  # perhaps not its own: then nothing changes but the order of the fields
        try:
            fields = json.loads(line)
            fields.pop("seq", None)
            line = json.dumps(fields).encode()
        except (ValueError, RecursionError):  # a number of 5,000 digits, say: ingest will refuse it too
            return line + b"\n"
    rest = line[1:].lstrip(b" \t\r")
    return b'{"seq":%d%b%b\n' % (seq, b"" if rest.startswith(b"}") else b",", rest)


def _value(raw: bytes) -> msgspec.Raw:
    """One JSON value on one line. What is none is marked so that its line cannot be read as an event."""
    if not raw:
        return _NULL
    if b"\n" not in raw:
        try:
            return _check_json(raw)
        except _BAD_JSON:
            pass
    return msgspec.Raw(raw.replace(b"\n", b" ") if _is_json(raw) else b"!" + _harmless(raw))


def _is_json(raw: bytes) -> bool:
    """Whether this is one JSON value, bare NaN and infinities too. A newline in it is mere space then."""
    try:
        _check_json(raw)
    except _BAD_JSON:
        try:
            json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError):
            return False
    return True


def _harmless(raw: bytes) -> bytes:
    """Bytes that neither end a line nor look like the padding of a segment."""
    return raw.replace(b"\n", b"\\n").replace(b"\0", b"\\0")
