"""The words of `mosaic.text`, under the name the commands use. Nothing of its own."""

from __future__ import annotations

from mosaic.text import (
    age,
    count,
    fit,
    in_json,
    number,
    number_or_dash,
    size,
    span,
    speed,
    visible,
    width,
)

__all__ = [
    "age",
    "count",
    "fit",
    "in_json",
    "number",
    "number_or_dash",
    "size",
    "span",
    "speed",
    "visible",
    "width",
]
