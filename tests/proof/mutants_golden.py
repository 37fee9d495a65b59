"""The deliberate breaks of G20: folders that earlier versions wrote."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["GOLDEN_MUTANTS"]

_GOLDEN = "tests/test_golden.py::"

GOLDEN_MUTANTS: list[Mutant] = [
    Mutant(
        name="only the tables of this version are read",
        guarantee="G20",
        file="mosaic/store/eventlog.py",
        old="    found = _shared(db, which)\n",
        new="    found = [one for one in _shared(db, which) if one.kind not in BY_STEP]\n",
        proof=_GOLDEN + "test_an_old_data_root_lists_verifies_and_replays_with_the_stores_it_came_with[0.1]",
    ),
    Mutant(
        name="sealed segments are looked for under another name",
        guarantee="G20",
        file="mosaic/store/sources.py",
        old=r"\.jsonl(\.zst)?",
        new=r"\.jsonl(\.zstd)?",
        proof=_GOLDEN + "test_an_old_data_root_lists_verifies_and_replays_from_its_journals_alone[0.1]",
    ),
    Mutant(
        name="outcomes are looked for in other bits",
        guarantee="G20",
        file="mosaic/store/episode_rows.py",
        old="MARK_SHIFT = 2\n",
        new="MARK_SHIFT = 3\n",
        proof=_GOLDEN + "test_an_old_data_root_lists_verifies_and_replays_with_the_stores_it_came_with[0.1]",
    ),
    Mutant(
        name="a rebuild numbers the episodes anew",
        guarantee="G20",
        file="mosaic/store/order.py",
        old="        if episode_id is not None:\n",
        new="        if episode_id is None:\n",
        proof=_GOLDEN + "test_an_old_data_root_lists_verifies_and_replays_from_its_journals_alone[0.1]",
    ),
]
