"""What a script leaves and how its network is rebuilt, without torch; with it: tests/frameworks."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pytest

from mosaic_worker.drivers.cleanrl import single_file
from mosaic_worker.drivers.cleanrl.single_file import Held, understood
from mosaic_worker.drivers.kit.command import Refused


class Tensor:
    shape = (1,)


def test_arguments_are_kept_as_plain_values() -> None:
    args = types.SimpleNamespace(seed=1, lr=0.5, env_id="A-v0", kl=None, cuda=False, device=object(), ids=[1])
    assert single_file.arguments(args) == {"seed": 1, "lr": 0.5, "env_id": "A-v0", "kl": None, "cuda": False}
    assert single_file.arguments(None) == {}


def test_our_own_checkpoints_name_the_acting_network_first() -> None:
    data = {
        "format": single_file.FORMAT,
        "networks": {"actor": {"w": 1}, "qf1": {"w": 2}},
        "args": {"env_id": "A-v0"},
        "step": 7,
        "observations": [],
    }
    assert understood(data, "x") == Held({"w": 1}, {"env_id": "A-v0"}, 7, None)


def test_the_scripts_own_forms_are_understood() -> None:
    weights = {"layer.weight": Tensor()}
    assert understood(weights, "x").weights == weights
    assert understood((weights, {"q": Tensor()}), "x").weights == weights
    held = understood({"model_weights": weights, "args": {"n_atoms": 51, "odd": object()}}, "x")
    assert (held.weights, held.args) == (weights, {"n_atoms": 51})


@pytest.mark.parametrize("data", [None, 3, [], {}, {"a": 1}, (), ("a",), {"model_weights": 3}])
def test_anything_else_is_refused(data: Any) -> None:
    with pytest.raises(Refused, match="is not a checkpoint of a single-file script"):
        understood(data, "x.pt")


def test_a_script_is_found_in_the_checkout_or_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "cleanrl").mkdir()
    (tmp_path / "cleanrl" / "ppo.py").write_text("")
    expected = str(tmp_path / "cleanrl" / "ppo.py")
    assert single_file.script_in(str(tmp_path), "ppo") == expected
    assert single_file.script_in(str(tmp_path / "cleanrl"), "ppo") == expected
    with pytest.raises(Refused, match="no script 'dqn'"):
        single_file.script_in(str(tmp_path), "dqn")


def make(env_id: str, seed: int, idx: int, capture_video: bool, run_name: str, gamma: float) -> Any:
    return lambda: types.SimpleNamespace(step=None, made=(env_id, seed, idx, capture_video, gamma))


def test_an_environment_is_made_as_the_script_makes_it_with_the_arguments_of_the_training() -> None:
    module = types.SimpleNamespace(make_env=make, __file__="ppo.py")
    env = single_file.environment(module, "A-v0", Held({}, {"gamma": 0.5, "seed": 3}))
    assert env.made == ("A-v0", 3, 0, False, 0.5)


def test_what_nobody_knows_how_to_make_is_refused() -> None:
    with pytest.raises(Refused, match="no make_env"):
        single_file.environment(types.SimpleNamespace(__file__="p.py"), "A-v0", Held({}, {}))
    odd = types.SimpleNamespace(make_env=lambda env_id, difficulty: None, __file__="p.py")
    with pytest.raises(Refused, match="needs 'difficulty'"):
        single_file.environment(odd, "A-v0", Held({}, {}))


def test_the_returns_environments_remember_are_averaged() -> None:
    inner = types.SimpleNamespace(return_queue=[1.0, 2.0], env=None)
    outer = types.SimpleNamespace(env=inner)
    assert single_file.recent_returns(types.SimpleNamespace(envs=[outer, outer])) == {
        "return_mean": 1.5,
        "episodes": 4.0,
    }
    assert single_file.recent_returns(None) == {}
    assert single_file.statistics(types.SimpleNamespace(envs=[outer])) == []
