"""What parts of the window write alike: what a run is called, its reason as a sentence, long words. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mosaic.protocol.cards import COMMAND_RUNNER
from mosaic.text import visible

if TYPE_CHECKING:
    from mosaic.protocol.runs import RunRow

__all__ = ["breakable", "sentence", "subtitle", "title"]

_LONG_WORD = re.compile(r"\S{24,}")
_BREAK = "\N{ZERO WIDTH SPACE}"


def title(row: RunRow) -> str:
    """What a run is called: its name, else what it does, made harmless."""
    if row.name:
        return visible(row.name)
    doing = row.algorithm or (row.command[-1].rpartition("/")[2] if row.command else "")
    return visible(" on ".join(part for part in (doing, *row.env_ids[:1]) if part)) or row.run_id[:10]


def subtitle(row: RunRow) -> str:
    """Which environment and algorithm, in one line; for a run that is called so already, which of them."""
    if not row.name and row.algorithm:
        return visible(f"{row.runner} · …{row.run_id[-6:]}")
    envs = ", ".join(row.env_ids[:2]) + (f" +{len(row.env_ids) - 2}" if len(row.env_ids) > 2 else "")
    parts = [envs, row.algorithm, row.runner if row.runner != COMMAND_RUNNER else ""]
    return visible(" · ".join(part for part in parts if part)) or visible(" ".join(row.command))


def sentence(reason: str) -> str:
    """A run's reason, a few words as a listing has them, as a sentence: `Paused by the user.` or nothing."""
    said = visible(reason.strip())
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', '!', '?')) else '.'}" if said else ""


def breakable(line: str) -> str:
    """The line with points to break it inside words that are too long for a narrow panel."""
    return _LONG_WORD.sub(lambda word: _BREAK.join(re.findall(r"[^/=,]{1,14}[/=,]?|[/=,]", word[0])), line)
