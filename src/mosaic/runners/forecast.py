"""How much disk and memory a run will take: estimates, on the careful side. Pure arithmetic over facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic.protocol.cards import Algorithm, Job, RunnerCard
    from mosaic.runners.facts import Facts

__all__ = ["disk_need", "memory_need"]

_MIB = 1 << 20
_STEP_BYTES = 24
"""Action, reward, flags, checksum and time of one step, compressed, in journal and store together."""
_AT_WORK = 32 * _MIB
"""Segments not sealed yet, logs, and the store's write-ahead log."""
_CHECKPOINTS = 32 * _MIB
_INTERPRETER = 150 * _MIB
_TORCH = 350 * _MIB


def disk_need(card: RunnerCard, job: Job, facts: Facts) -> int:
    """Bytes a run may write, by what a step took in earlier runs of this environment, else by its spaces."""
    steps = job.steps or 0
    per_step = facts.measured_step_bytes
    if per_step is None:
        seen = facts.found.observation if facts.found else None
        inline = seen.bytes if seen is not None and seen.bytes <= facts.inline_bytes else 0
        per_step = _STEP_BYTES + 2.5 * inline  # floats as text in the journal, as columns in the store
    extra = _CHECKPOINTS if card.capabilities.supports_checkpoint else 0
    return int(per_step * steps) + _AT_WORK + extra


def memory_need(card: RunnerCard, chosen: Algorithm | None, job: Job, facts: Facts) -> int:
    """Bytes of memory a run may take: its interpreter, its framework, and its replay buffer if it has one."""
    seen = facts.found.observation if facts.found else None
    size = seen.bytes if seen is not None else 0
    need = _INTERPRETER + (_TORCH if card.torch else 0)
    buffer = min(_value(chosen, job, "buffer_size"), job.steps or _value(chosen, job, "buffer_size"))
    return int(need + buffer * (2 * size + 16) + 20 * _MIB * (job.envs - 1))


def _value(chosen: Algorithm | None, job: Job, name: str) -> int:
    found: Any = job.parameters.get(name)
    if found is None and chosen is not None:
        found = next((one.default for one in chosen.parameters if one.name == name), None)
    return int(found) if isinstance(found, int | float) else 0
