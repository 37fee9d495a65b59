"""Scripts are described from their source, however odd, and nothing of them runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.protocol.cards import Algorithm, RunnerCard
from mosaic.runners.cards import problems
from mosaic.runners.own.cleanrl_scripts import Script, ScriptError, read_script, words
from tests.frameworks.places import CHECKOUT

TYRO = '''
"""One line about it.

And more.
"""
import os
from dataclasses import dataclass, field
from typing import List, Literal, Optional, Union
import typing
import gymnasium as gym
import torch.nn as nn
from cleanrl_utils.buffers import ReplayBuffer
raise SystemExit("nobody may run me")

@dataclass
class Args:
    """The whole configuration."""
    exp_name: str = os.path.basename(__file__)[: -len(".py")]
    """the name of
    this experiment"""
    seed: int = 1
    cuda: bool = True
    """if toggled, cuda will be enabled"""
    wandb_entity: str = None
    env_id: str = "Acrobot-v1"
    total_timesteps: int = int(5e5)
    learning_rate: float = 1
    target_kl: Optional[float] = None
    clip: "float | None" = 0.2
    norm: Union[int, None] = 3
    backend: typing.Literal["gloo", "nccl"] = "gloo"
    steps: int = 1e3
    device_ids: List[int] = field(default_factory=lambda: [])
    odd: bool = bool(os.environ)
    wrong: int = "three"
    _private: int = 3
    batch_size: int = 0
    """the batch size (computed in runtime)"""

    def helper(self):
        return 1

if __name__ == "__main__":
    import wandb
    envs = gym.make_vec("x")
    assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete"
'''


@pytest.fixture(name="tyro")
def read_tyro() -> Script:
    return read_script(TYRO, name="ppo")


def test_fields_of_args_become_typed_parameters_with_their_text(tyro: Script) -> None:
    found = {parameter.name: parameter for parameter in tyro.parameters}
    assert list(found) == [
        "exp_name",
        "cuda",
        "wandb_entity",
        "learning_rate",
        "target_kl",
        "clip",
        "norm",
        "backend",
        "steps",
    ]
    assert (found["exp_name"].help, found["exp_name"].default) == ("the name of this experiment", None)
    assert (found["learning_rate"].type, found["learning_rate"].default) == ("float", 1.0)
    assert isinstance(found["learning_rate"].default, float)
    assert (found["steps"].type, found["steps"].default) == ("int", 1000)
    assert (found["target_kl"].type, found["target_kl"].optional) == ("float", True)
    assert (found["clip"].default, found["clip"].optional) == (0.2, True)
    assert (found["norm"].type, found["norm"].default) == ("int", 3)
    assert (found["backend"].type, found["backend"].choices) == ("choice", ["gloo", "nccl"])
    assert found["wandb_entity"].optional
    assert (found["cuda"].group, found["cuda"].advanced) == ("Experiment", True)
    assert (found["clip"].group, found["clip"].advanced) == ("Algorithm", False)


def test_what_belongs_to_the_job_is_known_but_no_parameter(tyro: Script) -> None:
    assert {"env_id", "seed", "total_timesteps"} <= set(tyro.flags)
    assert (tyro.default_env, tyro.default_steps) == ("Acrobot-v1", 500_000)
    assert tyro.help == "One line about it."


def test_what_is_no_plain_value_is_named_as_left_out(tyro: Script) -> None:
    assert tyro.left_out == ["device_ids", "odd", "wrong"]


def test_imports_are_those_of_every_run(tyro: Script) -> None:
    assert {"gymnasium", "torch.nn", "cleanrl_utils.buffers"} <= set(tyro.imports)
    assert "wandb" not in tyro.imports


def test_flags_are_spelt_as_tyro_reads_them(tyro: Script) -> None:
    flags = tyro.flags
    assert words(flags["learning_rate"], 2.5e-4) == ["--learning-rate", "0.00025"]
    assert words(flags["learning_rate"], -1.0) == ["--learning-rate=-1.0"]
    assert words(flags["cuda"], False) == ["--no-cuda"]
    assert words(flags["cuda"], True) == ["--cuda"]
    assert words(flags["backend"], "nccl") == ["--backend", "nccl"]


ARGPARSE = """
import argparse
from distutils.util import strtobool
def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("-s", "--seed", type=int, default=1, help="seed of the experiment")
    parser.add_argument("--env-id", type=str, default="pong_v3")
    parser.add_argument("--capture_video", type=lambda x: bool(strtobool(x)), default=False, nargs="?",
                        const=True)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--no-log", action="store_false", dest="log")
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--kl", type=float)
    parser.add_argument("--opt", choices=["adam", "sgd"], default="adam")
    parser.add_argument("--level", type=int, choices=[1, 2], default=1)
    parser.add_argument("--broken-bool", type=bool, default=False)
    parser.add_argument("--many", action="append")
    return parser.parse_args()
