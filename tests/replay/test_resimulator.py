"""Real recorded runs, replayed in real children."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from mosaic.errors import ConsentNeededError, ReplayError
from mosaic.paths import RunFolder
from mosaic.replay.resimulator import Resimulator
from mosaic.replay.verdicts import Verdict
from mosaic.store.reader import StoreReader
from tests.replay.envs import CRASHES, CRASHES_LOOP, SPACES
from tests.replay.recorded import LOOP, VECTOR, record


def judge(folder: RunFolder, *allowed: str, silence_secs: float = 60.0) -> list[Verdict]:
    with (
        StoreReader(folder) as reader,
        Resimulator(folder, reader, allowed=allowed, silence_secs=silence_secs) as resimulator,
    ):
        return [resimulator.judge(row) for row in reader.episodes()]


def test_every_episode_replays_exactly_though_only_the_first_reset_was_seeded(cartpole: RunFolder) -> None:
    verdicts = judge(cartpole)
    assert [(v.episode, v.status, v.way) for v in verdicts] == [(k, "exact", "alone") for k in range(4)]


def test_an_environment_that_draws_from_the_system_diverges_at_the_right_step_with_the_values(
    lucky: RunFolder,
) -> None:
    for verdict in judge(lucky, "lucky"):
        assert (verdict.status, verdict.step) == ("diverged", 3)
        assert verdict.what == "obs[1]"
        assert verdict.recorded != verdict.now
        assert float(verdict.recorded) > 1
        assert "step 3: obs[1] was" in verdict.sentence()


def test_what_is_kept_over_a_reset_is_had_by_playing_the_chain(keeps: RunFolder) -> None:
    ways = [(v.status, v.way) for v in judge(keeps, "keeps")]
    assert ways == [
        ("exact", "alone"),
        ("exact", "chain from the first reset"),
        ("exact", "chain from the first reset"),
        ("exact", "chain from the first reset"),
        ("exact", "chain from the first reset"),
    ]


def test_the_chain_begins_at_the_last_seeded_reset(keeps: RunFolder) -> None:
    with StoreReader(keeps) as reader, Resimulator(keeps, reader, allowed=["keeps"]) as resimulator:
        verdict = resimulator.judge(reader.episode(4))
    assert (verdict.status, verdict.way, verdict.start) == ("exact", "chain from the seeded reset", 2)


def test_a_module_nobody_allowed_is_not_imported(keeps: RunFolder) -> None:
    with pytest.raises(ConsentNeededError, match="--allow-import keeps"):
        judge(keeps)


def test_an_environment_defined_in_the_script_needs_the_scripts_name(dice: RunFolder) -> None:
    with pytest.raises(ConsentNeededError, match="__main__"):
        judge(dice)
    assert [v.status for v in judge(dice, "script.py")] == ["exact"] * 3


def test_episodes_that_another_program_printed_cannot_be_replayed_and_it_says_so(recordings: Path) -> None:
    source = """
    import json
    for kind, more in (("reset", {}), ("step", {"step": 0}), ("episode", {"steps": 1})):
        print(json.dumps({"type": kind, "episode_id": "mine", **more}))
    """
    folder = record(recordings, source, to_stdout=True)
    (verdict,) = judge(folder)
    assert verdict.status == "cannot"
    assert "was not recorded" in verdict.reason


@pytest.mark.parametrize("kind", ["dict", "tuple", "text", "multi", "big"])
def test_actions_and_observations_of_every_space_come_back_exactly(recordings: Path, kind: str) -> None:
    source = LOOP.format(
        imports="import spaces", make=f'"Spaces-v0", kind="{kind}"', seed=None, episodes=2, steps=9
    )
    folder = record(recordings, source, modules={"spaces.py": SPACES})
    assert [v.sentence() for v in judge(folder, "spaces")] == ["exact (alone)"] * 2


def test_a_time_limit_of_the_script_is_kept(recordings: Path) -> None:
    folder = record(
        recordings,
        LOOP.format(
            imports="", make='"MountainCar-v0", max_episode_steps=17', seed=None, episodes=2, steps=99
        ),
    )
    with StoreReader(folder) as reader:
        assert [row.steps for row in reader.episodes()] == [17, 17]
    assert [v.status for v in judge(folder)] == ["exact"] * 2


@pytest.mark.parametrize("mode", ["sync", "async", "vector_entry_point"])
@pytest.mark.parametrize("seed", ["3", "None"])
def test_vector_environments_replay_exactly(recordings: Path, mode: str, seed: str) -> None:
    source = VECTOR.format(
        imports="", make='"CartPole-v1"', num_envs=4, mode=mode, seed=seed, steps=60, more=""
    )
    verdicts = judge(record(recordings, source))
    assert len(verdicts) > 8
    assert {v.status for v in verdicts} == {"exact"}


AEC = """
from pettingzoo.classic import {name}
env = {name}.env()
for episode in range(3):
    env.reset(seed={seed} if episode == 0 else None)
    for turn, agent in enumerate(env.agent_iter()):
        obs, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else env.action_space(agent).sample(obs["action_mask"]))
