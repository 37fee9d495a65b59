"""Plain data keeps its types on the way through JSON; what is not plain data is refused."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mosaic_worker.arguments import NotPlainError, coded, decoded, hidden
from mosaic_worker.common.redact import MARK


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -7,
        1 << 80,
        0.1,
        -0.0,
        math.inf,
        "NaN",
        (1, (2.0, "x")),
        [1, [2]],
        {3, 1},
        frozenset({"a"}),
        {"a": (1,), "b": None},
        {1: "x", (2, 3): "y"},
        {"tuple": [1]},
        {"repr": "x", "type": "y"},
        {"nd": 1},
        b"\x00\xff",
        Path("maps/one.txt"),
    ],
)
def test_plain_data_comes_back_equal_and_of_the_same_types(value: Any) -> None:
    back = decoded(json.loads(json.dumps(coded(value), allow_nan=False)))
    assert repr(back) == repr(value)
    assert type(back) is type(value) or isinstance(value, Path)


def test_arrays_and_their_scalars_keep_every_bit() -> None:
    for value in (np.float32(0.1), np.arange(6, dtype=">i2").reshape(2, 3), np.bool_(1), np.array(3)):
        back = decoded(json.loads(json.dumps(coded(value))))
        assert type(back) is type(value)
        assert back.dtype == value.dtype
        assert back.tobytes() == value.tobytes()
    assert math.isnan(decoded(coded(math.nan)))


@pytest.mark.parametrize(
    "value",
    [print, object(), [lambda: 1], np.zeros(100_000), np.array([object()]), [0] * 10_001, {"a": {1j}}],
)
def test_what_is_not_plain_data_or_too_much_is_refused(value: Any) -> None:
    with pytest.raises(NotPlainError):
        coded(value)


def test_a_container_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(NotPlainError, match="list"):
        coded(endless)


@pytest.mark.parametrize(
    "shown", [{"repr": "<f>", "type": "function"}, {"crc32": 1, "nd": "<f4", "shape": [9]}]
)
def test_what_was_only_described_does_not_come_back(shown: Any) -> None:
    with pytest.raises(NotPlainError):
        decoded(shown)


def test_secrets_are_hidden_in_every_part_of_a_description_and_nothing_else_is() -> None:
    made: dict[str, Any] = {
        "id": "Chat-v0",
        "kwargs": {"api_key": "hunter2hunter2", "size": {"tuple": [4, "wide"]}, "sort_key": "name-of-it"},
        "args": ["by-position-7351"],
        "attributes": {
            "password": {"bytes": "aHVudGVyMg=="},
            "table": {"items": [["auth_token", "abcdef99"]]},
        },
        "wrapping": [{"entry_point": "m:W", "kwargs": {"secret": {"path": "open sesame"}}}],
        "around": {"kwargs": {"mark": {"nd": "<f4", "shape": [1], "b64": "AAAA"}, "token": "abcdef99"}},
    }
    found = hidden(made, ["by-position-7351"])
    assert found == {
        "id": "Chat-v0",
        "kwargs": {"api_key": MARK, "size": {"tuple": [4, "wide"]}, "sort_key": "name-of-it"},
        "args": [MARK],
        "attributes": {"password": MARK, "table": {"items": [["auth_token", MARK]]}},
        "wrapping": [{"entry_point": "m:W", "kwargs": {"secret": {"path": MARK}}}],
        "around": {"kwargs": {"mark": {"nd": "<f4", "shape": [1], "b64": "AAAA"}, "token": MARK}},
    }
    assert made["kwargs"]["api_key"] == "hunter2hunter2"


def test_the_context_that_rllib_makes_environments_with_comes_back_where_it_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class EnvContext(dict):  # type: ignore[type-arg]
        def __init__(self, env_config: Any, worker_index: int, num_workers: int | None = None) -> None:
            super().__init__(env_config)
            self.worker_index, self.num_workers = worker_index, num_workers

    EnvContext.__module__ = "ray.rllib.env.env_context"
    written = coded(EnvContext({"size": (2, 3)}, 1, num_workers=2))
    with pytest.raises(NotPlainError, match="EnvContext"):
        decoded(written)
    module = ModuleType(EnvContext.__module__)
    vars(module)["EnvContext"] = EnvContext
    monkeypatch.setitem(sys.modules, module.__name__, module)
    found = decoded(json.loads(json.dumps(written)))
    assert (type(found), found, found.worker_index, found.num_workers) == (EnvContext, {"size": (2, 3)}, 1, 2)
