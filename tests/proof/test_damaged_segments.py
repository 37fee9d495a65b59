"""G3, G9: damage to a sealed segment costs its block, which is a hole with its place; the rest is served."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.store.blocks import BLOCK_BYTES
from mosaic.store.reader import StoreReader
from mosaic.store.storefiles import remove_store
from mosaic.store.verify import verify
from tests.proof import oracle, places

if TYPE_CHECKING:
    from mosaic.paths import RunFolder

SEGMENT = "p9x00000000-0000.jsonl"
LINE = b'{"type":"metric","name":"m","value":%d,"t":1.0,"source":"%016x","seq":%d}\n'


def sealed_run(path: Path, *, lines: int) -> tuple[RunFolder, list[int]]:
    """An ended run whose one segment is sealed, and where each of its lines begins."""
    folder, chance = oracle.new_run(path), random.Random(3)
    starts, data = [], bytearray()
    for number in range(lines):
        starts.append(len(data))
        data += LINE % (number, chance.getrandbits(64), number)
    (folder.journal / SEGMENT).write_bytes(data)
    oracle.end_run(folder)
    oracle.ingest_all(folder, seal=True)
    assert [each.name for each in folder.journal.glob("*.jsonl*")] == [f"{SEGMENT}.zst"]
    return folder, [*starts, len(data)]


def assert_costs_its_blocks(folder: RunFolder, starts: list[int], *, most_blocks: int) -> None:
    """With no store left: every line outside the damaged blocks is stored, and what is missing is located."""
    remove_store(folder.store)
    summary = oracle.ingest_all(folder)
    with StoreReader(folder) as reader:
        stored = {int(row.value) for row in reader.metrics()}
        holes = reader.holes()
    missing = [n for n in range(len(starts) - 1) if n not in stored]
    assert len(stored) == summary.metrics, "stored twice"
    if missing:
        lost = [(offset, offset + size) for _, offset, size, _ in holes if size]
        assert lost, "a hole is hidden"
        for number in missing:
            begin, end = starts[number], starts[number + 1]
            assert any(begin < stop and start < end for start, stop in lost), (
                "a line outside the hole is lost"
            )
        assert sum(stop - start for start, stop in lost) <= most_blocks * BLOCK_BYTES
        if len(starts) - 2 in stored:  # else no later number tells how many
            assert sum(events or 0 for *_, events in holes) + summary.quarantined == len(missing)
    assert verify(folder) == []


@pytest.mark.parametrize("seeds", [6, pytest.param(40, marks=[pytest.mark.heavy, pytest.mark.timeout(600)])])
def test_damage_anywhere_in_a_sealed_segment_costs_its_block_and_is_located(seeds: int) -> None:
    with places.in_memory() as scratch:
        folder, starts = sealed_run(scratch / "run", lines=25_000)
        path = folder.journal / f"{SEGMENT}.zst"
        whole = path.read_bytes()
        for seed in range(seeds):
            chance = random.Random(seed)
            data = bytearray(whole)
            at, size = chance.randrange(len(data) - 64), chance.choice((1, 1, 50, 512))
            data[at : at + size] = bytes(byte ^ 0x55 for byte in data[at : at + size])
            path.write_bytes(data)
            assert_costs_its_blocks(folder, starts, most_blocks=2)


def test_a_sealed_segment_without_its_end_says_so(tmp_path: Path) -> None:
    folder, _ = sealed_run(tmp_path / "run", lines=15_000)
    path = folder.journal / f"{SEGMENT}.zst"
    path.write_bytes(path.read_bytes()[:-32])  # at the end of a block: every line is there
    remove_store(folder.store)
    summary = oracle.ingest_all(folder)
    assert (summary.metrics, summary.holes) == (15_000, 1)
    assert verify(folder) == []
