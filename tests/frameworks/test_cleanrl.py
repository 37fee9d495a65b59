"""The runner `cleanrl` on scripts written here, from a clean data root to an evaluated checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.acceptance import Workbench, workbench
from tests.frameworks.journey import WORKBENCH, Journey, evaluate, install, make_journey, ok, play, train
from tests.frameworks.places import CHECKOUT

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(1800)]
LOGGED = {
    "charts/episodic_return": "return",
    "charts/episodic_length": "length",
    "charts/SPS": "sps",
}
PPO = Journey(
    "cleanrl/ppo",
    words=("--checkout", str(CHECKOUT), "--learning-rate", "0.002", "cuda=false"),
    metrics={**LOGGED, "losses/policy_loss": "loss/policy_loss", "charts/learning_rate": "lr"},
    slack=256,
)
DQN = Journey(
    "cleanrl/dqn", steps=1500, words=("--checkout", str(CHECKOUT), "save_model=true"), metrics=LOGGED
)
CONTINUOUS = Journey(
    "cleanrl/ppo_continuous_action",
    "Pendulum-v1",
    steps=1000,
    words=("--checkout", str(CHECKOUT), "quiet=true"),
    metrics={"charts/episodic_return": "return"},
)


def decided(bench: Workbench) -> list[dict[str, Any]]:
    """What the operator knew of each decision of the last run."""
    return [row["data"] for row in bench.ask("events", "last", "--kind", "decision")]


def actions_of(bench: Workbench, episode: int) -> list[int]:
    return [row["action"] for row in bench.ask("steps", "last", str(episode))]


def test_a_published_idiom_trains_replays_plays_and_stops(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        make_journey(bench, PPO)
        (trained,) = [row["run_id"] for row in bench.ask("ls") if row["state"] == "stopped"]
        words = ("play", "CartPole-v1", "--operator", f"{trained}:last", "op.sample=true", "--seed", "3")
        ok(bench, *words)
        first = actions_of(bench, 0)
        ok(bench, *words, "--episodes", "2")
        drawn = decided(bench)
        assert {tuple(sorted(known)) for known in drawn} == {("entropy", "probs", "value")}
        assert all(abs(sum(known["probs"]) - 1) < 1e-5 for known in drawn)
        actions = [actions_of(bench, index) for index in range(2)]
        assert actions[0] == first  # drawn by the seed
        best = [max((0, 1), key=known["probs"].__getitem__) for known in drawn]
        assert best != [action for episode in actions for action in episode]
    assert list((home / "runs").glob("*/files/runs/*/events.out.tfevents.*"))
    assert not (home.parent / "runs").exists(), "what the script wrote lies in the user's folder"


def test_value_networks_and_continuous_agents_are_played_too(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        install(bench, DQN)
        run = train(bench, DQN)
        play(bench, f"{run}:final", evaluate(bench, f"{run}:final", DQN), DQN)
        assert {tuple(sorted(known)) for known in decided(bench)} == {("q", "value")}
        (own,) = [row for row in bench.ask("checkpoints", run) if row["path"].endswith(".cleanrl_model")]
        evaluate(bench, str(home / "runs" / run / own["path"]), DQN)
        run = train(bench, CONTINUOUS)
        (final,) = bench.ask("checkpoints", run)
        assert "observation normaliser" in final["meta"]["holds"]
        play(bench, f"{run}:final", evaluate(bench, f"{run}:final", CONTINUOUS), CONTINUOUS)
