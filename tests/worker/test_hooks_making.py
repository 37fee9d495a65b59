"""Where environments come from: `make`, `register` and new classes of a small library, hooked on import."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker import hooks, report
from mosaic_worker.hooks import describe
from mosaic_worker.hooks.envs import EnvHooks
from mosaic_worker.hooks.making import is_vector, replace_function, watch_core, watch_registration
from mosaic_worker.recorder import Recorder
from tests.worker.reading import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CORE = """
class Env:
    unwrapped = property(lambda self: self)
    def reset(self, seed=None): raise NotImplementedError
    def step(self, action): raise NotImplementedError
    def close(self): pass

class Wrapper(Env):
    def __init__(self, env): self.env = env
    def reset(self, **kwargs): return self.env.reset(**kwargs)
    def step(self, action): return self.env.step(action)
"""
REGISTRATION = """
known = {}
def register(id, entry_point=None):
    "Put it on the list."
    known[id] = entry_point
def make(id, **kwargs):
    "Take it off the list."
    return known[id](**kwargs)
"""
WALK = """
from walklib.core import Env
class Walk(Env):
    def __init__(self): self.reset()
    def reset(self, seed=None): self.x = 0; return self.x, {}
    def step(self, action): self.x += 1; return self.x, 1.0, self.x == 2, False, {}
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EnvHooks]:
    """A library built like gym, which nobody has imported yet, and the hooks that wait for it."""
    folder = tmp_path / "walklib"
    (folder / "envs").mkdir(parents=True)
    (folder / "core.py").write_text(CORE)
    (folder / "envs" / "registration.py").write_text(REGISTRATION)
    (folder / "envs" / "__init__.py").write_text("from walklib.envs.registration import make, register\n")
    (folder / "__init__.py").write_text(
        "from walklib.core import Env, Wrapper\nfrom walklib.envs import make, register\n"
    )
    (tmp_path / "walks.py").write_text(WALK)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(describe, "_registrants", {})
    exact, prefixes, meta = dict(hooks._exact), list(hooks._prefixes), list(sys.meta_path)
    recorder = Recorder(str(tmp_path))
    yield EnvHooks(recorder, "walklib")
    recorder.close()
    hooks._exact.clear()
    hooks._exact.update(exact)
    hooks._prefixes[:] = prefixes
    sys.meta_path[:] = meta
    for name in [name for name in sys.modules if name.partition(".")[0] in ("walklib", "walks")]:
        del sys.modules[name]


def lines(folder: Path) -> list[str]:
    return [event["type"] for events in read_journal(folder).values() for event in events]


def play(env: Any) -> None:
    env.reset()
    env.step(0)
    env.step(0)


@pytest.mark.parametrize("imported", [False, True])
def test_what_make_returns_is_recorded_wherever_make_is_taken_from(
    library: EnvHooks, tmp_path: Path, imported: bool
) -> None:
    if imported:  # the script may be faster than we are: then it holds the functions already
        importlib.import_module("walklib")
    watch_core(library)  # so that every reset is noticed, also one inside of `make`
    watch_registration(library)
    package: Any = importlib.import_module("walklib")
    places = [package, package.envs, package.envs.registration]
    assert len({place.make for place in places}) == len({place.register for place in places}) == 1
    assert (package.make.__name__, package.make.__doc__) == ("make", "Take it off the list.")
    assert package.register.__doc__ == "Put it on the list."
    walks: Any = importlib.import_module("walks")
    package.register("Walk-v0", entry_point=walks.Walk)
    env = package.make("Walk-v0")
    assert type(env) is walks.Walk
    assert lines(tmp_path) == []  # that it reset itself while it was made is no episode
    play(env)
    assert lines(tmp_path) == ["hello", "reset", "step", "step", "episode"]


def test_an_environment_that_cannot_be_made_says_so_to_the_script(library: EnvHooks, tmp_path: Path) -> None:
    watch_registration(library)
    package: Any = importlib.import_module("walklib")
    before = report.counts()
    with pytest.raises(KeyError, match="Nothing-v0"):
        package.make("Nothing-v0")
    package.register("Odd-v0", entry_point=lambda: 7)
    assert package.make("Odd-v0") == 7  # whatever it is, the script gets it
    assert report.counts() == before


