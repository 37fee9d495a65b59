"""What an evaluation plays, records and says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

import mosaic_worker
from mosaic.protocol.codec import decode_lines
from mosaic.protocol.events import Log, Metric
from mosaic_worker.drivers.kit.evaluating import Evaluation, evaluate, summary
from mosaic_worker.operators import Policy
from mosaic_worker.recorder import Recorder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """A recorder that the calls of a driver find."""
    made = Recorder(str(tmp_path))
    monkeypatch.setattr(mosaic_worker, "_current", made)
    return made


def recorded(recorder: Recorder, tmp_path: Path) -> list[Any]:
    recorder.close()
    (segment,) = (tmp_path / "journal").iterdir()
    found: list[Any] = decode_lines(segment.read_bytes())
    return found


def metrics(events: list[Any]) -> list[tuple[str, Any, Any]]:
    return [(event.name, event.value, event.step) for event in events if isinstance(event, Metric)]


def test_a_mean_never_comes_without_spread_and_number() -> None:
    assert summary([1.0, 2.0, 3.0]) == (
        "mean return 2.00 ± 1.00 (standard deviation, 3 episodes), from 1.00 to 3.00"
    )
    assert summary([2.0]) == "return 2.00 (1 episode)"


def test_episodes_are_counted_apart_and_recorded_as_they_end(recorder: Recorder, tmp_path: Path) -> None:
    played = Evaluation()
    for reward in (1.0, 2.0):
        played.step(reward)
    played.end()
    played.step(-1.0)
    played.end()
    assert (played.returns, played.lengths, played.ticks) == ([3.0, -1.0], [2, 1], 3)
    assert metrics(recorded(recorder, tmp_path)) == [
        ("eval/episodic_return", 3.0, 1),
        ("eval/episodic_return", -1.0, 2),
    ]


def test_an_evaluation_plays_from_the_seed_and_says_how_it_went(
    recorder: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env, again = gym.make("CartPole-v1"), gym.make("CartPole-v1")
    balancing = Policy(lambda view: int(view.observation[2] > 0))
    played = evaluate(env, balancing, seed=3, episodes=2, step=70)
    lengths = []
    for seed in (3, None):
        (observation, _), over, steps = again.reset(seed=seed), False, 0
        while not over:
            observation, _, terminated, truncated, _ = again.step(int(observation[2] > 0))
            over, steps = terminated or truncated, steps + 1
        lengths.append(steps)
    assert (played.lengths, played.ticks) == (lengths, sum(lengths))
    events = recorded(recorder, tmp_path)
    mean = sum(lengths) / 2
    assert metrics(events) == [
        ("eval/episodic_return", float(lengths[0]), 1),
        ("eval/episodic_return", float(lengths[1]), 2),
        ("eval/mean_reward", mean, 70),
        ("eval/mean_ep_length", mean, 70),
    ]
    assert [event.text for event in events if isinstance(event, Log)] == [summary(played.returns)]
    assert summary(played.returns) in capsys.readouterr().out


def test_a_return_that_the_environment_counted_itself_is_the_one_that_is_said(
    recorder: Recorder, tmp_path: Path
) -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1"))
    scaled = gym.wrappers.TransformReward(env, lambda reward: 0.01 * float(reward))
    told = evaluate(
        scaled, Policy(lambda _: 1), seed=0, episodes=1, step=0, returned=lambda one: one.info["episode"]["r"]
    )
    assert told.returns == [float(told.lengths[0])] == [float(told.ticks)]
    assert metrics(recorded(recorder, tmp_path))[0] == ("eval/episodic_return", told.returns[0], 1)