"""
PARALLEL = """
from pettingzoo.classic import rps_v2
env = rps_v2.parallel_env(max_cycles=9)
for episode in range(3):
    env.reset(seed=3 if episode == 0 else None)
    while env.agents:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
"""


@pytest.mark.parametrize(
    "source",
    [AEC.format(name="tictactoe_v3", seed=None), AEC.format(name="texas_holdem_v4", seed=1), PARALLEL],
    ids=["aec", "aec with cards", "parallel"],
)
def test_environments_of_several_agents_replay_exactly(recordings: Path, source: str) -> None:
    verdicts = judge(record(recordings, source))
    assert [v.status for v in verdicts] == ["exact"] * 6


KILLED = """
import os, signal
from pettingzoo.classic import tictactoe_v3
env = tictactoe_v3.env()
env.reset(seed=1)
for turn, agent in enumerate(env.agent_iter()):
    env.last()
    if turn == {turn}:
        os.kill(os.getpid(), signal.SIGKILL)
    env.step(turn)
"""


@pytest.mark.parametrize("turn", [2, 3, 4, 5])
def test_a_game_in_turns_that_was_killed_keeps_every_step_that_was_looked_at_and_replays(
    recordings: Path, turn: int
) -> None:
    folder = record(recordings, KILLED.format(turn=turn), code=-9)
    with StoreReader(folder) as reader:
        steps = [row.steps for row in reader.episodes()]
    assert steps == [turn // 2, (turn - 1) // 2]  # the move before the last look has not been looked at
    assert {v.status for v in judge(folder)} == {"exact"}


DICTS = """
import gymnasium as gym
import numpy as np

class MultiAgentEnv(gym.Env):
    pass

class Relay(MultiAgentEnv):
    "Agents take turns, are paid while others act; one begins, others join late, 1 leaves and comes back."
    action_space = gym.spaces.Discrete(5)

    def __init__(self, length):
        self.length = length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        begins = int(self.np_random.integers(2))  # 0, 1, 1 in the three episodes below
        return {begins: self.seen()}, {}

    def seen(self):
        return self.np_random.random(2) LUCK

    def step(self, actions):
        self.t += 1
        obs = {0: self.seen()} if self.t % 2 else {0: self.seen(), 1: self.seen()}
        if self.t > 3:
            obs[2] = self.seen()
        rewards = {agent: float(sum(actions.values())) / 3 for agent in (0, 1)}
        ended = {1: self.t == 4, "__all__": False}
        return obs, rewards, ended, {"__all__": self.t >= self.length}, {}

env = Relay(9)
for episode in range(3):
    obs, _ = env.reset(seed=21 if episode == 0 else None)
    done = False
    while not done:
        obs, _, ended, cut, _ = env.step({agent: agent for agent in obs})
        obs = {agent: seen for agent, seen in obs.items() if not ended.get(agent)}
        done = cut["__all__"]
"""


def test_environments_that_return_dicts_by_agent_replay_exactly(recordings: Path) -> None:
    verdicts = judge(record(recordings, DICTS.replace("LUCK", "")), "script.py")
    assert {(v.status, v.reason) for v in verdicts} == {("exact", "")}
    assert [v.episode_id.partition(":")[2] for v in verdicts[:4]] == ["0", "1", "2", "1~1"]
    assert [v.episode_id.partition(":")[2] for v in verdicts[4:6]] == ["1", "0"]


def test_an_agent_that_sees_something_else_than_recorded_is_named_with_the_step(recordings: Path) -> None:
    lucky = DICTS.replace("LUCK", "+ (__import__('os').getpid() if self.t == 5 else 0)")
    verdicts = judge(record(recordings, lucky), "script.py")
    found = {v.episode_id.partition(":")[2]: (v.status, v.step, v.what) for v in verdicts[:4]}
    differs = ("diverged", 4, "obs[0]")
    assert found == {
        "0": differs,
        "1": ("exact", None, ""),
        "2": ("diverged", 0, "obs[0]"),
        "1~1": ("exact", None, ""),
    }


def test_lists_with_a_value_per_agent_are_refused_with_the_reason(recordings: Path) -> None:
    source = """
