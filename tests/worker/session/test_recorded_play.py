"""What the loop plays is recorded like any script's steps, and replays exactly."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from mosaic.replay.resimulator import Resimulator
from mosaic.store.reader import StoreReader
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

WAITING = """
import json
from collections import defaultdict
import gymnasium as gym
from mosaic_worker.operators import Random
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds import world_of

mode = gym.vector.AutoresetMode.DISABLED
envs = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 3, autoreset_mode=mode)
played = play(world_of(envs, "vector"), defaultdict(Random), until=Until(episodes=4), seed=2)
envs.close()
print(json.dumps([[one.actor, one.length, one.returned] for one in played.episodes]))
"""


def test_without_autoreset_every_played_episode_is_in_the_record_and_all_of_it_replays(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    folder = record(home, WAITING, to_stdout=True)
    played = Counter(tuple(one) for one in json.loads(folder.stdout.read_text()))
    assert played.total() == 12
    with StoreReader(folder) as reader, Resimulator(folder, reader) as resimulator:
        rows = list(reader.episodes())
        verdicts = [resimulator.judge(row) for row in rows]
    recorded = Counter((row.env_index, row.steps, row.return_) for row in rows if row.outcome != "cut")
    assert played <= recorded
    assert {verdict.status for verdict in verdicts} == {"exact"}
