from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

from mosaic_worker.replay.build import Builder, ConsentError, RebuildError


def env(**more: Any) -> dict[str, Any]:
    return {"api": "gymnasium", "id": "CartPole-v1", "kwargs": {}, **more}


def test_an_environment_is_made_to_be_drawn_and_with_its_time_limit() -> None:
    made = Builder(env(max_episode_steps=7)).make()
    assert made.render_mode == "rgb_array"
    assert made._max_episode_steps == 7
    made.close()


def test_one_that_was_made_for_people_opens_no_window() -> None:
    made = Builder(env(kwargs={"render_mode": "human"}), frames=False).make()
    assert made.render_mode is None
    made.close()


@pytest.mark.parametrize(
    "described",
    [
        {"api": "gymnasium", "id": "X-v0", "module": "os_like"},
        {"api": "gymnasium", "id": None, "entry_point": "antigravity:Env"},
        {"api": "pettingzoo-aec", "module": "my.games", "function": "env"},
        {"api": "gymnasium", "id": "antigravity:X-v0", "kwargs": {}},
        {"api": "my_gym", "id": "X-v0"},
    ],
)
def test_no_module_is_imported_that_nobody_allowed(described: dict[str, Any]) -> None:
    before = set(sys.modules)
    with pytest.raises(ConsentError):
        Builder(described).make()
    assert "antigravity" not in set(sys.modules) - before


@pytest.mark.parametrize(
    ("described", "why"),
    [
        ({}, "not recorded"),
        (env(id="NoSuch-v3"), "knows no environment"),
        (env(kwargs={"nonsense": 1}), "nonsense"),
        (
            {"api": "gymnasium", "id": None, "entry_point": "gymnasium:f.<locals>.Env"},
            "cannot be found again",
        ),
        ({"api": "pettingzoo-parallel", "module": "pettingzoo.nothing", "function": "env"}, "cannot import"),
    ],
)
def test_what_cannot_be_built_says_why(described: dict[str, Any], why: str) -> None:
    with pytest.raises(RebuildError, match=why):
        Builder(described).make()


def test_a_module_beside_the_script_is_found_once_allowed(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("class Env:\n    def __init__(self): self.made = True\n")
    described = {"api": "gymnasium", "id": None, "entry_point": "beside_it:Env"}
    builder = Builder(described, allowed=["beside_it"], path=[str(tmp_path)])
    try:
        assert builder.make().made
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("beside_it", None)
    assert not builder.frames
    assert "arguments" in builder.notes[0]


def test_versions_then_and_now_are_told() -> None:
    builder = Builder(env(versions={"gymnasium": "0.1", "nothing": "1"}))
    builder.make().close()
    then, now = builder.versions()
    assert then["gymnasium"] == "0.1"
    assert now["gymnasium"] != "0.1"
    assert "nothing" not in now


@pytest.mark.parametrize(
    ("coded", "value"), [(False, "Infinity"), (True, {"float": "Infinity"})], ids=["before", "now"]
)
def test_arguments_are_read_in_the_way_they_were_recorded(coded: bool, value: Any) -> None:
    made = Builder(env(id="Pendulum-v1", kwargs={"g": value}, coded=coded)).make()
    assert made.unwrapped.g == math.inf
    made.close()