"""


def test_older_scripts_are_read_from_their_add_argument_calls() -> None:
    script = read_script(ARGPARSE, name="old_continuous_action")
    found = {name: (flag.parameter.type, flag.style) for name, flag in script.flags.items()}
    assert found == {
        "seed": ("int", "value"),
        "env_id": ("str", "value"),
        "capture_video": ("bool", "word"),
        "fast": ("bool", "on"),
        "log": ("bool", "off"),
        "gamma": ("float", "value"),
        "kl": ("float", "value"),
        "opt": ("choice", "value"),
    }
    assert script.left_out == ["level", "broken_bool", "many"]
    assert words(script.flags["capture_video"], True) == ["--capture_video", "true"]
    assert words(script.flags["capture_video"], False) == ["--capture_video", "false"]
    assert words(script.flags["fast"], True) == ["--fast"]
    assert words(script.flags["fast"], False) == []
    assert words(script.flags["log"], False) == ["--no-log"]
    assert script.flags["log"].parameter.default is True


@pytest.mark.parametrize(
    ("name", "assertion", "actions"),
    [
        ("x", "assert isinstance(envs.single_action_space, gym.spaces.Box)", ["Box"]),
        (
            "x",
            "assert isinstance(envs.action_space, (Discrete, MultiDiscrete))",
            ["Discrete", "MultiDiscrete"],
        ),
        ("x_continuous_action", "", ["Box"]),
        ("x", "assert args.num_envs == 1", ["Discrete"]),
    ],
)
def test_the_action_space_is_what_is_asserted_else_what_the_name_says(
    name: str, assertion: str, actions: list[str]
) -> None:
    source = f"class Args:\n    env_id: str = 'a'\n{assertion}\n"
    assert read_script(source, name=name).actions == actions


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("class Args:\n  env_id: str = 'a\n", "not Python"),
        ("import numpy\nx = 1\n", "neither a dataclass Args nor"),
        ("class Args:\n    pass\n", "neither a dataclass Args nor"),
        ("class Args:\n    seed: int = 1\n", "takes no --env-id"),
        ("class Args:\n    def f(self):\n        env_id: str = 'a'\n", "neither a dataclass Args nor"),
        ("\0", "not Python"),
        ("(" * 5000, "not Python"),
        (b"\xff\xfe\x00", "not Python"),
    ],
)
def test_a_file_that_is_no_such_script_is_refused_with_the_reason(source: str | bytes, reason: str) -> None:
    with pytest.raises(ScriptError, match=reason):
        read_script(source, name="odd")


@given(st.text())
def test_no_annotation_and_no_default_breaks_the_reading(text: str) -> None:
    source = f"class Args:\n    env_id: str = 'a'\n    x: {text} = {text}\n"
    try:
        script = read_script(source, name="odd")
    except ScriptError:
        return
    assert "env_id" in script.flags


ANNOTATIONS = [
    "int",
    "float",
    "bool",
    "str",
    "int | None",
    "Literal['a']",
    "x.y",
    "'int'",
    "list[int]",
    "'('",
]
DEFAULTS = ["1", "1.5", "None", "True", "'a'", "1e400", "-1e400", "f()", "[1]", "...", "1j", "b'a'", "'b'"]


@pytest.mark.parametrize("default", DEFAULTS)
@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_whatever_is_offered_makes_a_right_card(annotation: str, default: str) -> None:
    script = read_script(f"class Args:\n    env_id: str = 'a'\n    x: {annotation} = {default}\n", name="odd")
    assert ("x" in script.flags) != ("x" in script.left_out)
    made = RunnerCard(id="a", title="A", algorithms=[Algorithm(id="odd", parameters=script.parameters)])
    assert problems(made) == []


def test_our_own_scripts_in_the_idiom_are_all_read() -> None:
    names = sorted(path.stem for path in (CHECKOUT / "cleanrl").glob("*.py"))
    found = [read_script((CHECKOUT / "cleanrl" / f"{name}.py").read_bytes(), name=name) for name in names]
    assert [script.name for script in found] == names
    assert {script.name: script.actions for script in found}["ppo_continuous_action"] == ["Box"]
