"""Ctrl-C at any place in our code: the script may go on, and what it does from then on is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mosaic_worker.hooks.envs import EnvHooks
from mosaic_worker.hooks.nesting import Nesting, wrap
from mosaic_worker.recorder import Recorder
from tests.worker.interrupting import everywhere
from tests.worker.reading import read_journal, record

REPOSITORY = str(Path(__file__).parents[2])
REWARDS = (0.5, 2.0)  # of either action: objects that stay, as many environments give them


class Env:
    """Ends after `length` steps. Its observations are arrays of `size` numbers."""

    spec = None
    metadata: dict[str, Any] = {}  # noqa: RUF012  (as environments have it)

    def __init__(self, *, length: int = 1_000_000, size: int = 4) -> None:
        self.unwrapped = self
        self.length, self.done = length, 0
        self.obs = np.zeros(size)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.done = 0
        return self.obs, {}

    def step(self, action: int) -> Any:
        self.done += 1
        return self.obs, REWARDS[action], self.done >= self.length, False, {}


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    made = Recorder(str(tmp_path), inline_bytes=1 << 20, segment_bytes=1 << 16)
    yield made
    made.close()
    check_journal(tmp_path)


def adopted(recorder: Recorder, **wanted: int) -> Env:
    class Fresh(Env):  # a class is hooked once: every recorder gets its own
        def step(self, action: int) -> Any:
            return super().step(action)

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            return super().reset(seed=seed, options=options)

    env = Fresh(**wanted)
    EnvHooks(recorder, "gymnasium").adopt(env)
    return env


def check_journal(run_dir: Path) -> list[dict[str, Any]]:
    """Whole lines, numbers without a hole (`read_journal` looks), nothing twice, every segment cut."""
    for segment in (run_dir / "journal").iterdir():
        assert b"\0" not in segment.read_bytes()
    events = [event for found in read_journal(run_dir).values() for event in found]
    keys = [(e["type"], e["episode_id"], e.get("step")) for e in events if "episode_id" in e]
    assert [key for key, count in Counter(keys).items() if count > 1] == []
    for event in events:
        if event["type"] == "step":
            assert event["reward"] == REWARDS[event["action"]]
    return events


def numbered(recorder: Recorder, act: Callable[[], object]) -> int:
    """How many lines it writes."""
    before = recorder._journal.next_seq
    act()
    return recorder._journal.next_seq - before


def goes_on(recorder: Recorder, env: Env) -> None:
    """A reset and two steps are recorded: three lines, besides the end of what was open before."""
    assert numbered(recorder, lambda: env.reset(seed=1)) in (1, 2)
    assert numbered(recorder, lambda: env.step(0)) == 1
    assert numbered(recorder, lambda: env.step(1)) == 1


def test_in_a_step(recorder: Recorder) -> None:
    env = adopted(recorder)
    env.reset(seed=1)
    actions = [0, 1]

    def prepare() -> Callable[[], object]:
        actions.reverse()
        return lambda: env.step(actions[0])

    def check() -> None:
        assert numbered(recorder, lambda: env.step(actions[1])) == 1

    assert everywhere(prepare, check, every=True) > 50


def test_in_the_last_step_of_an_episode_and_the_reset_after_it(recorder: Recorder) -> None:
    env = adopted(recorder, length=3)

    def prepare() -> Callable[[], object]:
        env.reset()
        env.step(0)
        env.step(1)
        return lambda: (env.step(0), env.reset())

    assert everywhere(prepare, lambda: goes_on(recorder, env), every=True) > 300


def test_in_the_first_reset_of_an_environment(recorder: Recorder) -> None:
    envs: list[Env] = []  # all of them: one that went away would write its end at any time

    def prepare() -> Callable[[], object]:
        envs.append(adopted(recorder))
        return lambda: envs[-1].reset(seed=3)

    assert everywhere(prepare, lambda: goes_on(recorder, envs[-1])) > 20


def test_in_a_step_that_changes_the_segment(recorder: Recorder) -> None:
    env = adopted(recorder, size=7000)  # a line fills a segment
    env.reset(seed=1)

    def check() -> None:
        assert numbered(recorder, lambda: env.step(1)) == 1

    assert everywhere(lambda: lambda: env.step(0), check, every=True) > 300
    journal = recorder._journal
    assert (journal._next, journal._old) == (None, [])


def test_in_a_step_that_needs_new_numbers(recorder: Recorder) -> None:
    env = adopted(recorder)
    env.reset(seed=1)

    def prepare() -> Callable[[], object]:
        while recorder._journal.next_seq % 1000:
            recorder.emit({"type": "log", "text": "x"})
        return lambda: env.step(0)

    def check() -> None:
        assert numbered(recorder, lambda: env.step(1)) == 1

    assert everywhere(prepare, check) > 20


def test_in_the_first_line_and_the_end_of_a_journal(tmp_path: Path) -> None:
    made: list[tuple[Recorder, Env]] = []

    def prepare() -> Callable[[], object]:
        folder = tmp_path / str(len(made))
        recorder = Recorder(str(folder))
        env = adopted(recorder)
        made.append((recorder, env))

        def act() -> None:
            env.reset(seed=1)
            env.step(0)
            recorder.close()

        return act

    def check() -> None:
        recorder, env = made[-1]
        goes_on(recorder, env)
        recorder.close()
        check_journal(Path(recorder.run_dir))

    assert everywhere(prepare, check) > 20


def test_in_a_hooked_function() -> None:
    told: list[int] = []

    class Owner:
        @staticmethod
        def inner(value: int) -> int:
            return value

        @staticmethod
        def outer(value: int) -> int:
            return Owner.inner(value)

    nesting = Nesting()
    for name in ("inner", "outer"):
        wrap(Owner, name, nesting, lambda _, result, *__: told.append(result))

    def check() -> None:
        told.clear()
        Owner.outer(7)
        assert told == [7]

    assert everywhere(lambda: lambda: Owner.outer(1), check, every=True) > 20


SCRIPT = """
import json, sys
sys.path.append({repository!r})
import gymnasium as gym, numpy as np
from tests.worker.interrupting import everywhere
from tests.worker.zoo import Counting, Growing
from mosaic_worker import current
{body}
print(json.dumps(everywhere(prepare, check)))
"""
MAKING = """
class Plain(gym.Env):
    observation_space = action_space = gym.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None): return 0, {}
    def step(self, action): return 0, 1.0, False, False, {}
