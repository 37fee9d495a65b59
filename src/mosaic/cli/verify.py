"""`mosaic verify RUN`: an independent look at the journal, compared with the store. Changes nothing."""

from __future__ import annotations

import sys

import click
import msgspec

from mosaic.app import reading
from mosaic.cli import options
from mosaic.cli.output import note, plain, write_json
from mosaic.cli.progress import Passing, bar
from mosaic.protocol.runs import ENDED
from mosaic.text import visible

__all__ = ["verify_command"]

_SHOWN = 50


class Hole(msgspec.Struct, frozen=True):
    """Lines a journal lacks: where, how many bytes, and how many events where their numbers tell."""

    source: str
    offset: int
    bytes: int
    events: int | None

    def __str__(self) -> str:
        count = "an unknown number of" if self.events is None else str(self.events)
        return f"hole: {self.source} lacks {count} events at byte {self.offset}"


@click.command("verify")
@options.run_argument
@options.json_option
@options.wait_option
def verify_command(*, run: str, as_json: bool, wait_secs: float) -> int:
    """Check that journal and store of a run agree.

    Exit code 1 and the differences, if they do not. Holes, where the journal itself lacks lines (a disk
    that lost pages with the power), are listed with their place; store and journal then agree on them.

    \b
    Example:
      mosaic verify last
    """
    from mosaic.store.reader import StoreReader
    from mosaic.store.verify import verify

    root, row = options.find(run)
    if row.state not in ENDED:
        note(f"run {row.run_id} is {row.state.value}: what it writes meanwhile may show as a difference")
    if not reading.settled(
        root, row.run_id
    ):  # of a settled run, a missing store is a finding, not a thing to mend
        with Passing() as passing:
            reading.wait_ingested(root, row.run_id, timeout_secs=wait_secs, progress=passing)
    with bar(f"reading the journal of {row.run_id}"):
        differences = verify(root.run(row.run_id))
        with StoreReader(root.run(row.run_id)) as reader:
            holes = [Hole(*hole) for hole in reader.holes()]
    if as_json:
        write_json(
            {
                "run_id": row.run_id,
                "agree": not differences,
                "differences": plain(differences),
                "holes": plain(holes),
            }
        )
        return int(bool(differences))
    for hole in holes[:_SHOWN]:
        sys.stdout.write(f"{visible(str(hole))}\n")
    for difference in differences[:_SHOWN]:
        sys.stdout.write(f"{visible(str(difference))}\n")
    if differences:
        note(
            f"run {row.run_id}: {len(differences)} differences between journal and store. The journal is the "
            f"truth; build the store anew with: mosaic rebuild {row.run_id}"
        )
        return 1
    missing = f"; holes in the journal: {len(holes)}" if holes else ""
    sys.stdout.write(f"run {row.run_id}: journal and store agree{missing}\n")
    return 0
