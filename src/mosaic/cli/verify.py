"""`mosaic verify RUN`: an independent look at the journal, compared with the store. Repairs when asked to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from mosaic.app import reading
from mosaic.cli import options
from mosaic.cli.output import note, plain, write_json
from mosaic.cli.progress import Passing, bar
from mosaic.errors import StoreError
from mosaic.protocol.runs import ENDED
from mosaic.text import visible

if TYPE_CHECKING:
    from mosaic.paths import DataRoot, RunFolder
    from mosaic.store.verify import Difference

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


class Damaged(msgspec.Struct, frozen=True):
    """Bytes of a sealed segment that cannot be read; 0: its end is missing."""

    segment: str
    offset: int
    bytes: int
    why: str

    def __str__(self) -> str:
        lost = f"{self.bytes} bytes" if self.bytes else "an unknown number of bytes"
        return f"damage: journal/{self.segment} lacks {lost} at byte {self.offset}: {self.why}"


class Found(msgspec.Struct, frozen=True):
    """What a look at a run gave. `broken`: why its store cannot be read; empty: it can."""

    differences: list[Difference]
    holes: list[Hole]
    damage: list[Damaged]
    broken: str = ""

    @property
    def agree(self) -> bool:
        """Whether there is nothing to repair."""
        return not (self.differences or self.damage or self.broken)


@click.command("verify")
@options.run_argument
@click.option(
    "--repair", is_flag=True, help="Say what can be repaired, ask, and do it. Nothing is thrown away."
)
@click.option("--yes", is_flag=True, help="With --repair: do not ask.")
@options.json_option
@options.wait_option
def verify_command(*, run: str, repair: bool, yes: bool, as_json: bool, wait_secs: float) -> int:
    """Check that journal and store of a run agree.

    Exit code 1 and the differences, if they do not. Holes, where the journal itself lacks lines (a disk
    that lost pages with the power), are listed with the byte they begin at; store and
    journal then agree on them. Damage, where a sealed segment cannot be read any more, is listed too.

    With --repair, damaged segments are written anew with a hole where the damage is, and a store that is
    missing, damaged or wrong is built anew. The damaged files stay beside the new ones.

    \b
    Example:
      mosaic verify last
      mosaic verify last --repair
    """
    root, row = options.find(run)
    if row.state not in ENDED:
        note(f"run {row.run_id} is {row.state.value}: what it writes meanwhile may show as a difference")
    if not reading.settled(
        root, row.run_id
    ):  # of a settled run, a missing store is a finding, not a thing to mend
        with Passing() as passing:
            reading.wait_ingested(root, row.run_id, timeout_secs=wait_secs, progress=passing)
    found = _look(root.run(row.run_id))
    if repair and not found.agree:
        _say(found)
        return _repair(root, row.run_id, found, yes=yes)
    if as_json:
        write_json({"run_id": row.run_id, "agree": found.agree, **plain(found)})
        return int(not found.agree)
    _say(found)
    if found.differences:
        note(
            f"run {row.run_id}: {len(found.differences)} differences between journal and store. The "
            f"journal is the truth; build the store anew with: mosaic rebuild {row.run_id}"
        )
    if not found.agree:
        note(f"what can be repaired says: mosaic verify {row.run_id} --repair")
        return 1
    missing = f"; holes in the journal: {len(found.holes)}" if found.holes else ""
    sys.stdout.write(f"run {row.run_id}: journal and store agree{missing}\n")
    return 0


def _look(folder: RunFolder) -> Found:
    from mosaic.store.reader import StoreReader
    from mosaic.store.repair import damaged_segments
    from mosaic.store.verify import verify

    with bar(f"reading the journal of {folder.run_id}"):
        damage = [
            Damaged(segment.path.name, *each)
            for segment in damaged_segments(folder)
            for each in segment.damage
        ]
        try:
            differences = verify(folder)
            with StoreReader(folder) as reader:
                holes = [Hole(*hole) for hole in reader.holes()]
        except StoreError as error:
            return Found([], [], damage, str(error))
    return Found(differences, holes, damage)


def _say(found: Found) -> None:
    for each in [*found.holes[:_SHOWN], *found.damage[:_SHOWN], *found.differences[:_SHOWN]]:
        sys.stdout.write(f"{visible(str(each))}\n")
    if found.broken:
        note(found.broken)


def _repair(root: DataRoot, run_id: str, found: Found, *, yes: bool) -> int:
    from mosaic.store import repair

    # A whole store beside a damaged journal is the better record of the two: it is left as it is.
    rebuilds = bool(found.broken or (found.differences and not found.damage))
    for name in sorted({each.segment for each in found.damage}):
        note(f"will write journal/{name} anew with a hole; the damaged file stays as {name}.damaged-N")
    if rebuilds:
        note("will build the store anew from the journal; the store there is now is replaced")
    elif found.differences:
        note("will leave the store: it holds what the journal lost. To make them agree: mosaic rebuild")
    if not yes and not click.confirm("Do it?", default=False, err=True):
        return 1
    for segment, aside in repair.repair(root.run(run_id)):
        sys.stdout.write(f"{segment.path.name} was written anew; undo: mv {aside} {segment.path}\n")
    if rebuilds:
        with reading.daemon(root) as client:
            client.rebuild(run_id)
        sys.stdout.write("the store was built anew\n")
    return 0