gym.register("Plain-v0", entry_point=lambda: Plain())
def prepare(): return lambda: gym.make("Plain-v0", disable_env_checker=True).reset(seed=1)
def check():
    env = gym.make("Plain-v0", disable_env_checker=True)
    before = current()._journal.next_seq
    env.reset(seed=1); env.step(0)
    assert current()._journal.next_seq == before + 2
    env.close()
"""
VECTOR = """
class Pair(gym.vector.VectorEnv):
    num_envs = 2
    def reset(self, *, seed=None, options=None): return np.zeros(2), {}
    def step(self, actions):
        no = np.zeros(2, bool)
        return np.zeros(2), np.ones(2), no, no, {}
env = Pair()
def prepare(): return lambda: (env.reset(seed=1), env.step(np.zeros(2, int)))
def check():
    env.reset(seed=2)
    before = current()._journal.next_seq
    env.step(np.zeros(2, int))
    assert current()._journal.next_seq == before + 2
"""
AEC = """
env = Counting(turns=4)
def play():
    env.reset(seed=1)
    for agent in env.agent_iter():
        *_, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else 1)
def prepare(): return play
def check():
    env.reset(seed=2)
    before = current()._journal.next_seq
    play()
    assert current()._journal.next_seq - before == 2 * 4  # two agents: a reset, two steps, an end
"""
PARALLEL = """
env = Growing()
def play():
    env.reset(seed=1)
    for _ in range(4):
        env.step({agent: 1 for agent in env.agents})
def prepare(): return play
def check():
    env.reset(seed=2)
    before = current()._journal.next_seq
    play()
    assert current()._journal.next_seq - before == 1 + 2 + 3 + 1 + 2  # the first cut, two resets, …
"""


@pytest.mark.parametrize(
    "body", [MAKING, VECTOR, AEC, PARALLEL], ids=["making", "vector", "pettingzoo aec", "pettingzoo parallel"]
)
def test_in_other_environments(tmp_path: Path, body: str) -> None:
    done = record(tmp_path, SCRIPT.format(repository=REPOSITORY, body=body))
    assert done.code == 0, done.stderr
    assert done.said > 20
    keys = [(e["type"], e["episode_id"], e.get("step")) for e in done.events() if "episode_id" in e]
    assert [key for key, count in Counter(keys).items() if count > 1] == []
