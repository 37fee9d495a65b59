"""A game of PettingZoo in one process: `moves.py MODULE MOVES`. Prints moves per second of its CPU."""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict

from mosaic_worker.drivers.kit.envs import make_zoo
from mosaic_worker.operators import Random
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds import world_of


def main(env_id: str, moves: int) -> None:
    """Play games, chance against chance, until so many moves are made; the first one is not counted."""
    world = world_of(make_zoo(env_id, {}, parallel=False), "aec")
    operators: defaultdict[str, Random] = defaultdict(Random)
    ledger = Ledger()
    play(world, operators, until=Until(episodes=1), seed=0, ledger=ledger)
    done, seed, before = 0, 1, time.process_time()
    while done < moves:
        left = Until(episodes=1, ticks=moves - done)
        done += play(world, operators, until=left, seed=seed, ledger=ledger).ticks
        seed += 1
    print("TIMED " + json.dumps({"moves_per_sec": done / (time.process_time() - before)}))
    world.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