import gymnasium as gym

class Pair(gym.Env):
    def reset(self, *, seed=None, options=None):
        return [0, 0], {}

    def step(self, actions):
        return [1, 1], [0.5, 0.5], [True, True], [False, False], {}

env = Pair()
for _ in range(2):
    env.reset(seed=1)
    env.step([0, 1])
"""
    verdicts = judge(record(recordings, source), "script.py")
    reason = (
        "environments of several agents whose reset does not name them are recorded, and not replayed yet"
    )
    assert [v.reason for v in verdicts][1:] == [reason] * 4
    assert verdicts[0].steps == 0  # what the first reset began before a step told of several agents


def test_a_step_of_another_agent_that_differs_is_not_held_against_this_one(recordings: Path) -> None:
    with StoreReader(record(recordings, PARALLEL)) as reader:
        rows = reader.episodes()
    assert len({row.group for row in rows}) == 3
    assert {row.agent_id for row in rows} == {"player_0", "player_1"}


@pytest.mark.parametrize(
    ("deed", "how", "silence_secs"),
    [
        ("os.abort()", "SIGABRT", 60),
        ("os._exit(3)", "code 3", 60),
        ("__import__('time').sleep(99)", "said nothing for", 10),  # it must have begun by then
    ],
)
def test_whatever_happens_to_the_child_is_an_answer_with_its_last_words(
    recordings: Path, deed: str, how: str, silence_secs: float
) -> None:
    modules = {"crashes.py": CRASHES.format(deed=deed)}
    folder = record(recordings, CRASHES_LOOP, modules=modules)
    (verdict,) = judge(folder, "crashes", silence_secs=silence_secs)
    assert verdict.status == "cannot"
    assert how in verdict.reason
    assert "about to fall over" in verdict.reason


def test_an_error_of_the_environment_is_a_difference(recordings: Path) -> None:
    modules = {"crashes.py": CRASHES.format(deed="raise ValueError('no more')")}
    (verdict,) = judge(record(recordings, CRASHES_LOOP, modules=modules), "crashes")
    assert (verdict.status, verdict.step, verdict.what) == ("diverged", 1, "raised")
    assert "no more" in verdict.now


def test_an_interpreter_that_is_not_there_is_refused(cartpole: RunFolder) -> None:
    with (
        StoreReader(cartpole) as reader,
        Resimulator(cartpole, reader, python="/no/such/python") as resimulator,
    ):
        verdict = resimulator.judge(reader.episode(0))
    assert "/no/such/python" in verdict.reason


def test_it_is_replayed_by_the_interpreter_of_the_process_that_recorded_the_episode(recordings: Path) -> None:
    other = """
        import json, os
        import mosaic_worker
        hello = {"type": "hello", "protocol": 1, "producer": "aaa", "t": 0, "seq": 0}
        hello["executable"] = "/gone/python3"
        os.makedirs(os.environ["MOSAIC_RUN_DIR"] + "/journal", exist_ok=True)
        with open(os.environ["MOSAIC_RUN_DIR"] + "/journal/aaa-0000.jsonl", "w") as file:
            file.write(json.dumps(hello) + chr(10))
        """
    loop = LOOP.format(imports="", make="'CartPole-v1'", seed=1, episodes=1, steps=5)
    folder = record(recordings, dedent(other) + loop)
    with StoreReader(folder) as reader:
        _, _, first = next(iter(reader.events("hello")))
        assert json.loads(first)["executable"] == "/gone/python3"
    (verdict,) = judge(folder)
    assert (verdict.status, verdict.notes) == ("exact", [])


def test_a_judged_episode_gives_no_frames_once_its_process_is_gone(cartpole: RunFolder) -> None:
    with StoreReader(cartpole) as reader, Resimulator(cartpole, reader) as resimulator:
        row = reader.episode(0)
        with pytest.raises(ReplayError, match="open the episode again"):
            list(resimulator.draw(row, [0]))
