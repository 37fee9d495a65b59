"""Inputs nobody meant: valid ones with something done to them, from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.proof.soak import SOAK

if TYPE_CHECKING:
    import random

__all__ = ["broken", "inputs"]

_SOAK_INPUTS = 250_000

_TOKENS = [
    b"", b"\0", b"\n", b"\xff", b"\xed\xa0\x80", b"{", b"}", b"[", b"]" * 40, b"[" * 400, b'"', b"\\", b":",
    b"\\ud800", b"null", b"true", b"-", b"1e999", b"-1", b"9" * 400, b"NaN", b"Infinity", b"0.1e", b'"type"',
    b"../../evil", b"/etc/passwd", b'"seq":-1,', b'"step":1e300', b"\x7f" + b"\xff" * 7, b"\x80" * 12,
    b"\x28\xb5\x2f\xfd",
]  # fmt: skip


def inputs(sample: int) -> range:
    """As many turns as a fuzzer has inputs: a small sample, or its share of a million when soaking."""
    return range(_SOAK_INPUTS if SOAK else sample)


def broken(valid: bytes, chance: random.Random) -> bytes:
    """A valid input with one to four things done to it."""
    data = bytearray(valid)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at:at] = chance.choice(_TOKENS)
        elif kind == 2:
            data[at : at + chance.randint(1, 16)] = chance.choice(_TOKENS)
        elif kind == 3:
            del data[at : at + chance.randint(1, 64)]
        elif kind == 4:
            data[at:at] = data[chance.randrange(len(data) + 1) :][:64]
        else:
            data[at:at] = chance.randbytes(chance.randint(1, 8))
    return bytes(data)
