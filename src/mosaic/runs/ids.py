"""The ids of runs: ULIDs, which sort by the time they were made. The package `ulid` would load slowly."""

from __future__ import annotations

import os
import time

__all__ = ["new_run_id"]

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_LENGTH = 26
_RANDOM_BYTES = 10


def new_run_id() -> str:
    """A new id: 48 bits of milliseconds since 1970, then 80 random ones."""
    millis = time.time_ns() // 1_000_000
    number = millis << 8 * _RANDOM_BYTES | int.from_bytes(os.urandom(_RANDOM_BYTES), "big")
    return "".join(_LETTERS[number >> 5 * digit & 31] for digit in reversed(range(_LENGTH)))
