"""Environment classes watched in this process: the outermost call is recorded, what lies inside is not."""

from __future__ import annotations

import copy
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker.hooks import envs
from mosaic_worker.hooks.envs import EnvHooks, inside, is_inside, patch, reset_arguments
from mosaic_worker.recorder import Recorder
from tests.worker.reading import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    made = Recorder(str(tmp_path))
    yield made
    made.close()


@pytest.fixture
def hooks(recorder: Recorder) -> EnvHooks:
    return EnvHooks(recorder, "gymnasium")


def told(tmp_path: Path) -> list[Any]:
    (found,) = read_journal(tmp_path).values()
    return [
        (e["type"], e.get("outcome", e.get("obs")))
        for e in found
        if e["type"] in ("reset", "step", "episode")
    ]


def counter(*, step: Any = None) -> type[Any]:
    """A new class each time: hooks stay on a class for ever. An episode has three steps."""

    class Counter:
        metadata = None
        spec = None
        observation_space = action_space = None
        closed = False
        at = 0

        @property
        def unwrapped(self) -> Any:
            return self

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            self.at = 0
            return 0, {}

        def close(self) -> None:
            self.closed = True

    def by_action(self: Any, action: Any) -> Any:
        self.at += 1
        return self.at, 0.5, self.at == 3, False, {}

    Counter.step = step or by_action  # type: ignore[attr-defined]
    return Counter


def test_an_adopted_environment_is_recorded_and_others_of_its_class_are_not(
    hooks: EnvHooks, tmp_path: Path
) -> None:
    kind = counter()
    env, other = kind(), kind()
    hooks.adopt(env)
    assert env.reset(seed=4) == (0, {})
    other.reset()
    other.step(0)
    assert [env.step(0)[0] for _ in range(3)] == [1, 2, 3]
    assert told(tmp_path) == [("reset", 0), ("step", 1), ("step", 2), ("step", 3), ("episode", "terminated")]
    assert isinstance(env, kind)
    assert kind.step.__name__ == "by_action"
    (found,) = read_journal(tmp_path).values()
    (reset,) = [event for event in found if event["type"] == "reset"]
    assert (reset["seed"], reset["env"]["api"]) == (4, "gymnasium")


def test_closing_cuts_the_open_episode_and_still_closes(hooks: EnvHooks, tmp_path: Path) -> None:
    env = counter()()
    hooks.adopt(env)
    env.reset()
    env.step(0)
    env.close()
    assert env.closed
    assert told(tmp_path)[-1] == ("episode", "cut")


def test_what_cannot_be_stepped_is_left_alone(hooks: EnvHooks) -> None:
    class Table:
        def reset(self) -> None: ...

    table = Table()
    hooks.adopt(table)
    assert not hasattr(table, "_mosaic")
    assert not hasattr(Table.reset, "_mosaic_hook")


def test_a_step_with_other_arguments_is_recorded_by_its_first_value(hooks: EnvHooks, tmp_path: Path) -> None:
    def step(self: Any, move: Any, speed: int = 1) -> Any:
        return move * speed, 1.0, False, False, {}

    env = counter(step=step)()
    hooks.adopt(env)
    env.reset()
    assert env.step(3, speed=2)[0] == 6
    assert env.step(move=4)[0] == 4
    (found,) = read_journal(tmp_path).values()
    assert [(e["action"], e["obs"]) for e in found if e["type"] == "step"] == [(3, 6), (4, 4)]


def test_old_steps_of_four_values_tell_a_truncation_by_the_time_limits_mark(
    hooks: EnvHooks, tmp_path: Path
) -> None:
    results: list[Any] = [
        (1, 0.5, False, {"TimeLimit.truncated": True}),
        (2, 0.5, True, {"TimeLimit.truncated": True}),
        (3, 0.5, True, {"TimeLimit.truncated": False}),
    ]
    env = counter(step=lambda self, action: results.pop(0))()
    hooks.adopt(env)
    env.reset()
    env.step(0)
    env.step(0)
    env.reset()
    env.step(0)
    assert [what for kind, what in told(tmp_path) if kind == "episode"] == ["truncated", "terminated"]


def test_an_old_reset_without_info_gives_its_observation(hooks: EnvHooks, tmp_path: Path) -> None:
    kind = counter()
    kind.reset = lambda self: (7, 8)
    env = kind()
    hooks.adopt(env)
    assert env.reset() == (7, 8)
    assert told(tmp_path) == [("reset", [7, 8])]


