"""G21: sessions under kills: people, operators, daemon, ingest and the session itself, in a seeded order.

That a plan which was killed is resumed without playing an episode twice is
`tests/cli/test_play.py::test_a_plan_that_was_killed_is_resumed_without_playing_an_episode_twice`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemons import Daemon
from tests.proof.sittings import WORLDS, Sitting, World, branch
from tests.proof.soak import sampled

SEEDS = range(1, 13)
LONG = [
    world for world in WORLDS if "connect_four" not in world.env_id
]  # which may be won before anybody dies


@pytest.mark.heavy
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", sampled(SEEDS, 2))
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.env_id.rpartition(".")[2])
def test_whoever_is_killed_in_a_session_it_goes_on_and_its_record_is_exact(
    daemon: Daemon, tmp_path: Path, world: World, seed: int
) -> None:
    sitting = Sitting(daemon, tmp_path / "accounts", world, seed)
    try:
        sitting.rage()
        sitting.end()
    finally:
        sitting.close()
    sitting.assert_left()


@pytest.mark.heavy
@pytest.mark.timeout(300)
@pytest.mark.parametrize("world", LONG, ids=lambda world: world.env_id.rpartition(".")[2])
def test_a_branch_whose_person_is_killed_waits_for_another_and_replays_after_its_own_death(
    daemon: Daemon, tmp_path: Path, world: World
) -> None:
    sitting = Sitting(daemon, tmp_path / "accounts", world, seed=1)
    try:
        sitting.end()
    finally:
        sitting.close()
    branch(sitting, step=3)
