"""What the launch panel remembers between two starts. Texts, as typed. Qt-free; reads and writes nothing."""

from __future__ import annotations

from typing import Literal

import msgspec

from mosaic.protocol.ready import ready

__all__ = ["Draft", "Memory", "Page"]

Page = Literal["train", "trained"]


class Draft(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What was typed for one algorithm; only what differs from its defaults."""

    basics: dict[str, str] = {}
    parameters: dict[str, str] = {}


class Memory(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Everything that is remembered."""

    runner: str = ""
    algorithms: dict[str, str] = {}
    """The algorithm last chosen, by runner."""
    pages: dict[str, Page] = {}
    """Train new or use trained, by runner."""
    drafts: dict[str, Draft] = {}
    """By `runner/algorithm`."""
    evaluations: dict[str, dict[str, str]] = {}
    """What is typed under use trained, by runner."""
    checkouts: dict[str, str] = {}
    """The folder in which a runner finds its algorithms, by runner."""
    script: dict[str, str] = {}
    """What is typed for a command of the user's own."""


ready(Memory)
