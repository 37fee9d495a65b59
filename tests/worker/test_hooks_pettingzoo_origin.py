"""How a PettingZoo environment was made: noted by its factory, found below its wrappers."""

from __future__ import annotations

import types
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils import EzPickle
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

from mosaic_worker import report, rng
from mosaic_worker.hooks import pettingzoo_origin as origin
from tests.worker.zoo import Counting, Leaving


@pytest.fixture(autouse=True)
def no_failures(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(report, "_counts", {})
    yield
    assert report.counts() == {}


def hooked(**functions: Any) -> Any:
    """A module with factories, hooked as when a script imports it."""
    module = types.ModuleType("pettingzoo.classic.game_v7")
    vars(module).update(functions)
    origin._hook_factories(module)
    return module


def counting() -> Any:
    return Counting()


def test_a_factory_notes_its_module_and_its_arguments() -> None:
    def env(names: Any = ("a", "b"), **kwargs: Any) -> Any:
        """Make one."""
        return Counting(names, **kwargs)

    module = hooked(env=env)
    found = origin.describe(module.env(("x", "y"), turns=3), "pettingzoo-aec")
    assert (found["module"], found["function"]) == ("pettingzoo.classic.game_v7", "env")
    assert found["kwargs"] == {"names": {"tuple": ["x", "y"]}, "turns": 3}
    assert (found["id"], found["api"], found["agents"]) == ("counting_v0", "pettingzoo-aec", ["x", "y"])
    assert "wrappers" not in found
    assert (module.env.__name__, module.env.__doc__) == ("env", "Make one.")
    assert "args" not in origin.describe(module.env(), "pettingzoo-aec")


def test_only_the_factories_of_a_module_are_hooked() -> None:
    def other() -> Any:
        return Counting()

    module = hooked(parallel_env=Leaving, raw_env=other, env=other)
    assert module.raw_env is other
    assert module.parallel_env is Leaving  # a class, not a function
    assert module.env is not other


def test_what_a_factory_raises_reaches_the_script_and_what_it_returns_too() -> None:
    def env() -> Any:
        raise ValueError("no board today")

    with pytest.raises(ValueError, match="no board today"):
        hooked(env=env).env()
    game = Counting()
    assert hooked(env=lambda: game).env() is game


def test_the_newest_factory_around_an_environment_counts() -> None:
    inner = hooked(env=tictactoe.env)
    outer = types.ModuleType("pettingzoo.classic.tictactoe_v9")
    vars(outer)["env"] = inner.env
    origin._hook_factories(outer)
    found = origin.describe(outer.env(), "pettingzoo-aec")
    assert found["module"] == "pettingzoo.classic.tictactoe_v9"


def test_wrappers_put_around_what_a_factory_made_are_named_outermost_first() -> None:
    made = hooked(env=counting).env()
    env = BaseWrapper(OrderEnforcingWrapper(made))
    found = origin.describe(env, "pettingzoo-aec")
    assert [name.rpartition(":")[2] for name in found["wrappers"]] == ["BaseWrapper", "OrderEnforcingWrapper"]
    assert found["wrappers"][0].partition(":")[0] == BaseWrapper.__module__
    assert found["function"] == "env"


def test_an_environment_nobody_noted_is_described_by_its_class() -> None:
    found = origin.describe(OrderEnforcingWrapper(Counting()), "pettingzoo-aec")
    assert (found["module"], found["function"], found["kwargs"]) == ("tests.worker.zoo", "Counting", {})
    assert [name.rpartition(":")[2] for name in found["wrappers"]] == ["OrderEnforcingWrapper"]
    assert "args" not in found


class Nameless(Counting, EzPickle):
    """Keeps its arguments as most of PettingZoo's own do; has no name in its metadata."""

    metadata = {}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        EzPickle.__init__(self, *args, **kwargs)
        Counting.__init__(self, *args, **kwargs)


def test_arguments_that_a_class_keeps_for_pickling_are_told() -> None:
    found = origin.describe(Nameless(("x",), turns=2), "pettingzoo-aec")
    assert (found["args"], found["kwargs"]) == ([{"tuple": ["x"]}], {"turns": 2})
    assert found["id"] == "Nameless"


def test_versions_of_what_it_takes_to_build_it_again_are_told() -> None:
    found = origin.describe(rps.env(), "pettingzoo-aec")
    assert found["versions"] == {
        "gymnasium": gymnasium.__version__,
        "numpy": np.__version__,
        "pettingzoo": pettingzoo.__version__,
    }


@pytest.mark.parametrize("by_name", [False, True])
def test_an_environment_from_the_registry_keeps_its_id_and_its_own_factory(by_name: bool) -> None:
    def make(env_type: str, id: Any, **kwargs: Any) -> Any:
        return factory() if kwargs.pop("noted") else Counting()

    factory = hooked(env=counting).env
    registration: Any = types.ModuleType("pettingzoo.env_registry.registration")
    registration.make = make
    origin._hook_make(registration)

    def made(noted: bool) -> dict[str, Any]:
        if by_name:
            env = registration.make("aec", id="classic/count-v1", noted=noted)
        else:
            env = registration.make("aec", types.SimpleNamespace(id="classic/count-v1"), noted=noted)
        return origin.describe(env, "pettingzoo-aec")

    found = made(True)
    assert (found["id"], found["function"]) == ("classic/count-v1", "env")
    assert found["module"] == "pettingzoo.classic.game_v7"
    found = made(False)
    assert (found["id"], found["module"], found["function"]) == ("classic/count-v1", "pettingzoo", "make")
    assert found["kwargs"]["noted"] is False


@pytest.mark.parametrize("name", ["_np_random", "np_random"])
def test_the_state_of_the_generator_at_the_core_is_told(name: str) -> None:
    core = Counting()
    env = OrderEnforcingWrapper(core)
    assert origin.rng_state(env) is None
    generator = np.random.default_rng(5)
    setattr(core, name, generator)
    state = origin.rng_state(env)
    assert rng.restore(state).random() == generator.random()
    setattr(core, name, "not a generator")
    assert origin.rng_state(env) is None


def test_a_real_environments_generator_is_found_once_it_is_seeded() -> None:
    env = rps.parallel_env()
    env.reset(seed=3)
    before = origin.rng_state(env)
    assert before == origin.rng_state(env)  # looking does not move it
