"""One run as one row, and the one run meant by what a user typed. Pure, but for the last line of stderr."""

from __future__ import annotations

import difflib
import math
import os
from typing import TYPE_CHECKING, Protocol

from mosaic.errors import AmbiguousRunError, RunNotFoundError
from mosaic.protocol.rows import RollUp, StoreSummary
from mosaic.protocol.runs import ENDED, Manifest, RunRow, RunSpec, RunState
from mosaic.runs.lifecycle import Seen, Verdict
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mosaic.protocol.runs import ExitRecord, StateChange

__all__ = ["last_line", "make_row", "matching", "unknown_manifest", "unreadable_row"]

_LISTED = 8
_ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LATEST = 253402300799.0  # the last second of the year 9999


class Looked(Protocol):
    """What a row takes from a look at a run, at its folder or at the place that executes it."""

    @property
    def started(self) -> float | None:
        """When its worker was started."""

    @property
    def exit(self) -> ExitRecord | None:
        """How its worker ended."""


def make_row(
    manifest: Manifest, seen: Looked, verdict: Verdict, summary: StoreSummary, *, ended: float | None = None
) -> RunRow:
    """The row of a run. `ended` is when a run without exit record was seen to be gone."""
    rolled_up = {name: getattr(summary, name) for name in RollUp.__struct_fields__}
    rolled_up["steps_per_sec"] = _steps_per_sec(verdict.state, summary)
    rolled_up["env_ids"] = summary.env_ids or _asked_env(manifest)
    ended = seen.exit.t if seen.exit else ended
    paused, paused_since = _pauses(manifest.history, verdict.state, since=seen.started, until=ended)
    return RunRow(
        run_id=manifest.spec.run_id,
        name=manifest.spec.name,
        state=verdict.state,
        reason=verdict.reason,
        created=manifest.created,
        command=manifest.spec.command,
        tags=manifest.spec.tags,
        exit=seen.exit,
        started=seen.started,
        ended=ended,
        runner=manifest.spec.runner,
        algorithm=manifest.spec.job.algorithm if manifest.spec.job else "",
        group=manifest.spec.job.group if manifest.spec.job else None,
        parent=manifest.spec.parent,
        paused_secs=paused,
        paused_since=paused_since,
        **rolled_up,
    )


def unknown_manifest(run_id: str) -> Manifest:
    """What stands for a manifest that cannot be read. Its time is that of the id, which is made of one."""
    return Manifest(spec=RunSpec(run_id=run_id, command=[], cwd="/"), created=_made(run_id))


def unreadable_row(run_id: str, reason: str) -> RunRow:
    """The row of a run of which nothing can be said but why."""
    verdict = Verdict(RunState.UNREADABLE, reason)
    return make_row(unknown_manifest(run_id), Seen(), verdict, StoreSummary())


def _made(run_id: str) -> float:
    millis = 0
    for char in run_id[:10]:
        millis = millis * 32 + max(0, _ULID_DIGITS.find(char))
    return min(millis / 1000, _LATEST)


def _asked_env(manifest: Manifest) -> list[str]:
    job = manifest.spec.job
    return [job.env_id] if job and job.env_id else []


def _steps_per_sec(state: RunState, summary: StoreSummary) -> float | None:
    """How fast it goes; of a run that has ended, how fast it went from its first event to its last."""
    if state is RunState.RUNNING:
        return summary.steps_per_sec
    if state not in ENDED or summary.t_first is None or summary.t_last is None:
        return None
    lasted_secs = summary.t_last - summary.t_first
    return summary.steps / lasted_secs if summary.steps and lasted_secs > 0 else None


def _pauses(
    history: Sequence[StateChange], state: RunState, *, since: float | None, until: float | None
) -> tuple[float, float | None]:
    """How long a run was paused in pauses that are over, and since when it is; as far as its history says."""
    if since is None or not history:
        return 0.0, None
    last = history[-1]
    paused_since = max(last.t, since) if last.state is state is RunState.PAUSED else None
    ends = [change.t for change in history[1:]] + ([] if until is None else [until])
    closed = math.fsum(
        max(0.0, (end if until is None else min(end, until)) - max(change.t, since))
        for change, end in zip(history, ends, strict=False)
        if change.state is RunState.PAUSED
    )
    return closed, paused_since


def last_line(path: Path, *, tail_bytes: int = 4096, longest: int = 200) -> str:
    """The last line of a log that says something, with nothing in it a terminal would obey, and no secret.

    The log is the user's, but this line goes into records and lists: a command that was refused for its words
    often repeats them.
    """
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - tail_bytes))
            lines = file.read(tail_bytes).decode(errors="replace").splitlines()
    except OSError:
        return ""
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    if said:
        from mosaic_worker.common import redact  # noqa: PLC0415  (patterns; most lists need none)

        said = redact.hide(said)
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in said)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def matching(rows: Sequence[RunRow], text: str) -> RunRow:
    """The one run meant by an id, a unique prefix of one, a name, or `last`.

    Raises:
        RunNotFoundError: none is meant.
        AmbiguousRunError: several are.
    """
    if not rows:
        raise RunNotFoundError("there are no runs yet. Start one with: mosaic run -- python train.py")
    if text == "last":
        # A bad folder must not take the place of the run that is meant.
        return max(rows, key=lambda row: (row.state is not RunState.UNREADABLE, row.created, row.run_id))
    upper = text.upper()
    found = [row for row in rows if row.run_id == upper] or [
        row for row in rows if text and (row.name == text or row.run_id.startswith(upper))
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        near = difflib.get_close_matches(text, {row.name for row in rows if row.name}, n=3)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else "See: mosaic ls"
        raise RunNotFoundError(f"no run has the id, prefix or name {text!r}. {hint}")
    listed = "".join(f"\n  {row.run_id}  {row.state.value:<9} {row.name}".rstrip() for row in found[:_LISTED])
    more = f"\n  and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    raise AmbiguousRunError(f"{len(found)} runs match {text!r}; give more of the id:{listed}{more}")
