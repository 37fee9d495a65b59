"""G8: whatever becomes of the database, the next start has the same content, and says that it rebuilt it."""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mosaic.paths import RunFolder
from mosaic.store.ingest import RunIngest
from mosaic.store.rebuild import rebuild
from mosaic.store.verify import verify
from tests.proof import oracle, places, sample
from tests.proof.ingest_server import TURN_BYTES, dump

HEADER = (0, 16, 18, 19, 20, 24, 28, 40, 44, 52, 56, 60, 92, 96, 100, 101, 103, 105)


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Many small folders: in memory, if there is such a place."""
    with places.in_memory() as path:
        yield path


def ingested(path: Path) -> tuple[RunFolder, dict[str, Any]]:
    folder = oracle.new_run(path)
    sample.fill(folder)
    oracle.ingest_all(folder, turn_bytes=TURN_BYTES)
    oracle.assert_stored(folder)
    return folder, content(folder)


def content(folder: RunFolder) -> dict[str, Any]:
    return {key: value for key, value in dump(folder).items() if key not in ("warnings", "files")}


def assert_as_before(
    template: RunFolder, expected: dict[str, Any], damage: Callable[[RunFolder], object]
) -> list[str]:
    """Damage a copy, start ingest on it as the daemon does, and compare. The warnings."""
    folder = RunFolder(Path(shutil.copytree(template.path, template.path.with_name("copy"))))
    damage(folder)
    summary = oracle.ingest_all(folder, turn_bytes=TURN_BYTES)
    found = content(folder)
    wrong = [key for key in expected if expected[key] != found[key]]
    assert not wrong, f"other {wrong}"
    assert verify(folder) == []
    shutil.rmtree(folder.path)
    return summary.warnings


def page_size(data: bytes) -> int:
    return {1: 65536}.get(size := int.from_bytes(data[16:18], "big"), size)


def unused_pages(data: bytes) -> set[int]:
    """The pages on a database's free list, by SQLite's description of the format. Nobody reads them."""
    found: set[int] = set()
    page, trunk = page_size(data), int.from_bytes(data[32:36], "big")
    while trunk and trunk not in found:
        words = [word for (word,) in struct.iter_unpack(">I", data[(trunk - 1) * page : trunk * page])]
        found |= {trunk, *words[2 : 2 + words[1]]}
        trunk = words[0]
    return found


def flip(path: Path, offset: int, mask: int = 0xFF) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= mask
    path.write_bytes(data)


@pytest.mark.parametrize(
    "flips", [25, pytest.param(500, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])]
)
def test_a_flipped_byte_anywhere_in_the_database_is_found_and_the_store_rebuilt(
    flips: int, scratch: Path
) -> None:
    template, expected = ingested(scratch / "run")
    size = template.store.stat().st_size
    chance = random.Random(8)
    page, unused = page_size(template.store.read_bytes()), unused_pages(template.store.read_bytes())
    assert len(unused) * page < size / 4, "most of the file is never read: this proves nothing"
    chosen = chance.sample(range(size), min(size, flips)) + list(HEADER if flips > 100 else HEADER[:5])
    for offset in chosen:
        mask = 1 << chance.randrange(8)
        warnings = assert_as_before(template, expected, lambda folder: flip(folder.store, offset, mask))  # noqa: B023
        noticed = any("rebuilt from the journal" in text for text in warnings)
        assert noticed or 1 + offset // page in unused, f"byte {offset}, bit {mask} was not noticed"


def test_a_deleted_cut_emptied_or_replaced_database_is_rebuilt(scratch: Path) -> None:
    template, expected = ingested(scratch / "run")
    size = template.store.stat().st_size
    damages: list[Callable[[Path], object]] = [
        lambda store: store.unlink(),
        lambda store: store.write_bytes(os.urandom(size)),
        lambda store: store.write_bytes(bytes(size)),
        *(lambda store, at=at: os.truncate(store, at) for at in (1, 100, 4096, size // 2, size - 1)),
    ]
    for damage in damages:
        warnings = assert_as_before(template, expected, lambda folder: damage(folder.store))  # noqa: B023
        assert any("rebuilt from the journal" in text for text in warnings)


@pytest.mark.parametrize(
    "damages", [20, pytest.param(200, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])]
)
def test_a_cut_garbled_or_deleted_log_of_a_killed_ingest_costs_nothing(damages: int, scratch: Path) -> None:
    _, expected = ingested(scratch / "reference")
    run = oracle.new_run(scratch / "live")
    sample.fill(run)
    killed = scratch / "killed"
    with RunIngest(run, turn_bytes=TURN_BYTES) as ingest:
        for _ in range(8):
            ingest.turn()
        shutil.copytree(run.path, killed)
    template = RunFolder(killed)
    wal = template.store.with_name("telemetry.sqlite-wal")
    size = wal.stat().st_size
    chance = random.Random(9)
    for number in range(damages):
        offset = chance.randrange(size)

        def damage(folder: RunFolder) -> None:
            log = folder.store.with_name(wal.name)
            if number % 3 == 0:  # noqa: B023
                os.truncate(log, offset)  # noqa: B023
            elif number % 3 == 1:  # noqa: B023
                flip(log, offset)  # noqa: B023
            elif offset % 2:  # noqa: B023
                log.unlink()
            else:
                log.write_bytes(os.urandom(size))
            folder.store.with_name("telemetry.sqlite-shm").unlink(missing_ok=True)

        assert_as_before(template, expected, damage)


def test_a_database_deleted_under_a_running_ingest_is_rebuilt(scratch: Path) -> None:
    _, expected = ingested(scratch / "reference")
    folder = oracle.new_run(scratch / "live")
    sample.fill(folder)
    with RunIngest(folder, turn_bytes=TURN_BYTES) as ingest:
        for _ in range(4):
            ingest.turn()
        for path in folder.path.glob("telemetry.sqlite*"):
            path.unlink()
        while not ingest.settle():
            ingest.turn()
        assert any("rebuilt from the journal" in text for text in ingest.summary().warnings)
    assert content(folder) == expected


def test_a_rebuild_on_request_gives_the_same_again(scratch: Path) -> None:
    folder, _ = ingested(scratch / "run")
    before = {row: content(folder)[row] for row in ("episodes.order", "returns", "resets")}
    rebuild(folder)
    assert {row: content(folder)[row] for row in before} == before
    oracle.assert_stored(folder)
