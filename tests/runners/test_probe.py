"""Real environments in real children: good ones, and those that crash, hang, lie and miss their files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.runners.probe import Findings, probe

if TYPE_CHECKING:
    from pathlib import Path

MISFITS = '''
"""Environments that misbehave on purpose."""
import os, sys, time
import gymnasium
import numpy as np
from gymnasium.envs.registration import register

class Base(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(-1, 1, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    def __init__(self, render_mode=None, size=1):
        self.render_mode = render_mode
        self.size = size
        print("noise on stdout", '{"about": "env", "kind": "lie"}', flush=True)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(3, np.float32), {}
    def step(self, action):
        return np.zeros(3, np.float32), 0.0, False, False, {}
    def render(self):
        return np.zeros((8, 10, 3), np.uint8)

class Aborts(Base):
    def render(self):
        os.abort()

class NoRom(Base):
    def __init__(self, **kwargs):
        raise gymnasium.error.Error('We are unable to find the game "Pong". Note: ROMs must be installed.')

class Hangs(Base):
    def __init__(self, **kwargs):
        time.sleep(600)

class Exits(Base):
    def step(self, action):
        sys.exit("no step today")

class Dies(Base):
    def reset(self, **kwargs):
        os._exit(9)

class Masked(Base):
    def action_masks(self):
        return [True] * 4

class Sized(Base):
    def __init__(self, render_mode=None, size=1):
        super().__init__(render_mode)
        if size != 8:
            raise ValueError("size must be 8, got %s" % size)

for one in (Base, Aborts, NoRom, Hangs, Exits, Dies, Masked, Sized):
    register(one.__name__ + "-v0", entry_point=one)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder with a module of environments in it."""
    path = tmp_path_factory.mktemp("user")
    (path / "misfits.py").write_text(MISFITS)
    return path


def _try(env_id: str, folder: Path | None = None, **options: object) -> Findings:
    return probe(sys.executable, env_id=env_id, steps=5, cwd=str(folder) if folder else None, **options)  # type: ignore[arg-type]


def test_a_good_environment_is_made_stepped_and_drawn() -> None:
    found = _try("CartPole-v1", imports=["gymnasium", "no_such_framework"], gpu=True)
    assert found.env is not None
    assert (found.env.kind, found.env.id, found.steps, found.masks) == ("ok", "CartPole-v1", 5, False)
    assert found.action is not None
    assert (found.action.kind, found.action.n) == ("Discrete", 2)
    assert found.observation is not None
    assert (found.observation.kind, found.observation.bytes) == ("Box", 16)
    assert (found.render, found.render_text) == (True, "600x400 pixels")
    assert list(found.missing) == ["no_such_framework"]
    assert found.python == list(sys.version_info[:3])
    assert found.gpu is not None
    assert found.trouble == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("CartPol-v1", "CartPole-v1"),
        ("cartpole-v1", "CartPole-v1"),
        ("Taxi-v1", "Taxi-v"),
        ("Qqqqq-v0", None),
    ],
)
def test_an_unknown_id_is_answered_with_the_nearest(typed: str, meant: str | None) -> None:
    found = _try(typed)
    assert found.env is not None
    assert found.env.kind == "unknown"
    assert (found.env.near is None) if meant is None else str(found.env.near).startswith(meant)


def test_a_module_of_the_users_is_imported_in_the_child_only_and_its_prints_do_no_harm(folder: Path) -> None:
    found = _try("misfits:Base-v0", folder)
    assert found.env is not None
    assert (found.env.kind, found.render, found.render_text) == ("ok", True, "10x8 pixels")
    assert "misfits" not in sys.modules


def test_a_crash_while_drawing_is_a_sentence_and_the_rest_is_known(folder: Path) -> None:
    found = _try("misfits:Aborts-v0", folder)
    assert found.env is not None
    assert found.env.kind == "ok"
    assert found.steps == 5
    assert (found.render, found.render_text) == (False, "drawing it ended the process")
    assert "was ended by SIGABRT" in found.trouble


def test_a_missing_rom_is_told_from_other_failures(folder: Path) -> None:
    found = _try("misfits:NoRom-v0", folder)
    assert found.env is not None
    assert found.env.kind == "rom"
    assert "unable to find the game" in found.env.text


def test_an_environment_that_hangs_is_ended(folder: Path) -> None:
    found = _try("misfits:Hangs-v0", folder, timeout_secs=3)
    assert found.env is None
    assert "did not answer within 3 s" in found.trouble


def test_an_environment_that_cannot_be_stepped_is_told(folder: Path) -> None:
    found = _try("misfits:Exits-v0", folder)
    assert (found.steps, found.step_error) == (0, "SystemExit: no step today")
    found = _try("misfits:Dies-v0", folder)
    assert found.steps == 0
    assert "ended with code 9" in found.trouble


def test_action_masks_and_arguments_are_seen(folder: Path) -> None:
    assert _try("misfits:Masked-v0", folder).masks is True
    found = _try("misfits:Sized-v0", folder)
    assert found.env is not None
    assert (found.env.kind, found.env.text) == ("error", "ValueError: size must be 8, got 1")
    assert _try("misfits:Sized-v0", folder, kwargs={"size": 8}).steps == 5


def test_a_package_that_is_not_there_is_named(folder: Path) -> None:
    found = _try("no_such_module:X-v0", folder)
    assert found.env is not None
    assert found.env.kind == "dependency"
    assert "no_such_module" in found.env.text


def test_pettingzoo_ids_are_known_with_their_agents() -> None:
    found = probe(sys.executable, env_id="pettingzoo.classic.tictactoe_v3")
    assert found.env is not None
    assert (found.env.kind, found.env.agents, found.masks) == ("ok", ["player_1", "player_2"], True)
    found = probe(sys.executable, env_id="pettingzoo/classic/tictactoe_v4")
    assert found.env is not None
    assert (found.env.kind, found.env.near) == ("unknown", "pettingzoo.classic.tictactoe_v3")


def test_an_interpreter_that_is_none_is_a_sentence() -> None:
    assert "cannot be started" in probe("/nowhere/python").trouble
    assert "ended with code" in probe("/bin/false").trouble
    assert "no probe answers" in probe("/bin/echo").trouble or probe("/bin/echo").env is None