def test_who_registers_an_id_is_noted(library: EnvHooks) -> None:
    watch_registration(library)
    package: Any = importlib.import_module("walklib")
    package.register("Walk-v0", entry_point=dict)
    package.register(id="Run-v0", entry_point=dict)
    scope = {"__name__": "somebody.elses", "lib": package}
    exec("lib.register('Swim-v0')", scope)
    assert describe._registrants == {
        "Walk-v0": __name__,
        "Run-v0": __name__,
        "Swim-v0": "somebody.elses",
    }
    assert package.envs.registration.known["Run-v0"] is dict


def test_an_environment_that_a_script_constructs_itself_is_recorded(
    library: EnvHooks, tmp_path: Path
) -> None:
    watch_core(library)
    walks: Any = importlib.import_module("walks")
    env = walks.Walk()  # it resets itself in its constructor: that is its first reset
    play(env)
    assert lines(tmp_path).count("step") == 2
    assert walks.Walk.reset.__name__ == "reset"


def test_wrappers_and_vector_environments_are_left_alone(library: EnvHooks) -> None:
    watch_core(library)
    core: Any = importlib.import_module("walklib.core")

    class Around(core.Wrapper):  # type: ignore[misc]
        def reset(self, **kwargs: Any) -> Any:
            return self.env.reset(**kwargs)

    class VectorEnv(core.Env):  # type: ignore[misc]
        def reset(self, **kwargs: Any) -> Any:
            return [0], {}

    class Mine(VectorEnv):
        def reset(self, **kwargs: Any) -> Any:
            return [0], {}

    class Plain(core.Env):  # type: ignore[misc]
        def reset(self, **kwargs: Any) -> Any:
            return 0, {}

    watched = [hasattr(vars(kind)["reset"], "_mosaic_hook") for kind in (Around, VectorEnv, Mine, Plain)]
    assert watched == [False, False, False, True]
    assert [is_vector(kind) for kind in (Around, VectorEnv, Mine, Plain)] == [False, True, True, False]


@pytest.mark.parametrize("own", [True, False])
def test_what_a_library_does_itself_when_a_class_is_defined_is_still_done(
    library: EnvHooks, own: bool
) -> None:
    core: Any = importlib.import_module("walklib.core")
    born: list[Any] = []

    class Above:
        def __init_subclass__(cls, **kwargs: Any) -> None:
            born.append((cls.__name__, kwargs))

    class Base(Above):
        def reset(self) -> Any:
            return 0, {}

    if own:
        Base.__init_subclass__ = classmethod(lambda cls, **kwargs: born.append((cls.__name__, kwargs)))  # type: ignore[assignment]
    core.Env, core.Wrapper = Base, type("Wrapper", (), {})
    born.clear()
    watch_core(library)

    class Child(Base, flavour="mint"):
        def reset(self) -> Any:
            return 0, {}

    assert born == [("Child", {"flavour": "mint"})]
    assert hasattr(vars(Child)["reset"], "_mosaic_hook")


def test_a_class_that_cannot_be_watched_is_defined_all_the_same(
    library: EnvHooks, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any) -> None:
        raise ValueError("not this one")

    watch_core(library)
    core: Any = importlib.import_module("walklib.core")
    monkeypatch.setattr(library, "watch_constructed", refuse)
    monkeypatch.setattr(report, "_counts", {})
    monkeypatch.setattr(report, "_said", set())
    assert type("Fine", (core.Env,), {}).__name__ == "Fine"
    assert report.counts() == {"walklib class": 1}
    assert "not this one" in capfd.readouterr().err


def test_a_function_of_somebody_elses_in_the_same_place_is_not_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, other, ours = object(), object(), object()
    lowest: Any = SimpleNamespace(make=original)
    packages = {"lib": SimpleNamespace(make=other), "lib.envs": SimpleNamespace(make=original)}
    for name, package in packages.items():
        monkeypatch.setitem(sys.modules, name, package)
    replace_function("lib", lowest, "make", ours)
    assert (lowest.make, packages["lib.envs"].make, packages["lib"].make) == (ours, ours, other)
