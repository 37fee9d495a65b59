"""What readers get: one struct per row of a listing. Pure data; the field names are the public JSON names.

Floats here are real float64 (NaN and infinities included); JSON output must go through `floats.to_json`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from mosaic.protocol.ready import ready

__all__ = ["CheckpointRow", "EpisodeRow", "MetricRow", "QuarantineRow", "StepRow", "StoreSummary"]


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
    seq: int = 0


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step. `action` and `obs` are plain JSON values (arrays as `{"nd", "shape", "b64"}`)."""

    step: int
    action: Any
    reward: float
    terminated: bool
    truncated: bool
    obs: Any
    t: float
    agent_id: str | None = None
    turn: int | None = None
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
    """One line that was no event: where it stood and why it was refused."""

    source: str
    offset: int
    length: int
    reason: str
    line_b64: str


class StoreSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The roll-up of one store: what listings show."""

    store_seq: int = 0
    episodes: int = 0
    steps: int = 0
    metrics: int = 0
    checkpoints: int = 0
    quarantined: int = 0
    unknown: int = 0
    holes: int = 0
    last_return: float | None = None
    mean_return_100: float | None = None
    steps_per_sec: float | None = None
    t_first: float | None = None
    t_last: float | None = None
    env_ids: list[str] = []
    warnings: list[str] = []


ready(CheckpointRow, EpisodeRow, MetricRow, QuarantineRow, StepRow, StoreSummary)
