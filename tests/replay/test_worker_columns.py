"""Values of spaces as columns, and spaces described and built again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from mosaic_worker.dataset.spaces import space_of
from mosaic_worker.replay import columns
from mosaic_worker.replay.columns import Columns, UnfitError, describe

SPACES = [
    spaces.Box(-1.0, 1.0, (2, 3), np.float32),
    spaces.Box(np.array([0.0, -np.inf]), np.array([1.0, np.inf]), dtype=np.float64),
    spaces.Box(0, 255, (4, 4, 3), np.uint8),
    spaces.Discrete(5, start=-2),
    spaces.MultiDiscrete([3, 4]),
    spaces.MultiBinary([2, 2]),
    spaces.Dict({"a": spaces.Discrete(3), "b": spaces.Tuple([spaces.Discrete(2), spaces.MultiBinary(3)])}),
]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_a_space_that_was_described_is_built_again(space: spaces.Space[Any]) -> None:
    assert space_of(json.loads(json.dumps(describe(space)))) == space


def _rows(given: Columns) -> dict[tuple[Any, ...], Any]:
    found: dict[tuple[Any, ...], Any] = {}
    for head, body in given.messages("x"):
        path = tuple(head["path"])
        if head.get("text"):
            found[path] = json.loads(body)
            continue
        part = np.frombuffer(body, head["dtype"]).reshape(head["shape"])
        found[path] = np.concatenate([found[path], part]) if path in found else part
    return found


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_every_value_is_found_again_in_its_row(space: spaces.Space[Any]) -> None:
    space.seed(1)
    values = [space.sample() for _ in range(7)]
    given = Columns(space)
    for value in values:
        given.add(value)
    for path, rows in _rows(given).items():
        for row, value in zip(rows, values, strict=True):
            part: Any = value
            for key in path:
                part = part[key]
            assert row.tobytes() == np.asarray(part).tobytes()


def test_a_value_keeps_its_own_type_and_is_copied() -> None:
    given, value = Columns(spaces.Box(0, 1, (2,), np.float32)), np.array([0.1, 0.2])
    given.add(value)
    value[:] = 9
    assert _rows(given)[()].tolist() == [[0.1, 0.2]]


def test_large_columns_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_CHUNK_BYTES", 20)
    given = Columns(spaces.Discrete(9))
    for number in range(7):
        given.add(number)
    assert len(list(given.messages("x"))) == 4
    assert _rows(given)[()].tolist() == list(range(7))


def test_a_row_for_no_value_holds_zeros() -> None:
    given = Columns(spaces.Box(-1, 1, (2,), np.float32))
    given.add_nothing()
    assert _rows(given)[()].tolist() == [[0.0, 0.0]]


def test_texts_are_a_list_also_those_of_a_space_of_their_own() -> None:
    class Mission(spaces.Space[str]):
        def sample(self, *_: Any, **__: Any) -> str:
            return "go"

    given = Columns(Mission())
    given.add("go left")
    given.add_nothing()
    assert _rows(given)[()] == ["go left", ""]
    assert describe(Mission())["type"] == "Text"


@pytest.mark.parametrize("value", ["left", [1, 2], {"a": 1}, None])
def test_what_is_not_a_value_of_the_space_is_refused(value: Any) -> None:
    with pytest.raises(UnfitError, match="is not a value of Discrete"):
        Columns(spaces.Discrete(3)).add(value)


def test_a_space_without_a_fixed_layout_is_refused_by_name() -> None:
    with pytest.raises(UnfitError, match="Sequence"):
        describe(spaces.Sequence(spaces.Discrete(2)))
