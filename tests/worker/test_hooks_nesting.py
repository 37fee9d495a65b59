"""The outermost of nested hooked calls reports, alone, and only success."""

from __future__ import annotations

import threading
import types
from typing import Any

import pytest

from mosaic_worker.hooks.nesting import Nesting, argument, wrap


def _module() -> tuple[types.ModuleType, list[Any]]:
    module = types.ModuleType("stand_in")

    def inner(value: int) -> int:
        if value < 0:
            raise ValueError("negative")
        return value + 1

    def outer(value: int) -> int:
        return int(module.inner(value)) * 10

    module.inner, module.outer = inner, outer  # type: ignore[attr-defined]
    return module, []


def test_only_the_outermost_call_reports() -> None:
    module, told = _module()
    nesting = Nesting()
    for name in ("inner", "outer"):
        wrap(module, name, nesting, lambda _, result, args, __: told.append((result, args)))
    assert module.outer(1) == 20
    assert module.inner(value=4) == 5
    assert told == [(20, (1,)), (5, ())]


def test_what_is_raised_passes_through_and_leaves_no_depth_behind() -> None:
    module, told = _module()
    nesting = Nesting()
    wrap(module, "outer", nesting, lambda *args: told.append(args))
    with pytest.raises(ValueError, match="negative"):
        module.outer(-1)
    assert (told, nesting.depth) == ([], 0)


def test_wrapping_twice_reports_once() -> None:
    module, told = _module()
    nesting = Nesting()
    for _ in range(2):
        wrap(module, "inner", nesting, lambda *args: told.append(args))
    module.inner(1)
    assert len(told) == 1


def test_what_was_seen_before_the_call_is_handed_on() -> None:
    module, told = _module()
    wrap(module, "inner", Nesting(), lambda found, *_: told.append(found), lambda args, _: args[0] * 100)
    module.inner(3)
    assert told == [300]


def test_threads_do_not_see_each_others_depth() -> None:
    nesting = Nesting()
    seen = []
    with nesting:
        thread = threading.Thread(target=lambda: seen.append(nesting.depth))
        thread.start()
        thread.join()
        assert nesting.depth == 1
    assert seen == [0]


def test_an_argument_is_found_by_place_or_name() -> None:
    assert argument((1, 2), {}, 1, "x") == 2
    assert argument((1,), {"x": 3}, 1, "x") == 3
    assert argument((1,), {}, 1, "x", default=9) == 9
