"""Environments that scripts make in every way they like, recorded and replayed for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.errors import ConsentNeededError
from mosaic.paths import RunFolder
from mosaic.replay.verdicts import Verdict
from mosaic.store.reader import StoreReader
from tests.replay.recorded import record
from tests.replay.test_resimulator import judge

HEAD = """
from pathlib import Path
import gymnasium as gym
import numpy as np
"""
ENV = """
STRIDE = 3

class Walk(gym.Env):
    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, size=(4, 4), *, start=0.5, policy=None, render_mode=None):
        self.cells = size + (1,)
        self.start = start
        self.policy = policy
        self.wind = 0.0
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        self.at = self.start + self.np_random.random()
        return np.array([self.at, len(self.cells)]), {}

    def step(self, action):
        self.count += 1
        self.at += STRIDE * action + self.wind
        if self.policy is not None:
            self.at += self.policy(action)
        return np.array([self.at, self.cells[0]]), self.at, self.count == 4, False, {}
"""
PLAY = """
def play(env):
    for _ in range(2):
        env.reset()
        while not any(env.step(1)[2:4]):
            pass
"""
ONCE = """
ran = Path(__file__).with_name("ran")
ran.write_text((ran.read_text() if ran.exists() else "") + "again ")
"""
"""What an unguarded script does when it is run: it leaves a trace."""


def statuses(verdicts: list[Verdict]) -> list[str]:
    return [verdict.status for verdict in verdicts]


def ran(folder: RunFolder) -> str:
    return (folder.path.parent.parent.parent / f"work-{folder.path.name}" / "ran").read_text()


@pytest.mark.parametrize(
    "made",
    [
        'gym.register("W-v0", entry_point="__main__:Walk", max_episode_steps=3)\nenv = gym.make("W-v0")',
        'gym.register("Walk-v0", entry_point=Walk, kwargs={"size": (2, 9)})\nenv = gym.make("Walk-v0")',
        'gym.register("Walk-v0", entry_point=lambda **k: Walk(start=2.0, **k))\nenv = gym.make("Walk-v0")',
        "env = Walk((7, 7, 7), start=np.float32(0.1))",
        "env = Walk()\nenv.wind = 0.25\nenv.cells = (8, 8)",
    ],
)
@pytest.mark.parametrize("guarded", [True, False])
def test_an_environment_of_the_script_itself_is_rebuilt_and_the_script_is_not_run_again(
    recordings: Path, made: str, *, guarded: bool
) -> None:
    body = f"{ONCE}\n{made}\nplay(env)\n"
    if guarded:
        body = 'if __name__ == "__main__":\n    ' + body.replace("\n", "\n    ")
    folder = record(recordings, HEAD + ENV + PLAY + body)
    with pytest.raises(ConsentNeededError, match="__main__"):
        judge(folder)
    assert statuses(judge(folder, "__main__")) == ["exact", "exact"]
    assert ran(folder) == "again "


def test_an_id_registered_inside_a_function_is_registered_again_from_its_recorded_entry_point(
    recordings: Path,
) -> None:
    body = """
def main():
    gym.register("Walk-v0", entry_point=Walk, max_episode_steps=3)
    play(gym.make("Walk-v0", start=1.5))

main()
"""
    folder = record(recordings, HEAD + ENV + PLAY + body)
    verdicts = judge(folder, "__main__")
    assert [(verdict.status, verdict.steps) for verdict in verdicts] == [("exact", 3), ("exact", 3)]


def test_what_a_function_without_a_name_made_is_constructed_again(recordings: Path) -> None:
    source = (
        HEAD
        + ENV
        + """
import functools

def sized(size):
    class Sized(Walk):
        def __init__(self, config, **kwargs):
            super().__init__(size, start=config.pop("start"), **kwargs)
    return Sized

Five = sized((5, 5))

def main():
    gym.register("Five-v0", entry_point=functools.partial(Five, {"start": 2.5}), max_episode_steps=4)
    play(gym.make("Five-v0"))
"""
        + PLAY
        + "main()\n"
    )
    assert set(statuses(judge(record(recordings, source), "script.py"))) == {"exact"}


def test_attributes_changed_after_make_are_changed_again(recordings: Path) -> None:
    body = """
gym.register("Walk-v0", entry_point=Walk)
env = gym.make("Walk-v0")
env.unwrapped.wind = np.float64(0.1)
play(env)
"""
    folder = record(recordings, HEAD + ENV + PLAY + body)
    assert statuses(judge(folder, "__main__")) == ["exact", "exact"]


def test_an_argument_that_is_not_plain_data_is_named_when_the_replay_comes_out_otherwise(
    recordings: Path,
) -> None:
    folder = record(recordings, HEAD + ENV + PLAY + "play(Walk(policy=lambda action: 2.0))\n")
    for verdict in judge(folder, "__main__"):
        assert (verdict.status, verdict.step) == ("diverged", 0)
        assert "policy (function)" in verdict.reason


def test_a_needed_line_that_trains_is_refused_with_the_way_out(recordings: Path) -> None:
    body = """
