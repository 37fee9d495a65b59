"""What an evaluation plays, records and says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import pytest

import mosaic_worker
from mosaic.protocol.codec import decode_lines
from mosaic.protocol.events import Log, Metric
from mosaic.store.reader import StoreReader
from mosaic_worker.drivers.kit.evaluating import Evaluation, evaluate, summary
from mosaic_worker.operators import Policy
from mosaic_worker.recorder import Recorder
from tests.by_hand import playing, settle

if TYPE_CHECKING:
    from pathlib import Path

GATED = """
import os, time
import gymnasium as gym
from mosaic_worker.drivers.kit.evaluating import evaluate
from mosaic_worker.operators import Choice, Policy

class Left(Policy):
    name = "left"
    def act(self, view):
        time.sleep(0.02)  # a policy that takes its time: orders are looked for some times a second
        while not os.path.exists({gate!r}):
            time.sleep(0.01)
        return Choice(0, {{"value": 0.5}})

evaluate(gym.make("MountainCar-v0", max_episode_steps=12), Left(None), seed=1, episodes=2, step=5)
"""


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


def test_a_person_relieves_the_policy_that_is_evaluated_and_only_that_is_in_the_ledger(
    tmp_path: Path,
) -> None:
    gate, script = tmp_path / "gate", tmp_path / "evaluate.py"
    script.write_text(GATED.format(gate=str(gate)))
    with playing(tmp_path / "home", str(script)) as me:
        numbers = [me.hands.order(do) for do in ("pause", "take", "go")]  # before the first decision is made
        gate.touch()
        me.until(lambda now: now.seats[0].waits)
        assert [me.answers[number] for number in numbers] == ["", "", ""]
        assert me.offer is not None
        assert me.offer.allowed == []
        assert "there is no reset here" in me.order("reset")
        assert "fixed" in me.order("deploy", seat={"kind": "random", "name": "random"})
        for _ in range(3):
            me.act(2)
        assert not me.order("give")
        assert me.process.wait(60) == 0
    settle(me.folder)
    with StoreReader(me.folder) as reader:
        rows = list(reader.episodes())
        assert [row.steps for row in rows] == [12, 12]
        actions = [step.action for step in reader.steps(0)]
        decisions = [json.loads(event.data) for event in reader.events("decision")]
    taken = [one["step"] for one in decisions if one.get("verdict") == "replace"]
    assert len(taken) == 3
    assert [actions[step] for step in taken] == [2, 2, 2]
    assert actions.count(2) == 3
    assert [one["operator"] for one in decisions] == ["left"] * 4
    assert decisions[-1]["step"] == taken[-1] + 1  # who decides again; the rest goes without saying
