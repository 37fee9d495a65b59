"""quarantine.jsonl: every line that was not an event, with its place, exactly once, from the store's table.

A line is kept verbatim up to a bound; of a longer one the first part is kept, and the entry says how much.

The table is the truth. The store remembers up to which row and byte the file was written; what is beyond that
byte was written by someone who died before saying so, and is cut off and written again.
"""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

import msgspec

from mosaic.store.schema import rows
from mosaic.store.sources import SourceReader, list_sources
from mosaic_worker.common.opening import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

    from mosaic.paths import RunFolder
    from mosaic.store.state import State

__all__ = ["write_out"]

_DUE = (
    "SELECT q.id, s.name, offset, length, reason, q.data FROM quarantine q JOIN sources s ON s.id = source "
    "WHERE q.id > ? ORDER BY q.id LIMIT 64"
)
_PIECE = 3 << 16  # a multiple of three, so that pieces of base64 join


def write_out(
    folder: RunFolder,
    db: apsw.Connection,
    state: State,
    *,
    line_bytes: int = 64 << 20,
    file_bytes: int = 256 << 20,
) -> bool:
    """Append the rows the file lacks and note it in the state, which the next commit saves.

    `line_bytes`: how much of one line is kept. `file_bytes`: once the file is that long, lines are counted
    and located in the store only, and the run says so.

    Returns:
        False: nothing to do.
    """
    size = folder.quarantine.lstat().st_size if os.path.lexists(folder.quarantine) else 0
    if size < state.quarantine_bytes:  # lost or cut: all of it again
        state.quarantine_id = state.quarantine_bytes = 0
    if not state.quarantined and not size:
        return False  # as most runs are: not worth a question to the store
    due = rows(db, _DUE, state.quarantine_id)
    if not due and size == state.quarantine_bytes:
        return False
    fd = open_regular(folder.quarantine, os.O_WRONLY | os.O_CREAT)
    with os.fdopen(fd, "r+b") as file:
        file.truncate(state.quarantine_bytes)
        file.seek(state.quarantine_bytes)
        while due:
            for row_id, source, offset, length, reason, kept in due:
                state.quarantine_id = row_id
                if file.tell() >= file_bytes:
                    state.warn(
                        f"quarantine.jsonl is full at {file_bytes >> 20} MiB: more lines are only counted"
                    )
                    continue
                head = {"source": source, "offset": offset, "length": length, "reason": reason}
                if length > line_bytes:
                    head["kept_bytes"] = line_bytes
                file.write(msgspec.json.encode(head)[:-1] + b',"line_b64":"')
                if len(kept) >= min(length, line_bytes):
                    file.write(base64.b64encode(kept[:line_bytes]))
                else:
                    _copy(folder, source, offset, min(length, line_bytes), file.write)
                file.write(b'"}\n')
            due = rows(db, _DUE, state.quarantine_id)
        file.flush()
        state.quarantine_bytes = file.tell()
    return True


def _copy(folder: RunFolder, source: str, offset: int, length: int, write: Callable[[bytes], int]) -> None:
    """The bytes of a long line, straight from its source, never all in memory."""
    found = next((each for each in list_sources(folder) if each.name == source), None)
    if found is None:
        return  # gone since: its place is all that is left
    with SourceReader(found) as reader:
        while length > 0 and (part := reader.read(offset, min(length, _PIECE))):
            write(base64.b64encode(part))
            offset, length = offset + len(part), length - len(part)
