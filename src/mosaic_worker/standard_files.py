"""Standard input and output of a child, kept apart from what libraries read and print there."""

from __future__ import annotations

import os
from typing import IO, Tuple

__all__ = ["taken"]


def taken() -> Tuple[IO[bytes], IO[bytes]]:
    """The requests that come in and the answers that go out, for whoever serves.

    From here on what is printed goes to standard error, so that it cannot be mistaken for an answer, and
    standard input is empty. The requests are not buffered: some are read by their descriptor.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests, answers
