"""The one writer of one run's store: reads the journal where it left off, a bounded piece a turn.

Rows and cursors commit together, so each event is stored exactly once whatever is killed when. It never
changes what workers wrote, except to seal segments that are finished and ingested. A store that is missing,
damaged, or ahead of its journal is not repaired: it is made anew from the journal, and the summary says so.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import msgspec

from mosaic.errors import StoreError
from mosaic.runs import locks
from mosaic.runs.folder import ended
from mosaic.store import intake, quarantine, schema, seal
from mosaic.store.quotas import USUAL, LogQuota, Quotas, free
from mosaic.store.sources import STDOUT, Source, SourceReader, list_sources, look
from mosaic.store.storefiles import may_be_store, move_aside, rebuild_path, remove_store
from mosaic.store.writer import StoreWriter
from mosaic_worker.common.opening import BadFileError

if TYPE_CHECKING:
    from collections.abc import Generator

    from mosaic.paths import RunFolder
    from mosaic.protocol.rows import StoreSummary
    from mosaic.store.batch import Hole

__all__ = ["RunIngest", "Turn"]

_FIRST_BLOCK_BYTES, _MOST_BLOCK_BYTES = 64 << 10, 1 << 20
_DROPPED = "{} is over its quota: its oldest output is dropped, and mosaic logs says where"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Turn(msgspec.Struct, frozen=True):
    """What one turn did.

    `more`: there is work left that needs no new event. `over`: no process of the run was left when it began.
    """

    summary: StoreSummary
    more: bool
    advanced: bool
    over: bool = False
    read_bytes: int = 0


@dataclass
class _Track:
    """How far one source is."""

    source: Source
    mark: intake.Mark
    done: bool
    reader: SourceReader | None = None


class RunIngest:
    """Ingests one run. A context manager; holds `<run>/ingest.lock` while open.

    Args:
        folder: the run.
        seal: compress finished segments.
        turn_bytes: how much one turn reads at most, and a block or one event more.
        turn_secs: after how long a turn begins nothing more, whatever the journal looks like.
        store: where the store goes, for a rebuild beside the one in use.
        quotas: how much of what it prints is kept.

    Raises:
        StoreError: another process ingests this run, or the store cannot be opened.
    """

    def __init__(
        self,
        folder: RunFolder,
        *,
        seal: bool = True,
        turn_bytes: int = 4 << 20,
        turn_secs: float = 1.0,
        store: Path | None = None,
        quotas: Quotas = USUAL,
    ) -> None:
        self._folder = folder
        self._quotas = quotas
        self._logs = {
            STDOUT: LogQuota(folder.stdout, quotas.stdout_bytes, has_events=True),
            folder.stderr.name: LogQuota(folder.stderr, quotas.stderr_bytes, has_events=False),
        }
        self._seal = seal
        self._turn_bytes, self._turn_secs = turn_bytes, turn_secs
        self._path = store or folder.store
        self._in_use = store is None
        self._tracks: dict[str, _Track] = {}
        self._sealing: tuple[str, Generator[None, None, None]] | None = None
        self._settled = False
        self._inode = 0
        try:
            self._lock = locks.Lock(folder.path / "ingest.lock")
        except BlockingIOError as error:
            raise StoreError(
                f"another process ingests {folder.path}. Wait for it, or stop the daemon."
            ) from error
        try:
            if not os.path.lexists(folder.journal):
                folder.journal.mkdir(mode=0o700)
            remove_store(rebuild_path(folder))  # what a killed rebuild left
            self._open()
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> RunIngest:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and let go of the run. Twice is fine."""
        self.close_store()
        self._lock.close()

    def close_store(self) -> None:
        """Close the store and go on holding the run's lock."""
        self._close_readers()
        self._writer.close()

    def summary(self) -> StoreSummary:
        """The store's roll-up as of the last commit."""
        return self._writer.state.summary()

    def turn(self) -> Turn:
        """Read a bounded piece of what is new and commit it.

        Raises:
            StoreError: the store cannot be written (a full disk, say). Close this object and try again later.
        """
        try:
            self._notice_loss()
            return self._turn()
        except apsw.Error as error:
            if not schema.is_damage(error):
                raise StoreError(f"cannot write {self._path}: {error}") from error
            self._start_over(f"the store was damaged ({error})")
            return Turn(self.summary(), more=True, advanced=True)

    def settle(self) -> bool:
        """Put everything away once the run has ended and all of it is in the store.

        True: nothing is left to do.
        """
        # SYNC: asked before looking at the sources: what was written before the end is seen below.
        if self._settled or not ended(self._folder):
            return self._settled
        turn = self.turn()
        if turn.more or turn.advanced or not all(track.done for track in self._tracks.values()):
            return False
        try:
            self._writer.begin()
            self._writer.commit(everything=True)
            self.write_quarantine()
            self._writer.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.Error as error:
            raise StoreError(f"cannot write {self._path}: {error}") from error
        self._settled = True
        return True

    def write_quarantine(self) -> None:
        """Bring quarantine.jsonl up to what the store has."""
        try:
            if not quarantine.write_out(
                self._folder, self._writer.db, self._writer.state, file_bytes=self._quotas.quarantine_bytes
            ):
                return
        except BadFileError as error:  # the store's table has all of it
            if not self._writer.state.warn(f"quarantine.jsonl was not written: {error.strerror}"):
                return
        self._writer.begin()
        self._writer.commit()

    # -- opening and starting over --------------------------------------------------------------------------

    def _open(self, why: str = "the store was missing") -> None:
        if not may_be_store(self._path):
            move_aside(self._path)
            why = "something else lay where the store belongs"
        if not self._path.exists():
            remove_store(self._path)  # a log without its database would spoil the next one
        had_store = self._in_use and self._folder.order.exists()
        told = f"{why} and was rebuilt from the journal" if had_store else ""
        try:
            self._writer = StoreWriter(schema.open_writer(self._path), self._folder.order, if_new=told)
        except apsw.Error as error:
            if not schema.is_damage(error):
                raise StoreError(f"cannot open {self._path}: {error}") from error
            move_aside(self._path)
            self._open(f"the store was damaged ({error})")
            return
        except BadFileError as error:
            raise StoreError(
                f"{error.filename}: {error.strerror}. Move it away: it is none of ours."
            ) from error
        self._inode = self._path.stat().st_ino
        self._note_gap()
        seal.sweep(self._folder)
        lost = self._lost_bytes()
        if lost:
            self._start_over(lost)
        self._writer.state.boot_id = _boot_id()

    def _note_gap(self) -> None:
        """A store that is made anew learns how far the output was dropped; the next commit keeps it."""
        state = self._writer.state
        if state.store_seq == 0 and not state.dropped_to:
            ends = {name: log.end_of_gaps() for name, log in self._logs.items()}
            state.dropped_to = {name: end for name, end in ends.items() if end}
            for name in state.dropped_to:
                state.warn(_DROPPED.format(name))

    def _start_over(self, reason: str) -> None:
        self._close_readers()
        self._writer.close()
        self._tracks.clear()
        move_aside(self._path)
        self._open(reason)

    def _notice_loss(self) -> None:
        """Someone removed or replaced the store under us."""
        try:
            if self._path.stat().st_ino == self._inode:
                return
        except FileNotFoundError:
            pass
        self._close_readers()
        self._writer.close()
        self._tracks.clear()
        if not self._path.exists():
            remove_store(self._path)
        self._open()

    def _lost_bytes(self) -> str:
        """Why the store cannot have come from this journal; empty when it can.

        A power loss may keep the store's pages and lose the journal's last quarter of a second: then the
        journal ends before a cursor, or, after a restart of the machine, has NULs where lines were read.
        """
        rebooted = self._writer.state.boot_id not in ("", _boot_id())
        present = {source.name: source for source in list_sources(self._folder)}
        query = "SELECT name, cursor FROM sources WHERE cursor > 0"
        for name, cursor in schema.rows(self._writer.db, query):
            source = present.get(name)
            if source is None:
                return f"the store was ahead of its journal ({name} is gone)"
            if source.sealed:
                continue
            with SourceReader(source) as reader:
                if not reader.reaches(cursor):
                    return f"the store was ahead of its journal ({name} ends before byte {cursor})"
                if rebooted and self._has_new_holes(reader, name, cursor):
                    return f"the store was ahead of its journal ({name} lost lines that had been read)"
        return ""

    def _has_new_holes(self, reader: SourceReader, name: str, cursor: int) -> bool:
        known = self._writer.db.execute(
            "SELECT coalesce(sum(bytes), 0) FROM holes JOIN sources s ON s.id = source WHERE s.name = ?",
            (name,),
        ).get
        nuls, at = 0, self._writer.state.dropped_to.get(name, 0)
        while at < cursor:
            part = reader.read(at, min(1 << 20, cursor - at))
            nuls += part.count(b"\0")
            at += len(part)
        return nuls > int(known)

    # -- one turn -------------------------------------------------------------------------------------------

    def _turn(self) -> Turn:
        # SYNC: asked before reading, so that nothing can be appended between the last read and the verdict.
        over = ended(self._folder)
        left, until = self._turn_bytes, time.monotonic() + self._turn_secs
        finished = False
        self._writer.begin()
        sources, strange = look(self._folder)
        advanced = self._warn_of(strange)
        for track in self._due(sources):
            read, moved = self._read_source(track, left, until, over=over)
            left -= read
            advanced = advanced or moved
            finished = finished or track.done
            if left <= 0 or time.monotonic() >= until:
                break
        if advanced:
            self._writer.commit()
        else:
            self._writer.db.execute("ROLLBACK")
        # After a segment that is done comes the producer's next one.
        more = left <= 0 or finished or time.monotonic() >= until
        if self._in_use:
            self.write_quarantine()
            self._keep_quotas()
        more = self._seal_some(until) or more
        return Turn(
            self.summary(), more=more, advanced=advanced, over=over, read_bytes=self._turn_bytes - left
        )

    def _keep_quotas(self) -> None:
        """Free the oldest of what the run printed, where that is more than its quota."""
        for name, log in self._logs.items():
            track = self._tracks.get(name)
            try:
                if name != STDOUT:
                    stretches = log.plan()
                else:
                    stretches = log.plan(read_to=0 if track is None else track.mark.cursor)
            except OSError:
                continue  # it is not there yet, or something else is: then nobody reads it
            if stretches:
                self._drop(name, stretches)

    def _drop(self, name: str, stretches: list[tuple[int, int]]) -> None:
        state, path = self._writer.state, self._folder.path / name
        self._writer.begin()
        state.warn(_DROPPED.format(name))
        # SYNC: noted before it is done: a gap that nobody had noted would be taken for lost lines.
        state.dropped_to[name] = max(stretches[-1][1], state.dropped_to.get(name, 0))
        self._writer.commit()
        try:
            done = free(path, stretches)
        except OSError:
            return  # gone meanwhile
        if not done:
            self._writer.begin()
            state.warn(f"{name} grows over its quota: the file system cannot free a part of a file")
            self._writer.commit()

    def _warn_of(self, strange: list[str]) -> bool:
        """Say once of each thing that has the name of a source and cannot be one; whether any is new."""
        news = [
            f"{name} is not a regular file with a plain name: nothing was read from it" for name in strange
        ]
        return sum(map(self._writer.state.warn, news)) > 0

    def _due(self, sources: list[Source]) -> list[_Track]:
        """The sources to read: of each producer the first that is not done; another one first each turn."""
        chosen: dict[str, _Track] = {}
        for source in sources:
            track = self._tracks.get(source.name)
            if track is None:
                cursor, done = self._writer.cursor(source.name)
                line = self._writer.state.long_lines.get(source.name)
                track = _Track(source, intake.Mark(cursor, line=line), done)
                self._tracks[source.name] = track
            elif track.source != source:
                self._close_reader(track)
                track.source = source
            if not track.done and source.producer not in chosen:
                chosen[source.producer] = track
        due = list(chosen.values())
        first = self._writer.state.store_seq % len(due) if due else 0
        return due[first:] + due[:first]

    def _read_source(self, track: _Track, left: int, until: float, *, over: bool) -> tuple[int, bool]:
        """Read a source until bytes or time are spent: how much was read, and whether it is further."""
        begin, read, hole = track.mark.cursor, 0, None
        reader = track.reader or SourceReader(track.source)
        track.reader = (
            reader if track.source.sealed else None
        )  # unpacking goes on where it was; plain files close
        final = False
        block_bytes = _FIRST_BLOCK_BYTES  # little is new as a rule, and the rest of a live segment is NULs
        try:
            while read < left and not track.done:
                next_seq = 0 if track.source.name == STDOUT else self._writer.next_seq(track.source.producer)
                was = track.mark
                taken = intake.take(reader, was, final=final, next_seq=next_seq, block_bytes=block_bytes)
                further = max(taken.mark.cursor, taken.mark.seen) - max(was.cursor, was.seen)
                read += further
                if further > block_bytes // 2:
                    block_bytes = min(4 * block_bytes, _MOST_BLOCK_BYTES)
                if taken.batch is not None or taken.done or taken.mark.cursor != was.cursor:
                    hole = self._take(track, taken, hole)
                track.mark = taken.mark
                if taken.waiting:
                    # SYNC: only now is it worth asking whether the writer is gone; then look once more.
                    final = track.source.final(over=over)
                    if not final:
                        break
                if time.monotonic() >= until:  # asked last: a turn reads a block, however slow the machine
                    break
            if hole is not None:
                self._take(track, intake.Taken(None, track.mark, done=track.done), hole)
        finally:
            if track.reader is None or track.done:
                reader.close()
                track.reader = None
        return read, track.mark.cursor != begin or track.done

    def _take(self, track: _Track, taken: intake.Taken, hole: Hole | None) -> Hole | None:
        """Apply what was read. A hole of bytes waits for the next event, which tells how many are missing."""
        name, producer = track.source.name, track.source.producer
        batch = taken.batch
        if hole is not None:
            first = batch.holes[0] if batch is not None and batch.holes else None
            if batch is not None and first is not None and first.leading:
                batch.holes[0] = replace(hole, missing=first.missing)
            else:
                self._writer.ledger.note_hole(hole, source=name)
            hole = None
        if batch is not None:
            if batch.holes and batch.holes[-1].bytes:
                hole = batch.holes.pop()
            self._writer.apply(batch, source=name, producer=producer)
        track.mark, track.done = taken.mark, taken.done
        self._writer.move(name, track.mark.cursor, done=track.done)
        self._writer.state.passing(name, track.mark.line)
        return hole

    def _seal_some(self, until: float) -> bool:
        """Seal a segment that is done, at least a block of it; True when there is more to seal."""
        if self._sealing is None:
            ready = self._to_seal()
            if not ready:
                return False
            source = ready[0].source
            self._sealing = source.name, seal.sealing(source, length=ready[0].mark.cursor)
        name, blocks = self._sealing
        for _ in blocks:
            if time.monotonic() >= until:
                return True
        self._sealing = None
        self._tracks.pop(name, None)  # the next turn finds it sealed
        return bool(self._to_seal())

    def _to_seal(self) -> list[_Track]:
        if not self._seal:
            return []
        done = [t for t in self._tracks.values() if t.done and not t.source.sealed]
        return [t for t in done if t.source.name != STDOUT and t.source.path.exists()]

    def _close_reader(self, track: _Track) -> None:
        if track.reader is not None:
            track.reader.close()
            track.reader = None

    def _close_readers(self) -> None:
        if self._sealing is not None:
            self._sealing[1].close()
            self._sealing = None
        for track in self._tracks.values():
            self._close_reader(track)


def _boot_id() -> str:
    return _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else ""
