"""What a word of a command line stands for. Pure; used on both sides of the command line."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ENV_PREFIX", "literal"]

ENV_PREFIX = "env."
"""`env.KEY=VALUE` is an argument of the environment itself."""
_NAMED = {"true": True, "false": False, "none": None}


def literal(text: str) -> Any:
    """The value a text stands for: true, false, none, a number, JSON; anything else is the text itself."""
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    if text[:1] in ("[", "{", '"'):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text
