"""One setting of something that can be launched: its type, bounds and default. Pure data."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = ["Parameter"]


class Parameter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One setting of an algorithm or an operator. Bounds are inclusive, but for `exclusive_minimum`."""

    name: str
    type: Literal["int", "float", "bool", "str", "choice"]
    default: Any = None
    help: str = ""
    group: str = "General"
    advanced: bool = False
    minimum: float | None = None
    exclusive_minimum: bool = False
    maximum: float | None = None
    choices: list[str] = []
    optional: bool = False
    """Whether it may be left without a value (`none`)."""
