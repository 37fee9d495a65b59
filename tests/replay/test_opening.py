"""What it takes to open an episode must not grow with how many came before it. Counted, never timed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mosaic.paths import RunFolder
from mosaic.replay.resimulator import Resimulator
from mosaic.replay.verdicts import Verdict
from mosaic.store.reader import StoreReader
from tests.replay import many
from tests.replay.recorded import record

EPISODES = 2_000


@pytest.fixture(scope="module")
def thousands(recordings: Path) -> RunFolder:
    """Thousands of episodes of two steps, of an environment by itself and of one that keeps something."""
    return record(recordings, many.LOOP.format(episodes=EPISODES), modules={"short.py": many.MODULE})


class CountingReader(StoreReader):
    """Counts the episodes, resets and steps it was asked for, and the instructions SQLite ran for them."""

    def __init__(self, folder: RunFolder) -> None:
        self.asked = self.instructions = 0
        super().__init__(folder)
        assert self._db is not None
        self._db.set_progress_handler(self._tick, 10)

    def _tick(self) -> bool:
        self.instructions += 10
        return False

    def episode(self, key: int | str) -> Any:
        self.asked += 1
        return super().episode(key)

    def reset(self, index: int) -> dict[str, Any]:
        self.asked += 1
        return super().reset(index)

    def columns(self, index: int) -> Any:
        self.asked += 1
        return super().columns(index)


def opened(folder: RunFolder, index: int) -> tuple[Verdict, int, int]:
    reader = CountingReader(folder)
    with reader, Resimulator(folder, reader, allowed=["short"]) as resimulator:
        verdict = resimulator.judge(reader.episode(index), seekable=True)
    return verdict, reader.asked, reader.instructions


def test_the_last_of_thousands_of_episodes_opens_alone_with_the_work_of_an_early_one(
    thousands: RunFolder,
) -> None:
    early, early_asked, early_instructions = opened(thousands, 1)
    last, last_asked, last_instructions = opened(thousands, EPISODES - 1)
    assert early.way == last.way == "alone"
    assert last_asked == early_asked
    assert last_instructions < early_instructions + 2_000  # a look-up by id reads one block of neighbours


def test_the_chain_from_a_near_seeded_reset_is_found_with_the_same_work_however_many_came_before(
    thousands: RunFolder,
) -> None:
    early, early_asked, early_instructions = opened(thousands, EPISODES + 7)
    last, last_asked, last_instructions = opened(thousands, 2 * EPISODES - 1)
    assert (early.way, early.start) == ("chain from the seeded reset", 4)
    assert (last.way, last.start) == ("chain from the seeded reset", EPISODES - 4)
    assert early.exact
    assert last.exact
    assert last_asked == early_asked
    assert last_instructions < early_instructions + 8_000
