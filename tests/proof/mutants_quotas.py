"""The deliberate breaks of G19: logs that grow for ever, or lose what is part of the record."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["QUOTA_MUTANTS"]

_TESTS = "tests/store/test_quotas.py::"

QUOTA_MUTANTS: list[Mutant] = [
    Mutant(
        name="nobody looks how long a log is",
        guarantee="G19",
        file="mosaic/store/ingest.py",
        old="            self._keep_quotas()\n",
        new="",
        proof=_TESTS + "test_what_a_run_prints_is_kept_within_its_quota_while_it_prints",
    ),
    Mutant(
        name="printed events are dropped like text",
        guarantee="G19",
        file="mosaic/store/quotas.py",
        old="found = pages_between(kept, self._from, self._at)",
        new="found = pages_between([], self._from, self._at)",
        proof=_TESTS + "test_events_among_what_is_dropped_stay_and_a_rebuild_finds_them_all",
    ),
    Mutant(
        name="what has not been read is dropped",
        guarantee="G19",
        file="mosaic/store/quotas.py",
        old="end if read_to is None else min(end, read_to)",
        new="end",
        proof=_TESTS + "test_what_ingest_has_not_read_is_not_dropped",
    ),
    Mutant(
        name="what is left of a dropped line may be an event",
        guarantee="G19",
        file="mosaic/store/quotas.py",
        old="last = (start - 1) // PAGE_BYTES * PAGE_BYTES",
        new="last = start // PAGE_BYTES * PAGE_BYTES",
        proof=_TESTS + "test_whole_pages_go_and_a_byte_stays_before_what_is_kept",
    ),
]
