"""Who decided what, as it stands in the record of a real run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mosaic.store.reader import StoreReader
from tests.replay.recorded import record

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = """
import gymnasium as gym
from mosaic_worker.operators import Choice, Policy
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds import SingleWorld

class Talks(Policy):
    def act(self, view):
        if view.step == 2:
            return Choice(1, {"text": "why not", "ms": 1.5})
        if view.step == 4:
            return Choice(0, {"by": "somebody else"})
        return Choice(view.step % 2)

operator = Talks(None)
operator.name = "talker"
world = SingleWorld(gym.make("CartPole-v1", max_episode_steps=6))
play(world, operator, until=Until(episodes=2), seed=1, ledger=Ledger())
"""
ZOO = """
from collections import defaultdict
from pettingzoo.classic import tictactoe_v3
from mosaic_worker.operators import Random
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds import world_of
class Named(Random):
    name = "chance"
    def act(self, view):
        return super().act(view)._replace(data={"text": str(view.step)})
world = world_of(tictactoe_v3.env(), "aec")
play(world, defaultdict(Named), until=Until(episodes=1), seed=1, ledger=Ledger())
"""


TAKEN = """
import gymnasium as gym
from mosaic_worker.operators import Choice, Policy
from mosaic_worker.session.ledger import Ledger
from mosaic_worker.session.loop import Until, play
from mosaic_worker.session.worlds import SingleWorld

class Relieved(Policy):
    episode = 0
    def act(self, view):
        self.episode += view.step == 0
        if self.episode == 1 and view.step in (2, 3):
            return Choice(1, {"by": "person"}, Choice(0, {"value": 0.5}))
        return Choice(0)

operator = Relieved(None)
operator.name = "policy"
world = SingleWorld(gym.make("CartPole-v1", max_episode_steps=6))
play(world, operator, until=Until(episodes=2), seed=1, ledger=Ledger(quiet=QUIET))
"""


def decisions(tmp_path: Path, script: str) -> list[dict[str, Any]]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with StoreReader(record(home, script)) as reader:
        return [json.loads(event.data) for event in reader.events("decision")]


def test_a_decision_is_written_when_there_is_something_to_say(tmp_path: Path) -> None:
    found = decisions(tmp_path, SINGLE)
    told = [
        (one["episode_id"][-2:], one["step"], one["operator"], one.get("data"), one.get("ms"))
        for one in found
    ]
    assert told[:4] == [
        (".0", 0, "talker", None, None),
        (".0", 2, "talker", {"text": "why not"}, 1.5),
        (".0", 4, "somebody else", None, None),
        (".0", 5, "talker", None, None),
    ]
    assert told[4][:3] == (".1", 0, "talker")
    assert [one["proposed"] for one in found[:4]] == [0, 1, 0, 1]


def test_each_agents_decisions_are_about_its_own_next_step(tmp_path: Path) -> None:
    found = decisions(tmp_path, ZOO)
    for agent in ("player_1", "player_2"):
        own = [one for one in found if one["agent_id"] == agent]
        assert [one["step"] for one in own] == list(range(len(own)))
        assert [one["data"]["text"] for one in own] == [str(step) for step in range(len(own))]
        assert {one["episode_id"].rpartition(":")[2] for one in own} == {agent}
    assert len(found) >= 5


@pytest.mark.parametrize("quiet", [False, True])
def test_every_step_of_a_person_is_a_correction_and_who_decides_afterwards_is_written(
    tmp_path: Path, quiet: bool
) -> None:
    found = decisions(tmp_path, TAKEN.replace("QUIET", str(quiet)))
    first = [one for one in found if one["episode_id"] == found[0]["episode_id"]]
    assert [one["step"] for one in first] == ([2, 3, 4] if quiet else [0, 2, 3, 4])
    for one in first[-3:-1]:
        assert (one["operator"], one["proposed"], one["executed"]) == ("policy", 0, 1)
        assert (one["verdict"], one["by"], one["reason"]) == ("replace", "person", "taken over")
        assert one["data"] == {"value": 0.5}
    assert (first[-1]["operator"], first[-1].get("verdict")) == ("policy", None)
    assert [one["step"] for one in found[len(first) :]] == ([] if quiet else [0])
