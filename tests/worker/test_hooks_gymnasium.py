"""Unmodified gymnasium scripts, recorded: what the journal holds equals what the script itself counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mosaic_worker import rng
from tests.worker.reading import Outcome, record

if TYPE_CHECKING:
    from pathlib import Path

COUNTING = """
import json
import gymnasium as gym

def play(env, episodes, seed=None):
    "Play with random actions; what an attentive script would count."
    counted = []
    for number in range(episodes):
        obs, _ = env.reset(seed=seed) if number == 0 else env.reset()
        total, steps, over = 0.0, 0, False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            total += float(reward)
            steps += 1
            over = bool(terminated or truncated)
        counted.append([steps, total, "terminated" if terminated else "truncated"])
    return counted
"""


def episodes_of(outcome: Outcome) -> list[list[Any]]:
    return [[e["steps"], e["return"], e["outcome"]] for e in outcome.events("episode")]


def check_steps(outcome: Outcome) -> None:
    """Every episode's steps are there, numbered, and add up to its return."""
    steps: dict[str, list[dict[str, Any]]] = {}
    for step in outcome.events("step"):
        steps.setdefault(step["episode_id"], []).append(step)
    for episode in outcome.events("episode"):
        mine = steps.pop(episode["episode_id"], [])
        assert [step["step"] for step in mine] == list(range(episode["steps"]))
        assert sum(step["reward"] for step in mine) == episode["return"]
    assert not steps


def test_a_plain_loop_is_recorded_exactly(tmp_path: Path) -> None:
    done = record(tmp_path, COUNTING + 'print(json.dumps(play(gym.make("CartPole-v1"), 4, seed=7)))')
    assert done.stderr == ""
    assert episodes_of(done) == done.said
    check_steps(done)
    resets = done.events("reset")
    assert [(r.get("seed"), r.get("seeded", False)) for r in resets] == [(7, True)] + [(None, False)] * 3
    described = resets[0]["env"]
    assert described["id"] == "CartPole-v1"
    assert described["max_episode_steps"] == 500
    assert "Box" in described["spaces"]["observation"]
    assert described["versions"]["gymnasium"]
    assert all("env" not in reset for reset in resets[1:])
    (events,) = done.producers.values()
    assert events[-1]["type"] == "bye"
    assert events[-1]["events"] == len(events)


def test_an_unseeded_episode_can_be_played_again_from_its_recorded_random_state(tmp_path: Path) -> None:
    gym = pytest.importorskip("gymnasium")
    done = record(tmp_path, COUNTING + 'print(json.dumps(play(gym.make("CartPole-v1"), 3)))')
    reset = done.events("reset")[1]
    env = gym.make("CartPole-v1")
    env.reset(seed=0)
    rng.restore(reset["rng"], env.unwrapped.np_random)
    obs, _ = env.reset()
    assert encoded(obs) == reset["obs"]
    for step in done.events("step"):
        if step["episode_id"] == reset["episode_id"]:
            obs, *_ = env.step(step["action"])
            assert encoded(obs) == step["obs"]
    env.close()


def encoded(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    from mosaic_worker.values import plain

    found: dict[str, Any] = plain(array)
    return found


def test_recording_leaves_the_random_stream_alone(tmp_path: Path) -> None:
    script = """
    import sys, gymnasium as gym
    env = gym.make("CartPole-v1")
    env.reset(seed=3)
    print([env.reset()[0].tolist() for _ in range(3)], "mosaic_worker" in sys.modules)
    """
    import subprocess
    import sys
    from textwrap import dedent

    recorded = record(tmp_path, script).stdout
    bare = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=True)
    assert recorded.replace("True", "False") == bare.stdout


