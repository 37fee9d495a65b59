"""Messages between the workbench and a replay child: a JSON header and raw bytes, lengths first.

Pure but for the two functions that read and write a file. Refuses lengths no honest peer would send.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any, Dict, Optional, Tuple

__all__ = ["MAX_BODY", "MAX_HEADER", "WireError", "encode", "read", "take", "write"]

MAX_HEADER = 1 << 20
MAX_BODY = 1 << 30
_LENGTHS = struct.Struct(">II")

Message = Tuple[Dict[str, Any], bytes]


class WireError(Exception):
    """Bytes that are not a message."""


def encode(header: Dict[str, Any], body: bytes = b"") -> bytes:
    """A message as bytes."""
    head = json.dumps(header, separators=(",", ":")).encode()
    if len(head) > MAX_HEADER or len(body) > MAX_BODY:
        raise WireError(f"a message of {len(head)} + {len(body)} bytes is too large")
    return _LENGTHS.pack(len(head), len(body)) + head + body


def take(data: bytearray) -> Optional[Message]:
    """The first message of a buffer, removed from it; None while it is not all there.

    Raises:
        WireError: what is there is the beginning of no message.
    """
    if len(data) < _LENGTHS.size:
        return None
    head, body = _lengths(bytes(data[: _LENGTHS.size]))
    start = _LENGTHS.size + head
    if len(data) < start + body:
        return None
    header = _header(bytes(data[_LENGTHS.size : start]))
    raw = bytes(data[start : start + body])
    del data[: start + body]
    return header, raw


def read(file: IO[bytes]) -> Optional[Message]:
    """The next message of a blocking file; None at its end."""
    lengths = _exactly(file, _LENGTHS.size)
    if lengths is None:
        return None
    head, body = _lengths(lengths)
    header, raw = _exactly(file, head), _exactly(file, body)
    if header is None or raw is None:
        return None
    return _header(header), raw


def write(file: IO[bytes], header: Dict[str, Any], body: bytes = b"") -> None:
    """Send one message."""
    file.write(encode(header, body))
    file.flush()


def _lengths(data: bytes) -> Tuple[int, int]:
    head, body = _LENGTHS.unpack(data)
    if head > MAX_HEADER or body > MAX_BODY:
        raise WireError(
            f"a message of {head} + {body} bytes is announced; the limit is {MAX_HEADER} + {MAX_BODY}"
        )
    return head, body


def _header(data: bytes) -> Dict[str, Any]:
    try:
        header = json.loads(data)
    except ValueError as error:
        raise WireError(f"a header is not JSON: {data[:60]!r}") from error
    if not isinstance(header, dict):
        raise WireError(f"a header is a JSON object, got {data[:60]!r}")
    return header


def _exactly(file: IO[bytes], count: int) -> Optional[bytes]:
    parts = []
    while count:
        part = file.read(count)
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
