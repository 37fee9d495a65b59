"""Which checkpoints are kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mosaic_worker.common.retention import Entry, superseded

REASONS = ["cadence", "best", "final", "stop"]


def test_the_last_n_on_cadence_the_newest_best_and_every_end_are_kept() -> None:
    saved = [
        Entry(order, reason)
        for order, reason in enumerate(
            ["cadence", "best", "cadence", "best", "cadence", "cadence", "stop", "final"]
        )
    ]
    assert superseded(saved, keep_last=2) == {
        Entry(0, "cadence"),
        Entry(2, "cadence"),
        Entry(1, "best"),
    }


@given(reasons=st.lists(st.sampled_from(REASONS)), keep_last=st.integers(-3, 5))
def test_the_newest_of_every_reason_is_always_kept(reasons: list[str], keep_last: int) -> None:
    saved = [Entry(order, reason) for order, reason in enumerate(reasons)]
    gone = superseded(saved, keep_last=keep_last)
    for reason in set(reasons):
        assert max(entry for entry in saved if entry.reason == reason) not in gone
    assert {entry.reason for entry in gone} <= {"cadence", "best"}