@pytest.mark.parametrize(
    "wrapped",
    [
        "gym.wrappers.RecordEpisodeStatistics(gym.make('CartPole-v1'))",
        "gym.wrappers.TimeLimit(gym.make('CartPole-v1', max_episode_steps=15), 40)",
        "gym.wrappers.TimeLimit(gym.wrappers.TimeLimit(gym.make('CartPole-v1'), 500), 400)",
        "Own(gym.make('CartPole-v1', disable_env_checker=True))",
        "gym.wrappers.TransformReward(gym.make('CartPole-v1'), lambda r: r)",
        "Holder()",
        "Deeper()",
    ],
)
def test_wrapping_never_counts_a_step_twice(tmp_path: Path, wrapped: str) -> None:
    done = record(
        tmp_path,
        COUNTING
        + f"""
class Own(gym.Wrapper):
    def step(self, action):
        return super().step(action)

class Holder(gym.Env):
    "Not a wrapper: an environment that steps another one inside."
    def __init__(self):
        self.inner = gym.make("CartPole-v1")
        self.observation_space, self.action_space = self.inner.observation_space, self.inner.action_space
    def reset(self, *, seed=None, options=None):
        self.old = True
        return self.inner.reset(seed=seed)
    def step(self, action):
        if self.old:  # resets the inner one in the middle of a step, too
            self.old = False
            self.inner.reset()
        return self.inner.step(action)

class Deeper(Holder):
    def reset(self, **kwargs):
        return super().reset(**kwargs)
    def step(self, action):
        return super().step(action)

print(json.dumps(play({wrapped}, 3, seed=1)))
""",
    )
    assert done.stderr == ""
    assert episodes_of(done) == done.said
    check_steps(done)


DIRECT = (
    COUNTING
    + """
import numpy as np

class Corridor(gym.Env):
    observation_space = gym.spaces.Dict(
        {"place": gym.spaces.Discrete(9), "view": gym.spaces.Box(-1, 1, (3,), np.float64)}
    )
    action_space = gym.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return self.look(), {}
    def look(self):
        return {"place": self.place, "view": np.full(3, self.place / 9)}
    def step(self, action):
        self.place += 1
        return self.look(), 0.1 * self.place, self.place == 5, False, {}
"""
)


@pytest.mark.parametrize("made", ["Corridor()", "gym.wrappers.OrderEnforcing(Corridor())"])
def test_an_environment_that_never_saw_make_is_recorded_as_constructed(tmp_path: Path, made: str) -> None:
    done = record(tmp_path, DIRECT + f"print(json.dumps(play({made}, 3)))")
    assert done.stderr == ""
    assert episodes_of(done) == done.said
    described = done.events("reset")[0]["env"]
    assert described["entry_point"] == "__main__:Corridor"
    assert described["id"] is None
    assert described["file"].endswith("script.py")
    assert done.events("step")[0]["obs"]["place"] == 1
    assert done.events("step")[0]["obs"]["view"]["nd"] == "<f8"


def test_an_environment_the_script_registers_names_its_module(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DIRECT
        + """
gym.register("Own/Corridor-v0", Corridor, kwargs={}, max_episode_steps=3)
print(json.dumps(play(gym.make("Own/Corridor-v0"), 2)))
""",
    )
    assert episodes_of(done) == done.said
    assert {e["outcome"] for e in done.events("episode")} == {"truncated"}
    described = done.events("reset")[0]["env"]
    assert (described["id"], described["module"]) == ("Own/Corridor-v0", "__main__")


def test_a_deep_copy_searched_in_mid_episode_does_not_disturb_the_recording(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import copy, json, pickle
        import gymnasium as gym
        env = gym.make("CartPole-v1")
        env.reset(seed=0)
        total = 0
        for _ in range(6):
            for action in (0, 1):
                branch = copy.deepcopy(env)
                assert type(branch) is type(env)
                for _ in range(3):
                    branch.step(action)
            obs, reward, terminated, truncated, _ = env.step(0)
            total += 1
        assert not terminated
        branch.reset(seed=1)  # from here on the copy is an environment of its own
        branch.step(1)
        print(json.dumps(total))
        """,
    )
    assert done.stderr == ""
    first, second = done.events("reset")
    assert first["env_key"] != second["env_key"]
    mine = [step for step in done.events("step") if step["episode_id"] == first["episode_id"]]
    assert [step["step"] for step in mine] == list(range(done.said))
    check_steps(done)


def test_a_pickled_environment_loads_without_us(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DIRECT
        + """
import pickle, sys
env = Corridor()
env.reset()
data = pickle.dumps(env)
assert b"mosaic_worker" not in data
again = pickle.loads(data)
again.step(0)
print(json.dumps(again.place))
""",
    )
    assert done.stderr == ""
    assert done.said == 1
    assert len(done.events("step")) == 0


def test_a_reset_before_the_end_cuts_and_so_do_close_and_exit(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import gymnasium as gym
        a, b, c = (gym.make("CartPole-v1") for _ in range(3))
        for env in (a, b, c):
            env.reset(seed=1)
            env.step(0)
        a.reset()
        b.close()
        """,
    )
    assert sorted(episodes_of(done)) == [[0, 0.0, "cut"]] + [[1, 1.0, "cut"]] * 3
    check_steps(done)


