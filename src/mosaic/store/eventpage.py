"""A page of a run's events, bounded in rows and in bytes, for a caller who must not be sent more than that.

Also the refusal of a kind that neither this version nor the run knows, for everyone who lets kinds be typed.
Reads through a `StoreReader`. Which kinds there are, `store.kinds` says: a new one needs nothing here.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from mosaic.errors import UsageError
from mosaic.store.kinds import KINDS, LISTED
from mosaic.text import fit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mosaic.store.eventlog import Stored
    from mosaic.store.reader import StoreReader

__all__ = ["EventPage", "read_page", "refuse_unknown"]

_FIRST_ROWS = 64  # read at once, to learn how large they are; then twice as many, and so on
_KIND_CELLS = 60  # of a kind that is repeated in a message


class EventPage(NamedTuple):
    """Events in the order of storing. `next_seq`: the page after it begins there. `more`: it has some."""

    events: list[Stored]
    next_seq: int
    more: bool


def read_page(
    reader: StoreReader,
    kinds: Collection[str] | None = None,
    *,
    episode: int | str | None = None,
    step: int | None = None,
    since_seq: int = 0,
    most_rows: int,
    most_bytes: int,
) -> EventPage:
    """The first events after `since_seq`; a single one may be larger than `most_bytes`, and comes alone.

    Raises:
        UsageError: what `StoreReader.events` raises.
    """
    kept: list[Stored] = []
    room, rows = most_bytes, _FIRST_ROWS
    with reader.snapshot():
        while True:
            last = kept[-1].seq if kept else since_seq
            found = reader.events(kinds, episode=episode, step=step, since_seq=last, limit=rows)
            for event in found:
                room -= len(event.data)
                if kept and (room < 0 or len(kept) >= most_rows):
                    return EventPage(kept, kept[-1].seq, more=True)
                kept.append(event)
            if len(found) < rows:
                return EventPage(kept, kept[-1].seq if kept else since_seq, more=False)
            rows *= 2


def refuse_unknown(reader: StoreReader, run_id: str, kinds: Collection[str]) -> None:
    """Refuse kinds that this version does not know and the run has not recorded.

    Raises:
        UsageError: names the first of them, the one that was probably meant, and all that there are.
    """
    strange = [kind for kind in kinds if kind not in KINDS]
    there = reader.kinds() if strange else []
    for kind in strange:
        if kind not in there:
            raise UsageError(_no_such(run_id, kind, there))


def _no_such(run_id: str, kind: str, there: Sequence[str]) -> str:
    known = [*LISTED, *(name for name in there if name not in LISTED)]  # ours first: the rest may be cut off
    near = difflib.get_close_matches(kind, known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    named = fit(kind, _KIND_CELLS)
    return f"run {run_id} has recorded no {named!r} event.{hint} There are: {', '.join(known)}."
