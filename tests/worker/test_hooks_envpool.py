"""EnvPool: each row of a result goes to the position its `env_id` names, in every API and in async mode.

The package here has EnvPool's shape: a mixin that is not an environment, and classes a metaclass would make.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mosaic_worker.hooks.envpool import rows_of
from tests.worker.reading import Outcome, record

if TYPE_CHECKING:
    from pathlib import Path

MIXIN = """
import numpy as np

class EnvPoolMixin:
    "Counts to 2 + its number in each position, then restarts in the next step, whatever the action."
    def __init__(self, num_envs):
        self.config = {"num_envs": num_envs, "batch_size": num_envs}
        self._queue, self._n, self._over = [], [0] * num_envs, [False] * num_envs

    def send(self, action, env_id=None):
        ids = range(self.config["num_envs"]) if env_id is None else env_id
        for given, i in zip(action, ids):
            i = int(i)
            if self._over[i]:
                self._n[i], self._over[i] = 0, False
                self._queue.append((i, 0.0, False))
            else:
                self._n[i] += 1
                self._over[i] = self._n[i] == 2 + i
                self._queue.append((i, float(given), self._over[i]))

    def recv(self, reset=False, return_info=True):
        rows, self._queue = self._queue, []
        ids = np.array([i for i, _, _ in rows])
        return self._to(ids, np.array([self._n[i] for i in ids]), rows, reset)

    def async_reset(self):
        self._queue = [(i, 0.0, False) for i in range(self.config["num_envs"])]

    def reset(self, env_id=None):
        self.async_reset()
        return self.recv(reset=True)

    def step(self, action, env_id=None):
        self.send(action, env_id)
        return self.recv(reset=False)

    def close(self):
        pass
"""
REGISTRY = """
import gymnasium as gym, numpy as np
from envpool.python.envpool import EnvPoolMixin

class Gymnasium(EnvPoolMixin, gym.vector.VectorEnv, gym.Env):
    metadata = {"autoreset_mode": gym.vector.AutoresetMode.NEXT_STEP}
    def _to(self, ids, obs, rows, reset):
        if reset:
            return obs, {"env_id": ids}
        over = np.array([o for _, _, o in rows])
        return obs, np.array([r for _, r, _ in rows]), over, over & False, {"env_id": ids}

class EnvRegistry:
    def make(self, task_id, env_type, **kwargs):
        return Gymnasium(kwargs["num_envs"])

registry = EnvRegistry()

def make_gymnasium(task_id, **kwargs):
    return registry.make(task_id, "gymnasium", **kwargs)
"""


def played(folder: Path, script: str) -> Outcome:
    package = folder / "libs" / "envpool"
    (package / "python").mkdir(parents=True)
    (package / "__init__.py").write_text("from envpool.registration import make_gymnasium\n")
    (package / "python" / "__init__.py").touch()
    (package / "python" / "envpool.py").write_text(MIXIN)
    (package / "registration.py").write_text(REGISTRY)
    done = record(folder, script, more_path=str(folder / "libs"))
    assert done.code == 0, done.stderr
    assert "hook_errors" not in done.events("bye")[0], done.stderr
    return done


def ended(done: Outcome) -> list[tuple[int, int, float]]:
    return [
        (e.get("env_index", 0), e["steps"], e["return"])
        for e in done.events("episode")
        if e["outcome"] != "cut"
    ]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_pool_is_the_vector_environment_it_is(tmp_path: Path, way: str) -> None:
    loops = {
        "sync": "env.reset()\nfor _ in range(6):\n    env.step(np.full(2, 5))",
        "async": "env.async_reset()\nids = env.recv()[-1]['env_id']\nsent = np.full(2, 5)\n"
        "for _ in range(6):\n    env.send(sent, ids[::-1])\n    sent[:] = 0\n"
        "    ids = env.recv()[-1]['env_id']\n    sent[:] = 5",
    }
    done = played(
        tmp_path,
        f"import numpy as np, envpool\nenv = envpool.make_gymnasium('Count-v0', num_envs=2)\n{loops[way]}",
    )
    # Position 0 ends every second step and restarts in the third, position 1 one later.
    assert sorted(ended(done)) == [(0, 2, 10.0), (0, 2, 10.0), (1, 3, 15.0)]
    resets = done.events("reset")
    assert len({reset["group"] for reset in resets}) == 1
    assert resets[0]["env"]["id"] == "Count-v0"
    assert resets[0]["env"]["kwargs"] == {"num_envs": 2}
    assert [step["action"] for step in done.events("step")] == [5] * len(done.events("step"))


def test_results_of_every_api_are_read() -> None:
    ids = np.array([3, 1])
    two = rows_of((np.zeros(2), {"env_id": ids}))
    assert (two.ids, two.reward) == ([3, 1], None)
    done, cut = np.array([True, True]), np.array([False, True])
    old = rows_of((np.zeros(2), np.ones(2), done, {"env_id": ids, "TimeLimit.truncated": cut}))
    assert (old.terminated.tolist(), old.truncated.tolist()) == ([True, False], [False, True])
    state: Any = SimpleNamespace(
        step_type=np.array([2, 2]),
        reward=np.ones(2),
        discount=np.array([0.0, 1.0]),
        observation=SimpleNamespace(env_id=ids, obs=np.zeros(2)),
    )
    stamped = rows_of(state)
    assert (stamped.terminated.tolist(), stamped.truncated.tolist()) == ([True, False], [False, True])
    with pytest.raises(ValueError, match="4 rewards for 2"):
        rows_of((np.zeros(2), np.ones(4), done, cut, {"env_id": ids}))


def test_the_role_of_a_pool_is_read_off_the_name_it_is_kept_under(tmp_path: Path) -> None:
    make = "envpool.make_gymnasium('Count-v0', num_envs=2)"
    done = played(
        tmp_path,
        f"import envpool\nmade = [{make}, {make}]\nenvs, eval_envs = made\nenvs.reset()\neval_envs.reset()",
    )
    assert [reset.get("role") for reset in done.events("reset")] == [None, None, "eval", "eval"]