class Critic:
    def learn(self):
        return 2.0

LEARNED = Critic().learn()

class Judged(Walk):
    def step(self, action):
        obs, reward, over, cut, info = super().step(action)
        return obs, reward * LEARNED, over, cut, info

play(Judged())
"""
    folder = record(recordings, HEAD + ENV + PLAY + body)
    for verdict in judge(folder, "__main__"):
        assert verdict.status == "cannot"
        assert "would call learn()" in verdict.reason
        assert "module of its own" in verdict.reason


def test_arguments_on_the_command_line_and_modules_beside_the_script_are_there_again(
    recordings: Path,
) -> None:
    modules = {"beside.py": "BONUS = 0.75\n"}
    body = """
import argparse
from beside import BONUS
parser = argparse.ArgumentParser()
parser.add_argument("--factor", type=float, default=2.0)
args = parser.parse_args()

class Paid(Walk):
    def step(self, action):
        obs, reward, over, cut, info = super().step(action)
        return obs, reward * args.factor + BONUS, over, cut, info

play(Paid())
"""
    folder = record(recordings, HEAD + ENV + PLAY + body, modules=modules)
    assert statuses(judge(folder, "__main__")) == ["exact", "exact"]


ZOO = """
import functools
import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils import BaseParallelWrapper

