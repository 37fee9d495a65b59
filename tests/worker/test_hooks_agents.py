"""Episodes of several agents, without any framework: what is written, line by line, read by the protocol."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mosaic.protocol.codec import decode_lines
from mosaic.protocol.events import Episode, Reset, Step
from mosaic_worker.hooks.agents import Agents
from mosaic_worker.recorder import Recorder
from mosaic_worker.rewards import Reward
from tests.worker.reading import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MADE = {"id": "game_v0", "api": "pettingzoo-aec"}


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    made = Recorder(str(tmp_path))
    yield made
    made.close()


@pytest.fixture
def agents(recorder: Recorder) -> Agents:
    """An environment that has just been reset."""
    agents = Agents(recorder, MADE)
    agents.begin(seed=None, options=None, rng=None)
    return agents


def events(folder: Path, *kinds: str) -> list[dict[str, Any]]:
    found = [event for events in read_journal(folder).values() for event in events]
    return [event for event in found if event["type"] in (kinds or ("reset", "step", "episode"))]


def lines(folder: Path) -> list[tuple[Any, ...]]:
    """Whose, what, the number of the step or of all steps, and how it ended."""
    return [
        (e["agent_id"], e["type"], e.get("step", e.get("steps")), e.get("outcome")) for e in events(folder)
    ]


def test_what_is_written_is_what_the_protocol_reads(agents: Agents, tmp_path: Path) -> None:
    agents.join("a", np.zeros(2))
    agents.act("a", np.array([0.5]), turn=3)
    agents.step("a", Reward(1.5), {"x": np.ones(1), "y": 2}, terminated=True, truncated=False)
    (segment,) = (tmp_path / "journal").iterdir()
    _, reset, step, episode = decode_lines(segment.read_bytes().rstrip(b"\0"))
    assert isinstance(reset, Reset)
    assert isinstance(step, Step)
    assert isinstance(episode, Episode)
    assert (reset.agent_id, reset.env_key, reset.group) == ("a", "e0", reset.episode_id[: -len(":a")])
    assert (step.step, step.turn, step.reward, step.terminated, step.truncated) == (0, 3, 1.5, True, False)
    assert (episode.steps, episode.outcome, episode.agent_id) == (1, "terminated", "a")
    assert step.episode_id == episode.episode_id == reset.episode_id
    times: list[Any] = [reset.t, episode.t_start, step.t, episode.t_end]
    assert times == sorted(times)
    assert times[0] == times[1]


def test_a_group_has_one_description_and_every_agent_the_same_reset(
    recorder: Recorder, tmp_path: Path
) -> None:
    agents = Agents(recorder, MADE)
    agents.begin(seed=7, options={"size": np.int64(3)}, rng={"kind": "x"})
    agents.join("a", 1)
    agents.join("b", 2)
    agents.begin(seed=None, options=None, rng=None)
    agents.join("a", 3)
    first, second, third = events(tmp_path, "reset")
    for reset in (first, second):
        assert (reset["seeded"], reset["seed"], reset["options"], reset["rng"]) == (
            True, 7, {"size": 3}, {"kind": "x"},
        )  # fmt: skip
    assert (third["seeded"], {"seed", "options", "rng"} & set(third)) == (False, set())
    assert [reset.get("env") for reset in (first, second, third)] == [MADE, None, None]
    assert first["group"] == second["group"] == f"{recorder.producer}.e0.0"
    assert third["group"] == f"{recorder.producer}.e0.1"
    assert [reset["obs"] for reset in (first, second, third)] == [1, 2, 3]


def test_seed_0_is_a_seed(recorder: Recorder, tmp_path: Path) -> None:
    agents = Agents(recorder, MADE)
    agents.begin(seed=0, options=None, rng=None)
    agents.join("a", None)
    assert [(reset["seeded"], reset["seed"]) for reset in events(tmp_path, "reset")] == [(True, 0)]


def test_every_environment_of_a_process_has_a_key_of_its_own(recorder: Recorder, tmp_path: Path) -> None:
    for _ in range(2):
        agents = Agents(recorder, MADE)
        agents.begin(seed=None, options=None, rng=None)
        agents.join("a", None)
    assert [reset["env_key"] for reset in events(tmp_path, "reset")] == ["e0", "e1"]


def test_a_reset_cuts_whoever_is_still_playing_in_the_order_they_joined(
    agents: Agents, tmp_path: Path
) -> None:
    agents.join("b", None)
    agents.join("a", None)
    agents.turn = 5
    assert agents.open == ["b", "a"]
    agents.begin(seed=None, options=None, rng=None)
    assert (agents.open, agents.turn) == ([], 0)
    assert lines(tmp_path)[2:] == [("b", "episode", 0, "cut"), ("a", "episode", 0, "cut")]


def test_an_agent_joins_an_episode_once(recorder: Recorder, tmp_path: Path) -> None:
    agents = Agents(recorder, MADE)
    assert agents.join("early", None) is None  # nothing has begun
    agents.begin(seed=None, options=None, rng=None)
    track = agents.join("a", None)
    assert track is not None
    assert agents.track("a") is track
    assert agents.join("a", None) is None
    agents.end("a", "terminated")
    assert agents.join("a", None) is None  # it has been and gone
    assert agents.track("a") is None
    agents.begin(seed=None, options=None, rng=None)
    assert agents.join("a", None) is not None
    assert [line[:2] for line in lines(tmp_path)] == [("a", "reset"), ("a", "episode"), ("a", "reset")]


def test_rewards_add_up_and_only_an_action_makes_a_step(agents: Agents, tmp_path: Path) -> None:
    agents.join("a", None)
    agents.step("a", Reward(0.25), None, terminated=False, truncated=False)  # paid before it ever acted
    for turn, reward in ((0, 1.0), (2, 0.5)):
        agents.act("a", turn, turn)
        agents.step("a", Reward(reward), None, terminated=False, truncated=False)
    agents.step("a", Reward(0.125), None, terminated=False, truncated=True)
    steps = [(s["step"], s["turn"], s["action"], s["reward"]) for s in events(tmp_path, "step")]
    assert steps == [(0, 0, 0, 1.0), (1, 2, 2, 0.5)]
    (episode,) = events(tmp_path, "episode")
    assert (episode["steps"], episode["return"], episode["outcome"]) == (2, 1.875, "truncated")
    assert agents.open == []


@pytest.mark.parametrize(
    ("terminated", "truncated", "outcome"),
    [(True, False, "terminated"), (False, True, "truncated"), (True, True, "terminated")],
)
def test_the_flags_are_in_the_last_step_and_say_how_it_ended(
    agents: Agents, tmp_path: Path, terminated: bool, truncated: bool, outcome: str
) -> None:
    agents.join("a", None)
    agents.act("a", 1, 0)
    agents.step("a", Reward(0.0), None, terminated=terminated, truncated=truncated)
    step, episode = events(tmp_path, "step", "episode")
    assert (step.get("terminated", False), step.get("truncated", False)) == (terminated, truncated)
    assert episode["outcome"] == outcome


def test_floats_and_names_of_every_kind_are_written_whole(agents: Agents, tmp_path: Path) -> None:
    for agent in ('q"uote', "ünï", 3, "lone\udc80"):
        agents.join(agent, float("inf"))
        agents.act(agent, float("-inf"), 0)
        agents.step(agent, Reward(float("nan")), -0.0, terminated=True, truncated=False)
    steps = events(tmp_path, "step")
    assert [step["agent_id"] for step in steps] == ['q"uote', "ünï", "3", "lone\\udc80"]
    assert {(s["action"], s["reward"], str(s["obs"])) for s in steps} == {("-Infinity", "NaN", "-0.0")}
    assert {episode["return"] for episode in events(tmp_path, "episode")} == {"NaN"}


def test_small_arrays_are_written_whole_and_large_ones_as_a_checksum(
    recorder: Recorder, tmp_path: Path
) -> None:
    recorder.inline_bytes = 16
    agents = Agents(recorder, MADE)
    agents.begin(seed=None, options=None, rng=None)
    agents.join("a", {"small": np.arange(2.0), "large": np.arange(3.0)})
    agents.act("a", np.arange(100.0), 0)  # without its action a step cannot be played again
    agents.step("a", Reward(0.0), np.arange(3.0), terminated=False, truncated=False)
    (reset,), (step,) = events(tmp_path, "reset"), events(tmp_path, "step")
    assert base64.b64decode(reset["obs"]["small"]["b64"]) == np.arange(2.0).tobytes()
    assert {"b64", "crc32"} & set(reset["obs"]["large"]) == {"crc32"}
    assert {"b64", "crc32"} & set(step["obs"]) == {"crc32"}
    assert base64.b64decode(step["action"]["b64"]) == np.arange(100.0).tobytes()


@pytest.mark.parametrize(
    ("obs", "written"),
    [
        ({}, {}),
        ({"a": 1, "b": {"c": (1, 2)}}, {"a": 1, "b": {"c": [1, 2]}}),
        ({3: 1, "x": 2}, {"3": 1, "x": 2}),
        ({f"k{n}": n for n in range(300)}, {f"k{n}": n for n in range(300)}),
        (("a", None), ["a", None]),
    ],
    ids=["empty", "nested", "numbered", "many keys", "tuple"],
)
def test_observations_of_every_make_are_written_the_same_each_time(
    agents: Agents, tmp_path: Path, obs: Any, written: Any
) -> None:
    agents.join("a", obs)
    agents.act("a", None, 0)
    agents.step("a", Reward(0.0), obs, terminated=False, truncated=False)
    assert [event["obs"] for event in events(tmp_path, "reset", "step")] == [written, written]


def test_the_names_that_are_kept_for_speed_are_bounded(agents: Agents) -> None:
    agents.join("a", {f"k{n}": n for n in range(300)})
    agents.begin(seed=None, options=None, rng=None)
    agents.join("a", {f"other{n}": n for n in range(300)})
    assert len(agents._codecs["a"]._keys) == 256


def test_viewers_see_the_numbers_of_all_agents_together(agents: Agents) -> None:
    agents.join("a", None)
    agents.join("b", None)
    for agent, reward in (("a", 1.0), ("b", 0.25)):
        agents.act(agent, 0, 0)
        agents.step(agent, Reward(reward), None, terminated=False, truncated=False)
    shown = agents.shown
    assert (shown.reward, shown.total, shown.shared.episodes) == (0.25, 1.25, 1)
    group = shown.episode_id
    agents.begin(seed=None, options=None, rng=None)
    assert (shown.reward, shown.total, shown.shared.episodes) == (0.0, 0.0, 2)
    assert shown.episode_id != group


def test_a_forked_child_leaves_the_episodes_to_its_parent_and_begins_with_its_own_reset(
    agents: Agents, recorder: Recorder, tmp_path: Path
) -> None:
    agents.join("a", None)
    recorder.after_fork_in_child()  # as after a fork: this is another producer now
    assert agents.track("a") is None
    assert agents.open == []
    assert agents.join("b", None) is None
    agents.begin(seed=None, options=None, rng=None)
    agents.join("a", None)
    agents.end("a", "terminated")
    parent, child = sorted(read_journal(tmp_path).values(), key=len)
    assert [event["type"] for event in parent] == ["hello", "reset"]
    assert [event["type"] for event in child] == ["hello", "reset", "episode"]
    assert child[1]["group"] == f"{recorder.producer}.e0.0"
    assert child[1]["env"] == MADE  # nobody told it in this journal yet
