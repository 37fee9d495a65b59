"""Minds of every kind in one game: a script's checkpoint, a program in Node, a file, a person, chance."""

from __future__ import annotations

import re
import select
import time
from pathlib import Path
from typing import Any

import pytest

from mosaic.app.hands import Hands
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.hands import Now
from tests.acceptance import Workbench, workbench
from tests.envs import python_of
from tests.frameworks.journey import WORKBENCH, ok, replay

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(1800)]
HOLDEM = "pettingzoo.classic.texas_holdem_v4"
SCRIPT = Path(__file__).parents[1] / "scripts" / "sb3_ppo.py"
OPERATORS = Path(__file__).parents[2] / "docs" / "operators.md"

GAMBLER = """
import gymnasium as gym
import numpy as np
from sb3_contrib import MaskablePPO


class Guessing(gym.Env):
    # The spaces of Texas hold'em; raising pays when the first card is an ace.
    observation_space = gym.spaces.Dict(
        observation=gym.spaces.Box(0.0, 1.0, (72,), np.float32),
        action_mask=gym.spaces.Box(0, 1, (4,), np.int8),
    )
    action_space = gym.spaces.Discrete(4)

    def see(self):
        self.hand = (self.np_random.random(72) < 0.1).astype(np.float32)
        self.mask = np.array([1, 1, 1, int(self.np_random.random() < 0.5)], np.int8)
        return {"observation": self.hand, "action_mask": self.mask}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.see(), {}

    def step(self, action):
        reward = float((action == 1) == bool(self.hand[0]))
        return self.see(), reward, bool(self.np_random.random() < 0.1), False, {}

    def action_masks(self):
        return self.mask.astype(bool)


model = MaskablePPO("MultiInputPolicy", Guessing(), n_steps=64, batch_size=32, seed=1, device="cpu")
model.learn(128)
model.save("gambler")
"""
CAUTIOUS = """
from mosaic_worker.operators import Choice


def act(view):
    legal = [action for action, may in enumerate(view.mask) if may]
    return Choice(0 if 0 in legal else legal[-1], {"text": f"{len(legal)} were legal"})
"""


def last_legal(folder: Path) -> str:
    """The Node program of the documentation, as an operator."""
    (source,) = re.findall(
        r"\*\*`last_legal.mjs`\*\*\n```javascript\n(.*?)```", OPERATORS.read_text(), re.DOTALL
    )
    path = folder / "last_legal.mjs"
    path.write_text(source)
    return f"cmd:node {path}"


def seats_of(home: Path, bench: Workbench) -> dict[str, str]:
    """An operator of each kind; the checkpoint is what a plain script saved with `model.save`."""
    script = home.parent / "gambler.py"
    script.write_text(GAMBLER)
    ok(bench, "run", "--name", "gambler", "--", str(python_of("sb3")), str(script))
    mind = home.parent / "mind.py"
    mind.write_text(CAUTIOUS)
    return {
        "player_0": "gambler",
        "player_1": last_legal(home.parent),
        "player_2": f"python:{mind}",
        "player_3": "random",
    }


