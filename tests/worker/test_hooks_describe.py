"""How to rebuild an environment, as it says of itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy
import pytest
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.utils.wrappers import BaseWrapper

from mosaic_worker.hooks import describe as describing
from mosaic_worker.hooks import pettingzoo_origin
from mosaic_worker.hooks.describe import describe, describe_vector, note_registration


@pytest.fixture(autouse=True)
def no_registrants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describing, "_registrants", {})


def test_a_made_environment_tells_its_id_arguments_wrappers_spaces_and_versions() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=False, max_episode_steps=17)
    found = describe(env, "gymnasium")
    env.close()
    assert (found["api"], found["id"], found["kwargs"]["is_slippery"]) == (
        "gymnasium",
        "FrozenLake-v1",
        False,
    )
    assert found["entry_point"] == "gymnasium.envs.toy_text.frozen_lake:FrozenLakeEnv"
    assert found["max_episode_steps"] == 17
    assert found["spaces"] == {"observation": "Discrete(16)", "action": "Discrete(4)"}
    assert found["wrappers"][0] == "gymnasium.wrappers.common:TimeLimit"
    assert found["wrappers"][-1] == "gymnasium.wrappers.common:PassiveEnvChecker"
    assert found["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["versions"]["gymnasium"] == gymnasium.__version__
    assert found["versions"]["numpy"] == numpy.__version__
    assert "module" not in found
    assert "additional_wrappers" not in found


def bare(**fields: Any) -> Any:
    env = SimpleNamespace(**fields)
    env.unwrapped = env
    return env


def test_without_a_spec_the_class_and_its_module_are_told() -> None:
    found = describe(bare(), "gym")
    assert (found["id"], found["kwargs"]) == (None, None)
    assert (found["entry_point"], found["module"]) == ("types:SimpleNamespace", "types")
    assert found["spaces"] == {"observation": None, "action": None}
    assert found["wrappers"] == []
    assert "max_episode_steps" not in found
    assert "file" not in found


def spec(**fields: Any) -> Any:
    return SimpleNamespace(**{"id": "Door-v0", "entry_point": "door:Door", **fields})


def test_the_module_that_registered_an_id_is_told_unless_it_is_the_api_itself() -> None:
    note_registration("Door-v0", "my_envs.doors")
    assert describe(bare(spec=spec()), "gymnasium")["module"] == "my_envs.doors"
    note_registration("Door-v0", "gymnasium.envs.registration")
    assert "module" not in describe(bare(spec=spec()), "gymnasium")


def test_what_a_script_itself_registered_is_told_with_the_scripts_file() -> None:
    note_registration("Door-v0", "__main__")
    found = describe(bare(spec=spec()), "gymnasium")
    assert found["module"] == "__main__"
    assert found["file"] == getattr(sys.modules["__main__"], "__file__", "")


class Door:
    pass


@pytest.mark.parametrize(
    ("entry", "expected"),
    [("door:Door", "door:Door"), (Door, f"{__name__}:Door"), (None, "types:SimpleNamespace")],
)
def test_an_entry_point_is_a_text_a_callable_or_the_class(entry: Any, expected: str) -> None:
    assert describe(bare(spec=spec(entry_point=entry)), "gymnasium")["entry_point"] == expected


def test_arguments_of_old_specs_are_found_under_their_old_name() -> None:
    assert describe(bare(spec=spec(_kwargs={"size": 4})), "gym")["kwargs"] == {"size": 4}
    assert describe(bare(spec=spec(kwargs={"size": 5}, _kwargs={})), "gym")["kwargs"] == {"size": 5}
    assert describe(bare(spec=spec()), "gym")["kwargs"] == {}


def test_the_time_limit_is_the_outermost_wrappers_or_else_the_specs() -> None:
    def wrapped(limit: Any) -> Any:
        base = bare(spec=spec(max_episode_steps=100))
        layer = SimpleNamespace(env=base, unwrapped=base)
        if limit is not None:
            layer._max_episode_steps = limit
        return SimpleNamespace(env=layer, unwrapped=base)

    assert describe(wrapped(9), "gymnasium")["max_episode_steps"] == 9
    assert describe(wrapped(None), "gymnasium")["max_episode_steps"] == 100
    assert describe(bare(spec=spec()), "gymnasium")["max_episode_steps"] is None


def test_wrappers_that_the_spec_asked_for_are_told_with_their_arguments() -> None:
    added = [
        SimpleNamespace(entry_point="my:Wrap", kwargs={"n": 2}),
        SimpleNamespace(entry_point="my:B", kwargs=None),
    ]
    found = describe(bare(spec=spec(additional_wrappers=added)), "gymnasium")
    assert found["additional_wrappers"] == [
        {"entry_point": "my:Wrap", "kwargs": {"n": 2}},
        {"entry_point": "my:B", "kwargs": {}},
    ]


def test_a_huge_space_is_cut_short() -> None:
    class Space:
        def __repr__(self) -> str:
            return "x" * 5000

    assert len(describe(bare(observation_space=Space()), "gymnasium")["spaces"]["observation"]) == 2000


def test_a_wrapper_that_wraps_itself_does_not_go_on_for_ever() -> None:
    env = bare()
    env.env = env
    assert len(describe(env, "gymnasium")["wrappers"]) == 64


def test_a_vector_environment_tells_how_many_and_when_it_resets() -> None:
    env = gymnasium.make_vec("CartPole-v1", num_envs=3, vectorization_mode="vector_entry_point")
    found = describe_vector(env, "gymnasium")
    env.close()
    assert (found["id"], found["vector"], found["num_envs"]) == ("CartPole-v1", True, 3)
    assert found["autoreset"] == env.metadata["autoreset_mode"].value
    assert found["spaces"]["action"] == "Discrete(2)"
    assert found["versions"]["gymnasium"] == gymnasium.__version__
    assert describe_vector(bare(num_envs=2), "gym")["autoreset"] is None


def test_every_field_of_a_description_is_in_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "events.md").read_text()
    table = text.partition("### `env` of a `reset`")[2].partition("## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall("`([a-z_]+)`", row.split("|")[1])}
    single = gymnasium.make("FrozenLake-v1")
    vector = gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="vector_entry_point")
    written = {
        *describe(single, "gymnasium"),
        *describe_vector(vector, "gymnasium"),
        *pettingzoo_origin.describe(BaseWrapper(tictactoe.env()), "pettingzoo-aec"),
    }
    source = "".join(
        (Path(describing.__file__).parent / name).read_text()
        for name in ("describe.py", "constructing.py", "pettingzoo_origin.py")
    )
    written |= set(re.findall(r'found\["([a-z_]+)"\] =', source))
    assert written - {"observation", "action"} <= documented
    assert {"around", "coded", "unrecorded", "config"} <= documented
