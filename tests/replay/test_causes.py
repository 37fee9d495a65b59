from __future__ import annotations

from typing import Any

import pytest

from mosaic.replay.causes import Facts, likely


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"made": {"then": {"a": "1.0", "b": "2"}, "now": {"a": "2.0", "b": "2"}}}, "a 1.0 then, 2.0 now"),
        ({"made": {"then": {"gone": "1.0"}, "now": {}}}, "gone 1.0 then, none now"),
        ({"made": {"source_changed": "/a/walk.py"}}, "/a/walk.py has changed since"),
        ({"made": {"notes": ["its arguments"]}}, "its arguments"),
        ({"env": {"attributes_unrecorded": ["reward (function)"]}}, "not recorded: reward (function)"),
        ({"reset": {"rng": {"kind": "Generator", "lost": ["ale"]}}}, "its own randomness was not kept"),
        ({"reset": {"obs": 1}}, "its reset had no seed"),
        ({"seen": ["numpy"]}, "numpy's global generator"),
        ({"seen": ["random"]}, "Python's global generator"),
        ({"seen": ["torch"]}, "torch's global generator"),
        ({"seen": ["clock"]}, "it reads the clock"),
        ({"seen": ["entropy"]}, "fresh randomness from the operating system"),
    ],
)  # fmt: skip
def test_each_known_fact_has_its_sentence(facts: dict[str, Any], said: str) -> None:
    assert said in likely(Facts(**facts))


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"made": {"then": {"numpy": "2.0"}, "now": {"numpy": "2.0"}, "source_changed": ""}},
        {"reset": {"obs": 1, "seeded": True}},
        {"reset": {"obs": 1, "rng": {"kind": "Generator", "ale": "AAAA"}}},
        {"seen": ["something of a later version"]},
    ],
)
def test_without_a_reason_nothing_is_said(facts: dict[str, Any]) -> None:
    assert likely(Facts(**facts)) == ""