def test_a_step_that_calls_its_own_step_is_one_step(hooks: EnvHooks, tmp_path: Path) -> None:
    def step(self: Any, action: Any) -> Any:
        self.at += 1
        return self.step(action) if self.at % 2 else (self.at, 1.0, False, False, {})

    env = counter(step=step)()
    hooks.adopt(env)
    env.reset()
    env.step(0)
    env.step(0)
    assert told(tmp_path) == [("reset", 0), ("step", 2), ("step", 4)]


def test_a_step_that_raises_is_not_recorded_and_the_next_one_is(hooks: EnvHooks, tmp_path: Path) -> None:
    def step(self: Any, action: Any) -> Any:
        if action == "bad":
            raise ValueError("a bad action")
        return 1, 1.0, False, False, {}

    env = counter(step=step)()
    hooks.adopt(env)
    env.reset()
    with pytest.raises(ValueError, match="a bad action"):
        env.step("bad")
    env.step("good")
    assert told(tmp_path) == [("reset", 0), ("step", 1)]


def test_an_environment_inside_another_one_sleeps(hooks: EnvHooks, tmp_path: Path) -> None:
    inner = counter()()

    class Outer(counter()):  # type: ignore[misc]
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            inner.reset()
            return super().reset()

        def step(self, action: Any) -> Any:
            inner.step(action)
            return 100, 1.0, False, False, {}

    hooks.adopt(inner)
    inner.reset()
    inner.step(0)
    outer = Outer()
    hooks.adopt(outer)
    outer.reset()
    outer.step(0)
    assert told(tmp_path) == [("reset", 0), ("step", 1), ("episode", "cut"), ("reset", 0), ("step", 100)]


def part_of_something_bigger(call: Any) -> None:
    with inside():
        call()


def test_what_is_constructed_without_make_is_recorded_from_its_first_reset(
    hooks: EnvHooks, tmp_path: Path
) -> None:
    kind = counter()
    hooks.watch_constructed(kind, kind)
    hidden, env = kind(), kind()
    part_of_something_bigger(hidden.reset)
    env.reset()
    env.step(0)
    assert told(tmp_path) == [("reset", 0), ("step", 1)]
    hooks.watch_constructed(type("Heir", (kind,), {}), kind)  # inherits a reset that is watched already


def test_a_copy_becomes_an_environment_of_its_own(hooks: EnvHooks, tmp_path: Path) -> None:
    env = counter()()
    hooks.adopt(env)
    env.reset()
    for twin in (copy.copy(env), copy.deepcopy(env)):
        twin.reset()
        twin.reset()  # of its own from the first one on
        twin.step(0)
    env.step(0)
    (found,) = read_journal(tmp_path).values()
    assert len({event["env_key"] for event in found if event["type"] == "reset"}) == 3
    steps = [event["episode_id"] for event in found if event["type"] == "step"]
    assert len(set(steps)) == 3


def test_the_random_state_is_recorded_when_no_seed_is_given(hooks: EnvHooks, tmp_path: Path) -> None:
    import numpy as np

    env = counter()()
    env._np_random = env.np_random = np.random.default_rng(3)
    hooks.adopt(env)
    env.reset(seed=1)
    env.reset()
    (found,) = read_journal(tmp_path).values()
    resets = [event for event in found if event["type"] == "reset"]
    assert ["rng" in event for event in resets] == [False, True]
    assert len({event["env_key"] for event in resets}) == 1


def test_a_class_is_patched_once_and_only_where_it_has_the_method() -> None:
    class Plain:
        def step(self) -> int:
            """Says one."""
            return 1

    calls: list[int] = []

    def replacing(raw: Any) -> Any:
        calls.append(1)
        return lambda self: raw(self) + 1

    patch(Plain, "step", replacing)
    patch(Plain, "step", replacing)
    patch(type("Heir", (Plain,), {}), "step", replacing)
    patch(Plain, "missing", replacing)
    assert (Plain().step(), len(calls), Plain.step.__doc__) == (2, 1, "Says one.")


def test_inside_is_known_by_the_stack_of_this_thread() -> None:
    def asks() -> bool:
        return is_inside()

    def alone() -> bool:
        return asks()

    def within() -> bool:
        with inside():
            assert envs.local.busy
            with inside():
                pass
            assert envs.local.busy
            return asks()

    assert not alone()
    assert within()
    assert not envs.local.busy
    found: list[bool] = []

    def elsewhere() -> None:
        thread = threading.Thread(target=lambda: found.append(asks()))
        with inside():
            thread.start()
            thread.join()

    elsewhere()
    assert found == [False]


def test_seed_and_options_are_read_however_they_are_given() -> None:
    assert reset_arguments((), {}) == (None, None)
    assert reset_arguments((3,), {}) == (3, None)
    assert reset_arguments((), {"seed": 4, "options": {"a": 1}}) == (4, {"a": 1})
