"""The ids of runs."""

from __future__ import annotations

import time

import pytest
from ulid import ULID

from mosaic.runs.folder import is_run_id
from mosaic.runs.ids import new_run_id


def test_an_id_is_a_ulid_of_this_moment_and_no_two_are_alike() -> None:
    before = time.time_ns() // 1_000_000
    ids = [new_run_id() for _ in range(1000)]
    after = time.time_ns() // 1_000_000
    assert all(is_run_id(run_id) for run_id in ids)
    assert all(before <= ULID.from_str(run_id).milliseconds <= after for run_id in ids)
    assert len({run_id[10:] for run_id in ids}) == len(ids)


def test_ids_sort_by_the_time_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for nanos in (1_000_000, 32_000_000, 1_700_000_000_000_000_000, 1_700_000_000_001_000_000):
        monkeypatch.setattr(time, "time_ns", lambda nanos=nanos: nanos)
        made.append(new_run_id())
    assert made == sorted(made)
