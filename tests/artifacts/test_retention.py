"""What a listing says about files that are gone goes by the drivers' own rule."""

from __future__ import annotations

from typing import Any

from mosaic.artifacts.retention import let_go, repeated, replaced
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
    assert replaced([row(1, "a"), row(2, "b"), row(3, "a")]) == {1: "a later checkpoint has taken its file"}


def test_what_was_renamed_stands_under_its_new_name_alone() -> None:
    rows = [row(1, "tmp"), row(2, "policy", renamed_from="tmp"), row(3, "tmp")]
    assert replaced(rows) == {1: "renamed: it is policy now"}
    rows.append(row(4, "policy", renamed_from="tmp"))
    assert replaced(rows) == {
        1: "renamed: it is policy now",
        2: "a later checkpoint has taken its file",
        3: "renamed: it is policy now",
    }


def test_a_backup_keeps_its_place_when_the_old_name_is_saved_to_again() -> None:
    rows = [row(1, "policy"), row(2, "policy.bak", renamed_from="policy"), row(3, "policy")]
    assert replaced(rows) == {1: "renamed: it is policy.bak now"}


def test_a_record_that_renames_what_nobody_listed_means_nothing() -> None:
    assert replaced([row(1, "a", renamed_from="b"), row(2, "c", renamed_from=7)]) == {}


def test_the_same_bytes_listed_twice_under_one_name_are_one_checkpoint() -> None:
    rows = [row(1, "a"), row(2, "b"), row(3, "a", reason="stop")]
    assert repeated(rows) == {1}
    assert repeated(rows[:2]) == set()
