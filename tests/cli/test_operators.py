from __future__ import annotations

import json
from collections.abc import Callable

from tests.cli.conftest import Said

Call = Callable[..., Said]


def test_operators_are_listed_as_they_are_written(mosaic: Call) -> None:
    lines = mosaic("operators", "ls").out.splitlines()
    assert lines[0].split() == ["OPERATOR", "WRITTEN", "WHAT"]
    assert any(line.split()[:2] == ["python", "python:FILE.py"] for line in lines)
    found = {one["id"]: one for one in json.loads(mosaic("operators", "ls", "--json").out)}
    assert found["random"]["card"]["form"] == "random"
    assert found["random"]["problem"] == ""


def test_one_operator_is_shown_with_its_parameters(mosaic: Call) -> None:
    said = mosaic("operators", "show", "checkpoint").out
    assert "op.sample" in said
    assert "mosaic play" in said
    assert json.loads(mosaic("operators", "show", "checkpoint", "--json").out)["id"] == "checkpoint"


def test_one_that_is_not_there_gets_the_nearest(mosaic: Call) -> None:
    found = mosaic("operators", "show", "pyton")
    assert found.code == 2
    assert "Did you mean 'python'?" in found.err