def test_what_breaks_in_a_hook_is_said_once_counted_and_never_reaches_the_script(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import gymnasium as gym
        import mosaic_worker.episodes as episodes
        def broken(self, *args):
            raise RuntimeError("on purpose")
        episodes.Track.step = broken
        env = gym.make("CartPole-v1")
        env.reset(seed=1)
        for _ in range(5):
            env.step(0)
        print('"still here"')
        """,
    )
    assert done.code == 0
    assert done.said == "still here"
    assert done.stderr.count("\n") == 1
    assert "on purpose" in done.stderr
    assert done.events("bye")[0]["hook_errors"] == {"gymnasium step": 5}


def test_an_error_of_the_environment_reaches_the_script_unchanged(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        DIRECT
        + """
Corridor.step = lambda self, action: 1 // 0
env = Corridor()
env.reset()
try:
    env.step(0)
except ZeroDivisionError as error:
    print(json.dumps(str(error)))
""",
    )
    assert "division" in done.said
    assert done.stderr == ""


def test_odd_actions_rewards_and_signatures_are_recorded_faithfully(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        """
        import gymnasium as gym, numpy as np
        class Odd(gym.Env):
            reward = np.zeros(1)
            def reset(self, **kwargs):
                return (1, 2), {}
            def step(self, chosen, extra=0):
                self.reward[0] += 1  # the same array, refilled in place
                return (1, 2), self.reward[0] if extra else float(self.reward[0]), False, False, {}
        env = Odd()
        env.reset(options={"level": 2})
        for action in (1, True, 1.0, np.int64(1), np.array([0.5], np.float32), {"a": 1}, "go", None):
            env.step(chosen=action, extra=1)
        env.step(float("nan"))
        """,
    )
    assert done.stderr == ""
    assert done.events("reset")[0]["options"] == {"level": 2}
    actions = [step["action"] for step in done.events("step")]
    nd = {"nd": "<f4", "shape": [1], "b64": "AAAAPw=="}
    assert actions == [1, True, 1.0, 1, nd, {"a": 1}, "go", None, "NaN"]
    assert [type(action) for action in actions[:4]] == [int, bool, float, int]
    assert [step["reward"] for step in done.events("step")] == [float(n) for n in range(1, 10)]


MIXED = """
import json
import gymnasium as gym
import numpy as np

class Moves:
    "Not an environment: classes take their methods from here."
    def reset(self, *, seed=None, options=None):
        self.t = 0
        return START, {}
    def step(self, action):
        self.t += 1
        return PAID(1.0), PAID(1.0), PAID(self.t % 4 == 0), PAID(False), {}
"""


def test_methods_inherited_from_a_mixin_are_seen(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        MIXED.replace("START", "0").replace("PAID", "(lambda x: x)")
        + """
class Mixed(Moves, gym.Env):
    pass

class Further(Mixed):
    def reset(self, **kwargs):
        return super().reset(**kwargs)

for env in (Mixed(), Further()):
    for _ in range(2):
        env.reset()
        for _ in range(4):
            env.step(0)
""",
    )
    assert done.stderr == ""
    assert episodes_of(done) == [[4, 4.0, "terminated"]] * 4


def test_a_vector_environment_made_of_a_mixin_is_seen(tmp_path: Path) -> None:
    done = record(
        tmp_path,
        MIXED.replace("START", "np.zeros(2)").replace("PAID", "(lambda x: np.full(2, x))")
        + """
class Batch(Moves, gym.vector.VectorEnv):
    num_envs = 2
    metadata = {"autoreset_mode": gym.vector.AutoresetMode.DISABLED}

env = Batch()
env.reset()
for _ in range(4):
    env.step([0, 1])
""",
    )
    assert done.stderr == ""
    assert episodes_of(done) == [[4, 4.0, "terminated"]] * 2
    assert [reset.get("env_index", 0) for reset in done.events("reset")] == [0, 1]
