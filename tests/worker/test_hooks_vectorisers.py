"""Vector environments of other libraries: each member has its position, and all of them one group.

The packages here have the shapes of Tianshou's, XuanCe's and TorchRL's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.worker.reading import record

if TYPE_CHECKING:
    from pathlib import Path

TIANSHOU = """
class BaseVectorEnv:
    def __init__(self, env_fns, worker_fn, wait_num=None):
        self.envs = [worker_fn(fn) for fn in env_fns]

class DummyVectorEnv(BaseVectorEnv):
    def __init__(self, env_fns, wait_num=None):
        super().__init__(env_fns, lambda fn: fn(), wait_num)
"""
XUANCE = """
class DummyVecEnv:
    def __init__(self, env_fns, env_seed):
        self.envs = [fn(env_seed=env_seed + index) for index, fn in enumerate(env_fns)]
"""
TORCHRL = """
class BatchedEnvBase:
    def __init__(self, num_workers, create_env_fn):
        self.single = len(set(create_env_fn)) == 1
        self.create_env_fn = create_env_fn

class SerialEnv(BatchedEnvBase):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert self.single
        self.envs = [Outer(fn()) for fn in self.create_env_fn]

class Outer:
    "A module of torch keeps its parts apart."
    def __init__(self, env):
        self._modules = {"base_env": env}
    def reset(self):
        self._modules["base_env"].reset()
"""
KINDS = {
    "tianshou": ("tianshou.env.venvs", TIANSHOU, "venvs.DummyVectorEnv([make] * 3)"),
    "xuance": ("xuance.environment.dummy", XUANCE, "dummy.DummyVecEnv([make] * 3, 7)"),
    "torchrl": ("torchrl.envs.batched_envs", TORCHRL, "batched_envs.SerialEnv(3, [make] * 3)"),
}


@pytest.mark.parametrize("library", KINDS)
def test_members_know_their_position_and_their_group(tmp_path: Path, library: str) -> None:
    name, source, made = KINDS[library]
    *packages, last = name.split(".")
    folder = tmp_path / "libs"
    for package in packages:
        folder /= package
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
    (folder / f"{last}.py").write_text(source)
    done = record(
        tmp_path,
        f"import gymnasium as gym\nfrom {'.'.join(packages)} import {last}\n"
        "def make(env_seed=None):\n    return gym.wrappers.ClipReward(gym.make('CartPole-v1'), -1, 1)\n"
        f"for env in {made}.envs:\n    env.reset()\n",
        more_path=str(tmp_path / "libs"),
    )
    assert done.stderr == ""
    resets = done.events("reset")
    assert [reset.get("env_index", 0) for reset in resets] == [0, 1, 2]
    assert len({reset["group"] for reset in resets}) == 1
