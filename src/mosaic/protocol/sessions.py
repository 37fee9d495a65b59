"""What a session is asked for: who decides for whom, in which episodes, how fast. Pure data."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from mosaic.protocol.parameters import Parameter  # noqa: TC001  (msgspec reads the annotations)

__all__ = ["EVERYBODY", "UNTIL_LEFT", "OperatorCard", "Seat", "Session"]

EVERYBODY = "*"
"""The seat of every actor that is not named."""

UNTIL_LEFT = 1000
"""How many episodes a person is offered who was not asked how many: more than anybody plays at a time."""


class Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An operator as the session's worker is told of it (`mosaic_worker.operators.seating` reads this)."""

    kind: Literal["random", "noop", "actions", "python", "cmd", "policy", "person"]
    name: str
    """As people typed it: what records of its decisions say."""
    path: str = ""
    """The file of `actions` and `python`."""
    argv: list[str] = []
    """The program of `cmd` and `policy`."""


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session, but for its environment, which the job names."""

    seats: dict[str, Seat]
    """By actor; `EVERYBODY` for those that are not named. Where `seatings` change, by any name."""
    seeds: Annotated[list[tuple[int, int]], Meta(min_length=1, max_length=1000)]
    """One episode with each: ranges, first and last included. (A word of a command holds 128 KiB.)"""
    api: Literal["single", "aec", "parallel", "copies"] = "single"
    """The environment's interface; `copies`: one for each seat, in lock-step."""
    pace: Literal["free", "tick", "turn"] | None = None
    """`free`: as fast as it goes; `tick`: in time, whether or not a person presses a key; `turn`: people are
    waited for. None: what suits the environment and who plays."""
    fps: Annotated[float, Meta(gt=0, le=10_000)] | None = None
    """Ticks a second; None: as fast as it goes."""
    max_steps: Annotated[int, Meta(ge=1)] | None = None
    on_failure: Literal["stop", "noop", "random"] = "stop"
    deadline_secs: Annotated[float, Meta(gt=0, le=86_400)] = 30.0
    seatings: Annotated[list[dict[str, str]], Meta(max_length=10_000)] = []
    """Who sits where, by names in `seats`, of a session whose seats change between episodes: every seed is
    played with each, seed by seed."""
    games_before: Annotated[int, Meta(ge=0)] = 0
    """How many of these games the run before has played."""


class OperatorCard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What MOSAIC knows of a kind of operator, without loading anything of it."""

    id: str
    title: str
    form: str
    """What people type, such as `python:FILE.py`."""
    help: str = ""
    parameters: list[Parameter] = []
    """Written `op.KEY=VALUE`."""
    example: str = ""
