"""What readers ask of a store, and what ingest answers, by the times of two files."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from mosaic.paths import RunFolder
from mosaic.runs import freshness
from mosaic.runs.locks import Lock

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path)


def test_nobody_has_asked_and_nothing_is_stored_when_asking_becomes_possible(folder: RunFolder) -> None:
    assert freshness.wants(folder) == (0, 0)
    assert freshness.stored_nanos(folder) is None
    freshness.offer(folder)
    assert freshness.wants(folder) == (0, 0)
    assert freshness.stored_nanos(folder) == 0
    assert [path.stat().st_mode & 0o777 for path in (folder.fresh, folder.stored)] == [0o600, 0o600]


def test_offering_again_keeps_what_was_asked_and_answered(folder: RunFolder) -> None:
    freshness.offer(folder)
    asked = freshness.poke(folder)
    freshness.stamp(folder, 7)
    freshness.offer(folder)
    assert freshness.wants(folder)[0] == asked
    assert freshness.stored_nanos(folder) == 7


def test_a_poke_does_not_shorten_somebody_elses_lease(folder: RunFolder) -> None:
    freshness.offer(folder)
    freshness.keep_fresh(folder, secs=60.0)
    until = freshness.wants(folder)[1]
    assert until > time.time_ns()
    asked = freshness.poke(folder)
    assert freshness.wants(folder) == (asked, until)
    freshness.keep_fresh(folder, secs=1.0)
    assert freshness.wants(folder)[1] == until


def test_asking_where_nobody_ingests_waits_for_nobody(folder: RunFolder) -> None:
    assert freshness.refresh([folder], timeout_secs=3600.0)  # no files: none to ask
    freshness.offer(folder)
    assert freshness.refresh([folder], timeout_secs=3600.0)  # files that a dead ingest left
    assert freshness.wants(folder) == (0, 0)


def test_a_refresh_is_over_when_the_answer_is_no_older_than_the_question(folder: RunFolder) -> None:
    freshness.offer(folder)
    with Lock(folder.path / "ingest.lock"):
        freshness.stamp(folder, time.time_ns())  # an earlier turn's
        assert not freshness.refresh([folder], timeout_secs=0.05)
        freshness.stamp(folder, time.time_ns() + 3600 * 10**9)
        assert freshness.refresh([folder], timeout_secs=3600.0)


def test_a_reader_that_may_not_write_reads_on(folder: RunFolder) -> None:
    os.symlink("/nowhere/at/all", folder.fresh)
    freshness.keep_fresh(folder, secs=1.0)
    assert freshness.refresh([folder], timeout_secs=3600.0)


def test_what_lies_in_the_way_is_said_to_ingest_and_never_followed(folder: RunFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"kept")
    os.utime(outside, ns=(1, 1))
    folder.stored.symlink_to(outside)
    with pytest.raises(OSError, match="link"):
        freshness.offer(folder)
    freshness.stamp(folder, time.time_ns())
    assert outside.stat().st_mtime_ns == 1


def test_clearing_takes_both_away_and_again_is_fine(folder: RunFolder) -> None:
    freshness.offer(folder)
    freshness.clear(folder)
    freshness.clear(folder)
    assert list(folder.path.iterdir()) == []
