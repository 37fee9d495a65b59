"""The last seeded episode of an environment, and how many steps lie between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mosaic.store.reader import StoreReader
from tests.store.journals import PRODUCER, Segments, ingest_all

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


def play(worker: Segments, name: str, **reset: Any) -> None:
    worker.add({"type": "reset", "episode_id": name, "t": 1.0, **reset})
    for step in range(2):
        worker.add(
            {
                "type": "step",
                "episode_id": name,
                "step": step,
                "reward": 1.0,
                "terminated": step == 1,
                "t": 2.0,
            }
        )


def test_the_last_seeded_episode_of_the_same_environment_is_found_within_the_range(folder: RunFolder) -> None:
    worker = Segments(folder)
    for number in range(6):
        play(worker, f"{PRODUCER}.e1.{number}", **({"seed": number} if number in (1, 3) else {}))
        play(worker, f"{PRODUCER}.e11.{number}", seed=99)  # its ids begin alike
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        here = {number: reader.episode(f"{PRODUCER}.e1.{number}").index for number in range(6)}

        def last(before: int, first: int = 0) -> Any:
            row = reader.last_seeded(f"{PRODUCER}.e1", first_index=first, before_index=here[before])
            return None if row is None else (row.episode_id, row.seed)

        assert last(5) == (f"{PRODUCER}.e1.3", 3)
        assert last(3) == (f"{PRODUCER}.e1.1", 1)
        assert last(1) is None
        assert last(5, first=here[3] + 1) is None
        assert reader.steps_between(f"{PRODUCER}.e1", here[1], here[4]) == 6


def test_episodes_of_agents_count_as_their_environments(folder: RunFolder) -> None:
    worker = Segments(folder)
    for number in range(3):
        for agent in ("first_0", "first_1"):
            seed = {"seed": 7} if number == 1 else {}
            play(worker, f"{PRODUCER}.e0.{number}:{agent}", agent_id=agent, **seed)
    worker.write()
    ingest_all(folder)
    with StoreReader(folder) as reader:
        row = reader.last_seeded(f"{PRODUCER}.e0", before_index=4)
        assert row is not None
        assert row.episode_id == f"{PRODUCER}.e0.1:first_1"
        assert reader.steps_between(f"{PRODUCER}.e0", 0, 4) == 8
