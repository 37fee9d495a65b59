"""`mosaic checkpoints [RUN]`: what was saved, whether it is whole, and what it holds. Opens none of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mosaic.cli import options
from mosaic.cli.output import cells, note, plain, write_json_lines
from mosaic.cli.progress import Passing
from mosaic.cli.table import Column, render
from mosaic.text import number

if TYPE_CHECKING:
    from mosaic.artifacts.checkpoints import Known

__all__ = ["checkpoints_command"]

_COLUMNS = (
    Column("RUN", flexible=True, least=10),
    Column("STEP", right=True),
    Column("REASON"),
    Column("RETURN", right=True),
    Column("SIZE", right=True, optional=True),
    Column("INTACT"),
    Column("TRUSTED", optional=True),
    Column("WHAT", flexible=True, optional=True, least=10),
    Column("HOLDS", flexible=True, optional=True, least=12),
    Column("FILE", flexible=True, optional=True, least=12),
)


@click.command("checkpoints")
@click.argument("run", metavar="[RUN]", required=False)
@options.json_option
@click.option("--quick", is_flag=True, help="Do not compare the bytes with their recorded hash.")
@click.option(
    "--all", "everything", is_flag=True, help="Also those that were pruned, renamed or written over."
)
def checkpoints_command(*, run: str | None, as_json: bool, quick: bool, everything: bool) -> None:
    """List the checkpoints of a run, or of all runs.

    Each file is compared with the SHA-256 it was recorded with. Nothing in it is loaded or run.

    \b
    Example:
      mosaic checkpoints last
      mosaic eval last:best
    """
    from mosaic.app import saved
    from mosaic.artifacts import checkpoints

    with Passing() as passing:
        if run is None:
            found = saved.everywhere(options.root(), progress=passing)
        else:
            root, row = options.find(run)
            found = saved.of_run(root, row.run_id, progress=passing, say=lambda text: note(f"mosaic: {text}"))
    shown = found if everything else checkpoints.standing(found)
    hidden = len(found) - len(shown)
    if not quick:
        shown = [checkpoints.verified(known) for known in shown]
    if as_json:
        write_json_lines(_json(known) for known in shown)
        return
    if not shown:
        note("No checkpoint is recorded." if run is None else f"Run {run} has recorded no checkpoint.")
        return
    sys.stdout.write("\n".join(render(_COLUMNS, [_texts(known) for known in shown], cells=cells())) + "\n")
    if hidden:
        note(f"mosaic: {hidden} more were pruned, renamed or written over; see --all")


def _json(known: Known) -> dict[str, Any]:
    row = known.row
    return {
        "run_id": known.run_id,
        "run_name": known.run_name,
        "path": str(known.path),
        "step": row.step,
        "reason": known.reason,
        "runner": known.runner,
        "algorithm": known.algorithm,
        "env_id": known.env_id,
        "bytes": row.bytes,
        "sha256": row.sha256,
        "t": row.t,
        "trusted": known.trusted,
        "intact": known.intact,
        "pruned": known.pruned,
        "note": known.note,
        "meta": plain(row.meta),
    }


def _texts(known: Known) -> list[str]:
    from mosaic.artifacts import checkpoints

    row = known.row
    metrics = row.meta.get("metrics")
    mean = metrics.get("return_mean") if isinstance(metrics, dict) else None
    holds = row.meta.get("holds")
    what = "/".join(part for part in (known.runner, known.algorithm) if part)
    return [
        known.run_name or known.run_id,
        "-" if row.step is None else str(row.step),
        known.reason or row.kind or "-",
        number(mean) if isinstance(mean, int | float) else "-",
        _size(row.bytes),
        _intact(known),
        "yes" if known.trusted else "no",
        f"{what} {known.env_id}".strip() or "-",
        ", ".join(map(str, holds)) if isinstance(holds, list) else "-",
        known.path.name + ("/" if checkpoints.is_folder(row) else ""),
    ]


def _intact(known: Known) -> str:
    if known.pruned:
        return next((word for word in ("pruned", "renamed") if known.note.startswith(word)), "replaced")
    if known.intact is None:
        return "not checked"
    return "yes" if known.intact else f"NO: {known.note}"


def _size(octets: int | None) -> str:
    if octets is None:
        return "-"
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if octets >= size:
            return f"{octets / size:.1f} {unit}"
    return f"{octets} B"
