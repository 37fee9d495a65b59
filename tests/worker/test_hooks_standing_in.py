"""A stand-in is taken for the built-in function it stands for."""

from __future__ import annotations

import os
import pickle
import types
from typing import Any

import pytest

from mosaic_worker.hooks.standing_in import StandIn, stand_in


def passing(seen: list[Any]) -> Any:
    def call(original: Any, args: Any, kwargs: Any) -> Any:
        seen.append(args)
        return original(*args, **kwargs)

    return call


def test_it_sees_the_call_and_hands_on_what_comes_back() -> None:
    module, seen = types.ModuleType("some"), []  # type: ignore[var-annotated]
    module.length = len  # type: ignore[attr-defined]
    stand_in(module, "length", passing(seen))
    assert module.length([1, 2]) == 2
    assert seen == [([1, 2],)]
    with pytest.raises(TypeError):
        module.length(3)
    first = module.length
    stand_in(module, "length", passing(seen))
    stand_in(module, "nothing_like_it", passing(seen))
    assert module.length is first


def test_kept_in_a_class_it_stays_a_function_and_does_not_become_a_method() -> None:
    class Accessor:
        rename = StandIn(os.rename, passing([]), home="os")
        length = StandIn(len, passing([]), home="builtins")

    assert Accessor().length([1]) == 1


def test_what_the_os_says_of_a_function_it_says_of_its_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "supports_dir_fd", set(os.supports_dir_fd))
    monkeypatch.setattr(os, "rename", os.rename)
    assert os.rename in os.supports_dir_fd
    stand_in(os, "rename", passing([]))
    assert isinstance(os.rename, StandIn)
    assert os.rename in os.supports_dir_fd
    assert pickle.loads(pickle.dumps(os.rename)) is os.rename
    assert os.rename.__name__ == "rename"