def test_a_checkpoint_a_program_a_file_and_chance_play_one_game_that_replays_exactly(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        ok(bench, "runners", "install", "sb3")
        seats = seats_of(home, bench)
        words = [word for agent, who in seats.items() for word in ("--seat", f"{agent}={who}")]
        ok(bench, "play", HOLDEM, "env.num_players=4", *words, "--seeds", "1-6", "--name", "mixed")
        rows = bench.ask("episodes", "mixed")
        assert len(rows) == 24
        decided = bench.ask("events", "mixed", "--kind", "decision")
        assert who_decided(decided) == {**seats, "player_0": "gambler@128"}
        assert_explained(decided)
        replay(bench, "mixed")
        said = bench.call("league", *seats.values(), "--env", HOLDEM, "env.num_players=4", "--seeds", "1")
        assert said.returncode == 0, said.stderr
        assert "8 games" in said.stderr
        assert len(bench.ask("episodes", "last")) == 32
        replay(bench, "last")


def test_a_person_a_checkpoint_a_program_and_chance_play_one_game_that_replays_exactly(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        ok(bench, "runners", "install", "sb3")
        seats = {**seats_of(home, bench), "player_2": "person"}
        words = [word for agent, who in seats.items() for word in ("--seat", f"{agent}={who}")]
        said = ok(
            bench, "play", HOLDEM, "env.num_players=4", *words, "--seeds", "1-4", "--name", "met", "--detach"
        )
        acted = play_by_hand(home, said.strip(), "player_2")
        ok(bench, "logs", "met", "-f")
        rows = [row for row in bench.ask("episodes", "met") if row["agent_id"] == "player_2"]
        assert len(bench.ask("episodes", "met")) == 16
        assert sum(row["steps"] for row in rows) == acted > 0
        decided = bench.ask("events", "met", "--kind", "decision")
        assert who_decided(decided) == {**seats, "player_0": "gambler@128"}
        replay(bench, "met")


def play_by_hand(home: Path, run_id: str, actor: str) -> int:
    """Sit in a seat of a running session and do the first thing that is legal, to its end. How often."""
    until = time.monotonic() + 300
    hands, acted = None, 0
    while hands is None:
        assert time.monotonic() < until, "the session does not listen"
        try:
            hands = Hands(DataRoot(home).run(run_id), name="me")
        except UsageError:
            select.select([], [], [], 0.05)
    with hands:
        hands.order("take", actor=actor)
        asked = None  # at which decision an action was last sent
        while not hands.ended:
            assert time.monotonic() < until, "the session does not end"
            select.select([hands], [], [], 1.0)
            for now in hands.read():
                if not isinstance(now, Now):
                    continue
                seat = next(seat for seat in now.seats if seat.actor == actor)
                if seat.mine and seat.waits and asked != (now.episode, seat.step):
                    assert seat.legal
                    asked = (now.episode, seat.step)
                    hands.order("act", actor=actor, action=seat.legal[0], step=seat.step)
                    acted += 1
    return acted


def who_decided(decided: list[dict[str, Any]]) -> dict[str, str]:
    return {row["agent_id"]: row["operator"] for row in decided}


def assert_explained(decided: list[dict[str, Any]]) -> None:
    """The program and the file say something with every decision; both other processes took their time."""
    by = {agent: [row for row in decided if row["agent_id"] == f"player_{agent}"] for agent in range(4)}
    assert all("were legal" in row["data"]["text"] for row in (*by[1], *by[2]))
    assert all(row["ms"] > 0 for row in (*by[0], *by[1]))


def test_what_a_plain_script_saved_plays_as_its_evaluation_does(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        ok(bench, "runners", "install", "sb3")
        ok(bench, "run", "--name", "plain", "--", str(python_of("sb3")), str(SCRIPT))
        (row,) = bench.ask("checkpoints", "plain")
        path = Path(row["path"]) if Path(row["path"]).is_absolute() else home / "runs" / row["path"]
        ok(bench, "eval", str(path), "--runner", "sb3/ppo", "--env", "CartPole-v1", "--seed", "7", "-n", "1")
        evaluated = bench.ask("episodes", "last")[0]
        ok(bench, "play", "CartPole-v1", "--operator", "plain", "--seeds", "7")
        (played,) = bench.ask("episodes", "last")
        assert (played["return"], played["steps"]) == (evaluated["return"], evaluated["steps"])
        (known,) = {tuple(sorted(row["data"])) for row in bench.ask("events", "last", "--kind", "decision")}
        assert known == ("entropy", "probs", "value")
        copy = home.parent / "from-elsewhere.zip"
        copy.write_bytes(path.read_bytes() + b" ")  # other bytes than any run of ours saved
        refused = bench.call("play", "CartPole-v1", "--operator", str(copy))
        assert (refused.returncode, f"mosaic trust {copy}" in refused.stderr) == (2, True), refused.stderr
        ok(bench, "trust", str(copy))
        ok(bench, "play", "CartPole-v1", "--operator", str(copy), "--seeds", "7")
        assert bench.ask("episodes", "last")[0]["steps"] == played["steps"]
