"""The runner `cleanrl` on scripts written here, from a clean data root to an evaluated checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance import workbench
from tests.frameworks.journey import WORKBENCH, Journey, evaluate, install, make_journey, train
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


def test_a_published_idiom_trains_replays_plays_and_stops(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        make_journey(bench, PPO)
    assert list((home / "runs").glob("*/files/runs/*/events.out.tfevents.*"))
    assert not (home.parent / "runs").exists(), "what the script wrote lies in the user's folder"


def test_value_networks_and_continuous_agents_are_played_too(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        install(bench, DQN)
        run = train(bench, DQN)
        evaluate(bench, f"{run}:final", DQN)
        (own,) = [row for row in bench.ask("checkpoints", run) if row["path"].endswith(".cleanrl_model")]
        evaluate(bench, str(home / "runs" / run / own["path"]), DQN)
        run = train(bench, CONTINUOUS)
        (final,) = bench.ask("checkpoints", run)
        assert "observation normaliser" in final["meta"]["holds"]
        evaluate(bench, f"{run}:final", CONTINUOUS)
