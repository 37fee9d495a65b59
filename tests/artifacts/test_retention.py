"""What a listing says about files that are gone goes by the drivers' own rule."""

from __future__ import annotations

from typing import Any

from mosaic.artifacts.retention import let_go, written_over
from mosaic.protocol.rows import CheckpointRow


def row(seq: int, path: str = "", **meta: Any) -> CheckpointRow:
    return CheckpointRow(
        path=path or str(seq), sha256=None, bytes=None, step=None, kind=None, t=0.0, meta=meta, seq=seq
    )


def test_older_ones_on_cadence_and_older_bests_are_let_go() -> None:
    rows = [row(n, keep_last=2, reason=reason) for n, reason in enumerate(
        ["cadence", "best", "cadence", "cadence", "best", "final"], start=10)]  # fmt: skip
    assert let_go(rows) == {10, 11}


def test_nobody_lets_go_of_what_a_script_saved() -> None:
    assert let_go([row(1), row(2, reason="cadence"), row(3, keep_last="x", reason="cadence")]) == set()


def test_only_the_newest_of_one_name_still_has_its_file() -> None:
    assert written_over([row(1, "a"), row(2, "b"), row(3, "a")]) == {1}
