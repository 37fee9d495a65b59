"""What readers get: one struct per row of a listing. Pure data; the field names are the public JSON names.

Floats here are real float64 (NaN and infinities included); JSON output must go through `floats.to_json`.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, get_origin

import msgspec
from msgspec import Meta

from mosaic.protocol.ready import ready

__all__ = [
    "NUMBERS",
    "CheckpointRow",
    "EpisodeRow",
    "MetricRow",
    "Number",
    "QuarantineRow",
    "RollUp",
    "StepRow",
    "StoreSummary",
]


class EpisodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One episode of one agent in one environment. `index` survives a rebuild of the store."""

    episode_id: str
    index: int
    env_index: int = 0
    agent_id: str | None = None
    steps: int = 0
    return_: float = msgspec.field(name="return", default=0.0)
    seed: int | None = None
    outcome: str | None = None
    t_start: float | None = None
    t_end: float | None = None
    group: str | None = None
    env_id: str | None = None
    role: str | None = None
    """What it was played for: `train` or `eval`; None when nobody knows."""
    seq: int = 0


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step. `action` and `obs` are plain JSON values (arrays as `{"nd", "shape", "b64"}`).

    `rewards` are the components of a reward that is a vector, None where it is one number.
    """

    step: int
    action: Any
    reward: float
    terminated: bool
    truncated: bool
    obs: Any
    t: float
    agent_id: str | None = None
    turn: int | None = None
    rewards: Any = None
    seq: int = 0


class MetricRow(msgspec.Struct, frozen=True, kw_only=True):
    """One logged scalar, under its source's name and ours (`canonical`, when we have one for it)."""

    name: str
    canonical: str | None
    value: float
    step: int | None
    t: float
    source: str | None = None
    seq: int = 0


class CheckpointRow(msgspec.Struct, frozen=True, kw_only=True):
    """One saved policy file."""

    path: str
    sha256: str | None
    bytes: int | None
    step: int | None
    kind: str | None
    t: float
    meta: dict[str, Any] = {}
    seq: int = 0


class QuarantineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line that was not an event: where it stood and why it was refused."""

    source: str
    offset: int
    length: int
    reason: str
    line_b64: str


class RollUp(msgspec.Struct, frozen=True, kw_only=True):
    """What listings show of a store. The one list of these numbers: rows, converters and views read it.

    A number is added here, with its title; in `mosaic.store.state`, which computes it; and in the messages
    `RunRow` and `StoreSummary` of `trainer.proto`. `mosaic show` and the desktop's details then show it.
    """

    episodes: Annotated[int, Meta(title="Episodes")] = 0
    steps: Annotated[int, Meta(title="Steps")] = 0
    steps_per_sec: Annotated[float | None, Meta(title="Steps/s")] = None
    last_return: Annotated[float | None, Meta(title="Last return")] = None
    mean_return_100: Annotated[float | None, Meta(title="Mean of 100")] = None
    metrics: Annotated[int, Meta(title="Metrics")] = 0
    quarantined: Annotated[int, Meta(title="Quarantined")] = 0
    store_seq: Annotated[int, Meta(title="Events")] = 0
    warned: Annotated[int, Meta(title="Warnings")] = 0
    env_ids: list[str] = []


class StoreSummary(RollUp, frozen=True, kw_only=True):
    """The roll-up of one store, and how the store stands."""

    checkpoints: int = 0
    unknown: int = 0
    holes: int = 0
    t_first: float | None = None
    t_last: float | None = None
    train_episodes: int = 0
    eval_episodes: int = 0
    """Begun with this role; the role of the others is unknown."""
    returns_of: str | None = None
    """Of which episodes the returns above are: `eval`, or `train`, which stands for unknown ones too."""
    eval_mean_return_100: float | None = None
    """The mean of the last 100 evaluation episodes that count (`protocol.counting`)."""
    warnings: list[str] = []


class Number(NamedTuple):
    """One number of a roll-up, for whoever shows all of them."""

    name: str
    title: str

    @property
    def is_rate(self) -> bool:
        """Whether it says how much of something there is in a second."""
        return self.name.endswith("_per_sec")


NUMBERS = tuple(
    Number(field.name, field.type.__metadata__[0].title)
    for field in msgspec.structs.fields(RollUp)
    if get_origin(field.type) is Annotated
)
"""Every number of a roll-up, in the order in which they are shown."""


ready(CheckpointRow, EpisodeRow, MetricRow, QuarantineRow, StepRow, StoreSummary)
