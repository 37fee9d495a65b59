"""Recorded values as short text."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

from mosaic.ui.shell.model.values import value_text


def array(values: npt.NDArray[Any]) -> dict[str, object]:
    return {
        "nd": values.dtype.str,
        "shape": list(values.shape),
        "b64": base64.b64encode(values.tobytes()).decode(),
    }


def test_small_arrays_are_shown_by_their_numbers() -> None:
    assert value_text(array(np.array([0.5, -1.25], np.float32))) == "[0.5, -1.25]"
    assert value_text({"a": array(np.array([[1, 2]], np.int64)), "b": [3]}) == "{a: [[1, 2]], b: [3]}"


def test_large_arrays_are_shown_by_their_shape() -> None:
    assert value_text(array(np.zeros((84, 84), np.uint8))) == "<84x84 |u1>"


def test_what_lies_about_its_size_or_type_is_not_believed() -> None:
    for lie in (
        {"nd": "<f4", "shape": [3], "b64": "AAAA"},
        {"nd": "O", "shape": [1], "b64": ""},
        {"nd": "nonsense", "shape": [1], "b64": ""},
        {"nd": "<f4", "shape": ["x"], "b64": "AAAA"},
        {"nd": "<f4", "shape": [1], "b64": "??"},
    ):
        assert value_text(lie).startswith("<")


def test_text_is_cut_and_harmless() -> None:
    assert value_text("a\x07" + "b" * 500, cells=8) == "a\\x07bb…"
