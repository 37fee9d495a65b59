"""Sessions in lock-step in one process: `lockstep.py ENV SEATS TICKS`. Prints ticks per second of its CPU."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict

import gymnasium as gym

from mosaic_worker.operators import Random
from mosaic_worker.probe import prepare
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds.copies import CopiesWorld


def main(env_id: str, seats: int, ticks: int) -> None:
    """Play episodes until so many ticks are made; the first one is not counted."""
    prepare(env_id)
    world = CopiesWorld({f"seat {number}": gym.make(env_id) for number in range(seats)})
    operators: defaultdict[str, Random] = defaultdict(Random)
    ledger = Ledger()
    play(world, operators, until=Until(episodes=1), seed=0, ledger=ledger)
    done, seed, before = 0, 1, time.process_time()
    while done < ticks:
        done += play(world, operators, until=Until(episodes=1), seed=seed, ledger=ledger).ticks
        seed += 1
    print("TIMED " + json.dumps({"ticks_per_sec": done / (time.process_time() - before)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
