"""What the client hands out: frozen, named, and with the defaults that mean nothing special."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mosaic.rpc.records import Batch, DaemonStatus, EventRow, LogPage, RunChange, Skipped

STATUS = DaemonStatus(version="1", protocol=1, pid=2, home="/h", started=3.0)


def test_defaults_say_that_nothing_is_special() -> None:
    batch: Batch[int] = Batch(rows=[1], next_seq=4)
    assert (batch.live, batch.skipped) == (False, None)
    assert (RunChange().row, RunChange().deleted, RunChange().caught_up) == (None, False, False)
    assert (STATUS.runs, STATUS.faults, STATUS.last_fault) == ({}, 0, "")
    assert (STATUS.streams, STATUS.publishers) == (0, 0)


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (Skipped(1, 2), "from_seq"),
        (Batch(rows=[], next_seq=0), "rows"),
        (EventRow(seq=1, type="log", json=b"{}"), "json"),
        (LogPage(data=b"", next_offset=0, ended=True), "data"),
        (RunChange(), "row"),
        (STATUS, "pid"),
    ],
)
def test_records_are_frozen(record: Any, field: str) -> None:
    with pytest.raises(AttributeError):
        setattr(record, field, None)
    assert msgspec.structs.replace(record) == record


def test_two_statuses_do_not_share_their_counts() -> None:
    other = DaemonStatus(version="1", protocol=1, pid=2, home="/h", started=3.0)
    other.runs["running"] = 1
    assert STATUS.runs == {}
