"""Structs made ready for threads. Pure.

msgspec works out a struct's fields when it is first decoded, and two threads that do so for one struct at the
same time crash the process. Importing a module is one thread's business, so that is when it is done: a module
that defines structs which are decoded on several threads ends with a call of `ready`.
"""

from __future__ import annotations

import msgspec

__all__ = ["ready"]


def ready(*kinds: type) -> None:
    """Work out the fields of these, and of what they hold."""
    for kind in kinds:
        msgspec.json.Decoder(kind)