class Duel(ParallelEnv):
    metadata = {"name": "duel", "render_fps": 7}
    possible_agents = ["a", "b"]

    def __init__(self, rounds, stakes=(1.0, 2.0)):
        self.rounds, self.stakes = rounds, stakes + (0.5,)

    def observation_space(self, agent):
        return spaces.Box(-np.inf, np.inf, (1,), np.float64)

    def action_space(self, agent):
        return spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.agents, self.count = list(self.possible_agents), 0
        return {agent: np.zeros(1) for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(self, actions):
        self.count += 1
        over = self.count >= self.rounds
        found = {agent: np.array([self.stakes[k] * self.count]) for k, agent in enumerate(self.agents)}
        ends = {agent: over for agent in self.agents}
        rewards = {agent: float(action) for agent, action in actions.items()}
        names = list(self.agents)
        if over:
            self.agents = []
        return found, rewards, ends, dict.fromkeys(names, False), {agent: {} for agent in names}

class Louder(BaseParallelWrapper):
    def __init__(self, env, factor):
        super().__init__(env)
        self.factor = factor

    def step(self, actions):
        found, rewards, *rest = super().step(actions)
        return {agent: obs * self.factor for agent, obs in found.items()}, rewards, *rest

def parallel_env(**kwargs):
    return Louder(Duel(**kwargs), 3.0)
"""


def test_a_pettingzoo_environment_of_ones_own_comes_back_with_its_arguments_and_wrappers(
    recordings: Path,
) -> None:
    source = """
    import duel
    env = duel.parallel_env(rounds=3, stakes=(5.0, 6.0))
    env.reset(seed=1)
    while env.agents:
        env.step({agent: 1 for agent in env.agents})
    """
    folder = record(recordings, source, modules={"duel.py": ZOO})
    assert statuses(judge(folder, "duel")) == ["exact", "exact"]
    with StoreReader(folder) as reader:
        env = reader.reset(0)["env"]
    assert env["render_fps"] == 7
    assert env["kwargs"] == {"rounds": 3, "stakes": {"tuple": [5.0, 6.0]}}


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        ("np.random.random()", "numpy's global generator"),
        ("random.random()", "Python's global generator"),
        ("time.time()", "reads the clock"),
        ("np.random.default_rng().random()", "from the operating system"),
    ],
)
def test_a_difference_names_what_the_environment_depends_on_besides_its_record(
    recordings: Path, drawn: str, said: str
) -> None:
    body = f"""
import random, time
class Loose(Walk):
    def step(self, action):
        obs, reward, over, cut, info = super().step(action)
        return obs, reward + {drawn}, over, cut, info

play(Loose())
"""
    folder = record(recordings, HEAD + ENV + PLAY + body)
    for verdict in judge(folder, "__main__"):
        assert verdict.status == "diverged"
        assert said in verdict.reason


def test_a_difference_names_the_file_that_changed_since(recordings: Path) -> None:
    folder = record(recordings, "import walk\nwalk.play(walk.Walk())", modules={"walk.py": HEAD + ENV + PLAY})
    assert statuses(judge(folder, "walk")) == ["exact", "exact"]
    file = folder.path.parent.parent.parent / f"work-{folder.path.name}" / "walk.py"
    file.write_text(file.read_text().replace("STRIDE = 3", "STRIDE = 5"))
    for verdict in judge(folder, "walk"):
        assert verdict.status == "diverged"
        assert "walk.py has changed since" in verdict.reason


ADAPTER = """
import gymnasium as gym
import pettingzoo.utils
from pettingzoo.classic import connect_four_v3

class Alone({bases}):
    def __init__(self, env, *, bonus):
        {init}
        self.game = env
        self.bonus = bonus

    def reset(self, seed=None, options=None):
        self.game.reset(seed, options)
        self.action_space = self.game.action_space(self.game.possible_agents[0])
        return self.game.observe(self.game.agent_selection)["observation"], {{}}

    def step(self, action):
        agent = self.game.agent_selection
        self.game.step(action)
        seen = self.game.observe(self.game.agent_selection)["observation"]
        paid = self.game._cumulative_rewards[agent] + self.bonus
        return seen, paid, self.game.terminations[agent], self.game.truncations[agent], {{}}

env = gym.Wrapper(Alone(connect_four_v3.env(), bonus=0.5))
for column in (3, 2):
    env.reset(seed=1)
    while not any(env.step(column)[2:4]):
        column = (column + 1) % 7
"""
BASE = "pettingzoo.utils.BaseWrapper"


@pytest.mark.parametrize(
    ("bases", "init"),
    [
        (f"{BASE}, gym.Env", f"{BASE}.__init__(self, env)"),
        (f"gym.Env, {BASE}", f"{BASE}.__init__(self, env)"),
        ("gym.Env", ""),
    ],
)
def test_a_gymnasium_adapter_around_a_pettingzoo_environment_is_put_around_it_again(
    recordings: Path, bases: str, init: str
) -> None:
    verdicts = judge(record(recordings, ADAPTER.format(bases=bases, init=init)), "__main__")
    assert [verdict.status for verdict in verdicts] == ["exact", "exact"]
    assert all(verdict.steps > 4 for verdict in verdicts)


SECRET = """
class Guarded(Walk):
    def __init__(self, api_key, **kwargs):
        super().__init__(**kwargs)
"""


@pytest.mark.parametrize(
    "made",
    [
        'Guarded("hunter2hunter2")',
        'gym.make("Guarded-v0", api_key="hunter2hunter2")',
        'gym.make("Guarded-v0", api_key={"token": (1, "hunter2hunter2")})',
        'gym.make("Guarded-v0", api_key=b"hunter2hunter2")',
    ],
)
def test_a_secret_among_the_arguments_is_not_recorded_and_the_replay_says_so(
    recordings: Path, made: str
) -> None:
    body = f'gym.register("Guarded-v0", entry_point=Guarded)\nplay({made})\n'
    folder = record(recordings, HEAD + ENV + SECRET + PLAY + body)
    kept = b"".join(file.read_bytes() for file in folder.journal.iterdir())
    assert b"hunter2" not in kept
    assert b"aHVudGVyMmh1bnRlcj" not in kept  # the same in base 64
    for verdict in judge(folder, "__main__"):
        assert verdict.status == "cannot"
        assert "'api_key' held a secret, and secrets are not recorded" in verdict.reason


def test_a_secret_among_the_options_of_a_reset_is_not_recorded_and_the_replay_says_so(
    recordings: Path,
) -> None:
    body = """
env = Walk()
env.reset(seed=1, options={"api_key": "hunter2hunter2", "level": 3})
while not any(env.step(1)[2:4]):
    pass
"""
    folder = record(recordings, HEAD + ENV + body)
    assert b"hunter2" not in b"".join(file.read_bytes() for file in folder.journal.iterdir())
    (verdict,) = judge(folder, "__main__")
    assert verdict.status == "diverged"
    assert "options of its reset held a secret" in verdict.sentence()


def test_an_argument_of_a_factory_that_is_not_plain_data_is_named(recordings: Path) -> None:
    source = """
from pettingzoo.classic import rps_v2

class Rounds(int):
    pass

env = rps_v2.parallel_env(num_actions=3, max_cycles=Rounds(3))
for seed in (1, 2):
    env.reset(seed=seed)
    while env.agents:
        env.step({agent: 1 for agent in env.agents})
"""
    verdicts = judge(record(recordings, source))
    assert len(verdicts) == 4
    for verdict in verdicts:
        assert verdict.status == "diverged"
        assert "max_cycles (__main__.Rounds)" in verdict.reason


LATER = """
env = {made}
for number in range(4):
    env.unwrapped.wind = {wind}
    env.unwrapped.start = 1.0 if number else env.unwrapped.start
    env.reset()
    while not any(env.step(1)[2:4]):
        pass
"""


@pytest.mark.parametrize("made", ["Walk()", 'gym.make("Walk-v0", disable_env_checker=True)'])
def test_attributes_changed_between_episodes_are_changed_again(recordings: Path, made: str) -> None:
    body = LATER.format(made=made, wind="0.25 * (number // 2)")
    folder = record(recordings, HEAD + ENV + 'gym.register("Walk-v0", entry_point=Walk)' + body)
    assert [(one.status, one.way) for one in judge(folder, "__main__")] == [("exact", "alone")] * 4


def test_an_attribute_changed_between_episodes_that_is_not_plain_data_is_named(recordings: Path) -> None:
    rate = "class Rate(float):\n    pass\n"
    body = LATER.format(made="Walk()", wind="Rate(number)")
    first, *others = judge(record(recordings, HEAD + ENV + rate + body), "__main__")
    assert first.status == "exact"
    for verdict in others:
        assert verdict.status == "diverged"
        assert "wind (__main__.Rate)" in verdict.reason
