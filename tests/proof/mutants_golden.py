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
        old="    found = _shared(db, which, but={kind.name for kind in own})\n",
        new="    found = _shared(db, which, but=set(BY_STEP))\n",
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
]
