"""`mosaic show RUN`: everything about one run; for a failed one, its last words too."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from mosaic.cli import options
from mosaic.cli.follow import last_lines
from mosaic.cli.output import note, paint, paint_state, plain, write_json
from mosaic.errors import StoreError
from mosaic.protocol.branches import branching_point
from mosaic.protocol.configs import flat
from mosaic.protocol.events import Config
from mosaic.protocol.rows import NUMBERS, StoreSummary
from mosaic.protocol.runs import ENDED, RunState, elapsed_secs, in_order
from mosaic.runs.folder import read_manifest
from mosaic.runs.listing import unknown_manifest
from mosaic.store.lag import lag
from mosaic.text import age, amount, count, fit, number_or_dash, os_words, span, visible
from mosaic_worker.common import interpreters

if TYPE_CHECKING:
    from mosaic.paths import DataRoot
    from mosaic.protocol.runs import Manifest, RunRow

__all__ = ["show_command"]

_TAIL = 15
_CONFIG_CELLS = 200  # of one setting; `--json` has all of it
_TROUBLE = (RunState.FAILED, RunState.LOST)
_ELSEWHERE = ("last_return", "mean_return_100", "quarantined", "store_seq", "warned")
"""Numbers of the roll-up that are told in the lines `return` and `store`."""


@click.command("show")
@options.run_argument
@options.json_option
@options.wait_option
def show_command(*, run: str, as_json: bool, wait_secs: float) -> None:
    """Show everything about one run.

    \b
    Example:
      mosaic show last
      mosaic show last --json
    """
    root, row = options.find(run)
    summary, config = _read(root, row, wait_secs)
    manifest, behind = _manifest(root, row), _behind(root, row)
    if as_json:
        write_json(_document(root, row, manifest, summary, config=config, behind=behind))
        return
    for title, text in _lines(root, row, manifest, summary, config=config, behind=behind):
        sys.stdout.write(f"{paint('2', f'{title:<11}')} {text}\n")
    if row.state in _TROUBLE:
        _last_words(root, row)


def _manifest(root: DataRoot, row: RunRow) -> Manifest:
    if row.state is not RunState.UNREADABLE:
        return read_manifest(root.run(row.run_id))
    with suppress(StoreError):  # which may be what cannot be read
        return read_manifest(root.run(row.run_id))
    return unknown_manifest(row.run_id)


def _behind(root: DataRoot, row: RunRow) -> int:
    if row.state is RunState.UNREADABLE:
        return 0
    try:
        return lag(root.run(row.run_id)).events
    except (StoreError, OSError) as error:
        note(f"mosaic: how much is not yet in the store is unknown: {error}")
        return 0


def _read(root: DataRoot, row: RunRow, wait_secs: float) -> tuple[StoreSummary, Config]:
    if row.state is RunState.UNREADABLE:
        return StoreSummary(), Config()  # the reason is in its row
    if row.state not in ENDED and not root.run(row.run_id).store.exists():
        return StoreSummary(), Config()  # it has only just begun
    try:
        return options.ask(root, row, lambda reader: (reader.summary(), reader.config()), wait_secs=wait_secs)
    except StoreError as error:
        note(f"mosaic: {error}")
        return StoreSummary(), Config()


def _document(
    root: DataRoot, row: RunRow, manifest: Manifest, summary: StoreSummary, *, config: Config, behind: int
) -> dict[str, Any]:
    document: dict[str, Any] = plain(in_order(row))
    point = branching_point(row)
    document |= plain(summary)
    document["warnings"] = _warnings(row, summary)
    document["checkpoints"] = _checkpoints(root, row, summary)
    document |= {
        "exit": plain(row.exit),
        "lag_events": behind,
        "config": {name: getattr(config, name) for name in ("algo", "env_id", "seed", "args")},
        "synced": _synced(root, row),
        "kind": manifest.spec.job.kind if manifest.spec.job else None,
        "parent": manifest.spec.parent,
        "branched_at": None if point is None else {"episode": point[0], "step": point[1]},
        "cwd": manifest.spec.cwd,
        "host": manifest.host,
        "mosaic_version": manifest.mosaic_version,
        "script": plain(manifest.script),
        "history": plain(manifest.history),
        "folder": str(root.run(row.run_id).path),
    }
    if row.state in _TROUBLE:
        document["stderr_tail"] = _tail(root, row)
    return document


def _lines(
    root: DataRoot, row: RunRow, manifest: Manifest, summary: StoreSummary, *, config: Config, behind: int
) -> list[tuple[str, str]]:
    state = f"{paint_state(row.state, row.state.value)}: {visible(row.reason)}"
    lines = [
        ("run", row.run_id),
        ("name", visible(row.name) or "-"),
        ("state", state),
        ("command", visible(shlex.join(row.command))),
        ("folder", visible(manifest.spec.cwd)),
        ("created", f"{_clock(row.created)} ({age(row.created, now=time.time())})"),
        ("took", _took(row)),
        ("environment", visible(", ".join(summary.env_ids)) or "-"),
        ("return", _returns(summary)),
        *_numbers(summary),
        ("checkpoints", count(_checkpoints(root, row, summary))),
        ("store", _store_line(summary, behind)),
        ("kept in", str(root.run(row.run_id).path)),
    ]
    if roles := _roles(summary):
        lines.insert(9, ("roles", roles))
    if manifest.spec.job is not None and manifest.spec.job.kind == "eval":
        lines.insert(2, ("plays", visible(manifest.spec.job.checkpoint or "-")))
    if row.tags:
        tags = "  ".join(f"{key}={value}" for key, value in row.tags.items())
        lines.insert(2, ("tags", visible(tags)))
    if manifest.script is not None:
        lines.insert(5, ("script", visible(_script(manifest))))
    if manifest.spec.parent:
        lines.insert(2, ("parent", visible(manifest.spec.parent) + _branched(row)))
    synced = _synced(root, row)
    if synced is not None:
        lines.append(("synced", f"what was recorded up to {_clock(synced)} survives a power loss"))
    lines.extend(
        ("config", fit(visible(f"{name} = {value}"), _CONFIG_CELLS)) for name, value in flat(config).items()
    )
    lines.extend(("warning", visible(text)) for text in _warnings(row, summary))
    if row.exit is not None and row.exit.leftovers:
        lines.append(("left over", visible(", ".join(row.exit.leftovers))))
    return lines


def _branched(row: RunRow) -> str:
    """Where a branch left its parent; empty for other runs that have one."""
    point = branching_point(row)
    return f", branched at step {count(point[1])} of its episode {count(point[0])}" if point else ""


def _warnings(row: RunRow, summary: StoreSummary) -> list[str]:
    """What the store tells, and what the command itself does: a Python with -I cannot tell anybody."""
    return [*interpreters.warnings(row.command), *summary.warnings]


def _checkpoints(root: DataRoot, row: RunRow, summary: StoreSummary) -> int:
    """How many `mosaic checkpoints` lists. The store counts saves, since renamed or written over or not."""
    if not summary.checkpoints:
        return 0
    from mosaic.artifacts import checkpoints

    try:
        return len(checkpoints.standing(checkpoints.of_run(root, row.run_id)))
    except StoreError:
        return summary.checkpoints


def _synced(root: DataRoot, row: RunRow) -> float | None:
    """Up to when the journal is on the disk, as the shim last said."""
    try:
        return root.run(row.run_id).synced.lstat().st_mtime
    except OSError:
        return None


def _script(manifest: Manifest) -> str:
    script = manifest.script
    if script is None:
        return "-"
    commit = ""
    if script.git_commit:
        commit = f", commit {script.git_commit[:12]}{' with changes' if script.git_dirty else ''}"
    return f"{script.path} (sha256 {script.sha256[:12]}{commit})"


def _took(row: RunRow) -> str:
    now = time.time()
    ran = elapsed_secs(row, now=now)
    if ran is None:
        return "-"
    paused = row.paused_secs + (0.0 if row.paused_since is None else max(0.0, now - row.paused_since))
    return f"{span(ran)}, and {span(paused)} paused" if paused else span(ran)


def _returns(summary: StoreSummary) -> str:
    if summary.last_return is None:
        return "-"
    mean = number_or_dash(summary.mean_return_100)
    said = f"{number_or_dash(summary.last_return)} last, {mean} mean of the last 100"
    if summary.eval_mean_return_100 is None:
        return said
    if summary.returns_of == "eval":
        return f"{said} (evaluation)"
    return (
        f"{said} (training); evaluation: {number_or_dash(summary.eval_mean_return_100)} mean of the last 100"
    )


def _roles(summary: StoreSummary) -> str:
    """How many episodes were played for what; empty when nobody said."""
    counted = {"training": summary.train_episodes, "evaluation": summary.eval_episodes}
    if not any(counted.values()):
        return ""
    counted["unknown"] = summary.episodes - sum(counted.values())
    return ", ".join(f"{count(number)} {role}" for role, number in counted.items() if number)


def _numbers(summary: StoreSummary) -> list[tuple[str, str]]:
    """A line for each number of the roll-up that has no place of its own below or above."""
    return [
        (one.title.lower(), amount(getattr(summary, one.name), rate=one.is_rate))
        for one in NUMBERS
        if one.name not in _ELSEWHERE
    ]


def _store_line(summary: StoreSummary, behind: int) -> str:
    parts = [f"{count(summary.store_seq)} events"]
    parts += [f"{count(behind)} not yet in"] if behind else []
    parts += [f"{count(summary.quarantined)} lines quarantined"] if summary.quarantined else []
    parts += [f"{count(summary.unknown)} of unknown types kept"] if summary.unknown else []
    parts += [f"{count(summary.holes)} lost"] if summary.holes else []
    return ", ".join(parts)


def _clock(t: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t))


def _tail(root: DataRoot, row: RunRow) -> list[str]:
    try:
        data, _ = last_lines(root.run(row.run_id).stderr, _TAIL, most_bytes=1 << 16)
    except OSError as error:
        return [f"(it cannot be read: {os_words(error)})"]
    return data.decode("utf-8", "backslashreplace").splitlines()


def _last_words(root: DataRoot, row: RunRow) -> None:
    lines = _tail(root, row)
    if not lines:
        sys.stdout.write("\nIt wrote nothing to stderr.\n")
        return
    sys.stdout.write(f"\n{paint('1', 'The last lines of its stderr:')}\n")
    for line in lines:
        sys.stdout.write(f"  {visible(line, keep=chr(9))}\n")
    sys.stdout.write(f"All of it: mosaic logs {row.run_id} --stderr\n")
