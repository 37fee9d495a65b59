"""The deliberate breaks of G1, G2, G3, G8, G9, G10 and G27: recording, ingest and the store."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["STORAGE_MUTANTS"]

_KILLS = (
    "tests/proof/test_worker_kills.py::"
    "test_what_a_killed_worker_was_told_to_be_recorded_is_in_the_journal_and_once_in_the_store[10]"
)
_SWEEP = "tests/proof/test_ingest_kills.py::test_ingest_killed_at_a_mutating_call_ends_as_if_never_killed"
_POWER = (
    "tests/proof/test_power_loss.py::"
    "test_what_was_called_synced_survives_every_picture_a_power_loss_can_leave[360]"
)
_HOLES = "tests/proof/test_holes.py"
_STORE = "tests/proof/test_disposable_store.py"
_LINES = "tests/proof/test_hostile_lines.py::test_a_thousand_mixed_hostile_lines_cost_exactly_themselves"
_FLOATS = "tests/proof/test_exact_floats.py::test_every_float_arrives_bit_for_bit[30]"

_POKES = (
    "tests/proof/test_freshness.py::"
    "test_what_was_acknowledged_before_a_poke_is_in_the_store_when_it_is_answered"
)
_LEASES = "tests/daemon/test_turns.py::test_with_a_lease_it_has_one_every_tenth_of_a_second"

STORAGE_MUTANTS: list[Mutant] = [
    Mutant(
        name="a poke is answered before its turn",
        guarantee="G27",
        file="mosaic/daemon/ingest.py",
        old="        now_nanos = time.time_ns()\n",
        new="        now_nanos = time.time_ns()\n        freshness.stamp(watched.folder, now_nanos)\n",
        proof=_POKES,
    ),
    Mutant(
        name="a lease is ignored",
        guarantee="G27",
        file="mosaic/daemon/turns.py",
        old="    if run.leased_until > last + FRESH_SECS:\n",
        new="    if run.leased_until > last + 3600.0:\n",
        proof=_LEASES,
    ),
    Mutant(
        name="acknowledged before it is written",
        guarantee="G1",
        file="mosaic_worker/journal.py",
        old="                return _seq(next(self._chain((body,), write)))\n",
        new="                self._deferred.append(body)\n"
        "                if len(self._deferred) < 8:\n"
        "                    return self.next_seq + len(self._deferred) - 1\n"
        "                while self._deferred:\n"
        "                    seq = _seq(next(self._chain((self._deferred.pop(0),), write)))\n"
        "                return seq\n",
        proof=_KILLS,
    ),
    Mutant(
        name="lines stay in the worker's own memory",
        guarantee="G1",
        file="mosaic_worker/segment.py",
        old="mmap.mmap(fd, size)",
        new="mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE)",
        proof=_KILLS,
    ),
    Mutant(
        name="the segment is cut before its last lines",
        guarantee="G1",
        file="mosaic_worker/segment.py",
        old="            self._end = end\n",
        new="            self._end = self.map[: end - 1].rfind(b'\\n') + 1\n",
        proof=_KILLS,
    ),
    Mutant(
        name="a segment just born counts as finished",
        guarantee="G1",
        file="mosaic/store/sources.py",
        old="if self.name == STDOUT or self.path.stat().st_size == 0:",
        new="if self.name == STDOUT:",
        proof="tests/proof/test_worker_kills.py::"
        "test_ingest_looking_at_every_instant_of_a_segments_life_takes_nothing_too_early",
    ),
    Mutant(
        name="cursors commit before their rows",
        guarantee="G1",
        file="mosaic/store/ingest.py",
        old="        self._writer.move(name, track.mark.cursor, done=track.done)\n",
        new="        self._writer.move(name, track.mark.cursor, done=track.done)\n"
        '        self._writer.db.execute("COMMIT")\n'
        "        self._writer.begin()\n",
        proof=f"{_SWEEP}[some-first_ingest]",
    ),
    Mutant(
        name="the original goes before the sealed copy has its name",
        guarantee="G1",
        file="mosaic/store/seal.py",
        old="    temporary.replace(sealed)\n",
        new="    source.path.unlink()\n    temporary.replace(sealed)\n    source.path.touch()\n",
        proof=f"{_SWEEP}[some-first_ingest]",
    ),
    Mutant(
        name="synced without a sync",
        guarantee="G2",
        file="mosaic/daemon/places/local/syncer.py",
        old="            os.fdatasync(fd)\n",
        new="            os.fstat(fd)\n",
        proof=_POWER,
    ),
    Mutant(
        name="new names are not synced",
        guarantee="G2",
        file="mosaic/daemon/places/local/syncer.py",
        old="                if new:\n",
        new="                if new and not names:\n",
        proof=_POWER,
    ),
    Mutant(
        name="the sealed copy is not synced",
        guarantee="G2",
        file="mosaic/store/seal.py",
        old="        os.fsync(file.fileno())\n",
        new="        os.fstat(file.fileno())\n",
        proof=_POWER,
    ),
    Mutant(
        name="a store ahead of its journal is believed",
        guarantee="G2",
        file="mosaic/store/ingest.py",
        old="        lost = self._lost_bytes()\n",
        new='        lost = ""\n',
        proof=_POWER,
    ),
    Mutant(
        name="a pause of a second between syncs",
        guarantee="G2",
        file="mosaic/daemon/places/local/shim.py",
        old="        sync_secs: float = 0.2,\n",
        new="        sync_secs: float = 1.0,\n",
        proof="tests/proof/test_power_loss.py::test_the_shim_syncs_at_least_every_quarter_of_a_second",
    ),
    Mutant(
        name="a new run's name is not synced",
        guarantee="G2",
        file="mosaic/runs/folder.py",
        old="            sync_folder(names)\n",
        new="            names.stat()\n",
        proof="tests/proof/test_power_loss.py::"
        "test_the_names_of_a_new_run_are_on_the_disk_before_anything_is_recorded",
    ),
    Mutant(
        name="every start reads from the beginning",
        guarantee="G3",
        file="mosaic/store/ingest.py",
        old="_Track(source, intake.Mark(cursor, line=line), done)",
        new="_Track(source, intake.Mark(), False)",
        proof=_KILLS,
    ),
    Mutant(
        name="a jump in numbers is not looked at",
        guarantee="G3",
        file="mosaic/store/batch.py",
        old="        if missing > 0:\n",
        new="        if missing > 0 and not walked:\n",
        proof=f"{_HOLES}::test_missing_lines_are_a_hole_at_the_line_after_them",
    ),
    Mutant(
        name="zeroed lines are skipped in silence",
        guarantee="G3",
        file="mosaic/store/intake.py",
        old="    batch.holes.append(Hole(stop, resume - stop, None))\n",
        new="",
        proof=f"{_HOLES}::test_zeroed_lines_are_a_hole_where_they_stood",
    ),
    Mutant(
        name="a store is opened unchecked",
        guarantee="G8",
        file="mosaic/store/schema.py",
        old="            _check(db, path)\n",
        new="            _ = path\n",
        proof=f"{_STORE}::test_a_flipped_byte_anywhere_in_the_database_is_found_and_the_store_rebuilt[25]",
    ),
    Mutant(
        name="a rebuild numbers episodes anew",
        guarantee="G8",
        file="mosaic/store/order.py",
        old="        promised = self._promised.pop(episode_id, None)\n",
        new="        promised = None\n",
        proof=f"{_STORE}::test_a_rebuild_on_request_gives_the_same_again",
    ),
    Mutant(
        name="a killed rebuild forgets the order",
        guarantee="G8",
        file="mosaic/store/order.py",
        old="        return self._known if self._promised else (self.lines, self.bytes)\n",
        new="        return self.lines, self.bytes\n",
        proof=f"{_SWEEP}[some-damaged_store]",
    ),
    Mutant(
        name="an odd line is dropped",
        guarantee="G9",
        file="mosaic/store/batch.py",
        old="        batch.odd.append(Odd(offset, len(line), str(error), line))\n",
        new="",
        proof=_LINES,
    ),
    Mutant(
        name="the rest of the block goes with an odd line",
        guarantee="G9",
        file="mosaic/store/batch.py",
        old="            odd_since += 1\n            continue\n",
        new="            odd_since += 1\n            break\n",
        proof=_LINES,
    ),
    Mutant(
        name="a lost end is no hole",
        guarantee="G3",
        file="mosaic/store/intake.py",
        old="    return [Hole(stop, lost, None)] if lost or reader.cut else []\n",
        new="    return []\n",
        proof="tests/proof/test_damaged_segments.py::test_a_sealed_segment_without_its_end_says_so",
    ),
    Mutant(
        name="a block is believed unchecked",
        guarantee="G3",
        file="mosaic/store/blocks.py",
        old="level=_LEVEL, write_checksum=True",
        new="level=_LEVEL, write_checksum=False",
        proof="tests/proof/test_damaged_segments.py::"
        "test_damage_anywhere_in_a_sealed_segment_costs_its_block_and_is_located[6]",
    ),
    Mutant(
        name="a line without end is read again every turn",
        guarantee="G9",
        file="mosaic/store/intake.py",
        old="Mark(mark.cursor, seen=stop)",
        new="Mark(mark.cursor)",
        proof="tests/store/test_intake.py::test_a_line_that_grows_slowly_is_read_once",
    ),
    Mutant(
        name="after a restart the rest of a long line is a line",
        guarantee="G9",
        file="mosaic/store/ingest.py",
        old="line = self._writer.state.long_lines.get(source.name)",
        new="line = None",
        proof="tests/store/test_ingest.py::"
        "test_a_line_too_long_is_passed_over_across_restarts_and_costs_itself",
    ),
    Mutant(
        name="a long odd line is cut short",
        guarantee="G9",
        file="mosaic/store/quarantine.py",
        old="            if len(kept) >= min(length, line_bytes):\n",
        new="            if kept:\n",
        proof="tests/proof/test_hostile_lines.py::test_a_huge_line_that_is_no_event_is_kept_verbatim",
    ),
    Mutant(
        name="one NaN for all",
        guarantee="G10",
        file="mosaic_worker/values.py",
        old='        return "NaN" if bits == _USUAL_NAN else f"NaN:{bits:016x}"\n',
        new='        return "NaN" if bits else ""\n',
        proof=_FLOATS,
    ),
    Mutant(
        name="SQLite's zero has no sign",
        guarantee="G10",
        file="mosaic/store/schema.py",
        old="    if value != value or (value == 0.0 and math.copysign(1.0, value) < 0):",
        new="    if value != value or (value == 0.0 and value < 0):",
        proof=_FLOATS,
    ),
]
