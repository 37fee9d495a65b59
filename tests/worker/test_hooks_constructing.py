"""What is noted of an environment's construction, in a process where nothing else is hooked."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

HEAD = """
import json, sys, inspect, copy, pickle
from mosaic_worker.hooks import constructing
import gymnasium as gym
constructing.register(None)

class Base(gym.Env):
    def __init__(self, width, height=2):
        self.width, self.height, self.hidden = width, height, object()

class Sub(Base):
    def __init__(self, width, *, mood="calm", **more):
        super().__init__(width * 10)
        self.mood, self.more = mood, more
        self.size = (width, 1)

def tell(env):
    constructing.settle(env)
    print(json.dumps({**(constructing.built(env) or {"none": True}), **constructing.attributes(env)}))
"""


def told(body: str) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(body)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "mosaic:" not in done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_arguments_are_noted_by_name_and_only_those_of_the_class_itself() -> None:
    assert told("tell(Sub(3, mood='wild', extra=(1, 2)))") == [
        {"kwargs": {"width": 3, "mood": "wild", "extra": {"tuple": [1, 2]}}, "coded": True}
    ]


def test_what_is_not_plain_data_is_named_with_its_type() -> None:
    (found,) = told("tell(Sub(3, mood=print))")
    assert found["kwargs"] == {"width": 3}
    assert found["unrecorded"] == ["mood (builtin_function_or_method)"]


def test_positional_arguments_without_a_name_keep_their_places() -> None:
    body = """
    class Many(gym.Env):
        def __init__(self, *sizes, deep=False): pass
    tell(Many(1, 2, deep=True))
    tell(Many(1, print, 3))
    """
    first, second = told(body)
    assert (first["args"], first["kwargs"]) == ([1, 2], {"deep": True})
    assert "args" not in second
    assert second["unrecorded"] == ["number 2 (builtin_function_or_method)"]


def test_changes_between_construction_and_first_reset_are_noted_and_later_ones_are_not() -> None:
    body = """
    env = Sub(3)
    env.size = (9, 9)
    env.added = 1.5
    env.hidden = print
    tell(env)
    env.size = (1, 1)
    tell(env)
    """
    first, second = told(body)
    assert first == second
    assert first["attributes"] == {"size": {"tuple": [9, 9]}, "added": 1.5}
    assert first["attributes_unrecorded"] == ["hidden (builtin_function_or_method)"]


def test_a_class_without_a_constructor_takes_nothing_and_one_nobody_saw_is_not_guessed() -> None:
    body = """
    class Bare(gym.Env): pass
    tell(Bare())
    from dataclasses import dataclass
    @dataclass
    class Data(gym.Env):
        n: int = 3
    tell(Data(4))
    """
    assert told(body) == [{"kwargs": {}, "coded": True}, {"none": True}]


def test_a_class_is_for_its_user_what_it_was_and_copies_keep_what_is_known() -> None:
    body = """
    print(json.dumps([str(inspect.signature(Sub)), inspect.getfullargspec(Sub.__init__).kwonlyargs]))
    env = Sub(3, mood="wild")
    env.hidden = None
    tell(copy.deepcopy(env))
    tell(pickle.loads(pickle.dumps(env)))
    """
    shown, copied, pickled = told(body)
    assert shown == ["(width, *, mood='calm', **more)", ["mood"]]
    assert copied["kwargs"] == pickled["kwargs"] == {"width": 3, "mood": "wild"}


def test_a_constructor_that_raises_raises_what_it_did() -> None:
    body = """
    try:
        Sub()
    except TypeError as error:
        print(json.dumps(str(error)))
    """
    (said,) = told(body)
    assert "missing 1 required positional argument: 'width'" in said
