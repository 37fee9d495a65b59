"""What goes to stdout and stderr."""

from __future__ import annotations

import json
import math

import pytest

from mosaic.cli import output
from mosaic.protocol.rows import EpisodeRow, MetricRow
from mosaic.protocol.runs import RunState


def test_json_lines_name_non_finite_floats(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        MetricRow(name="loss", canonical=None, value=value, step=1, t=0.0)
        for value in (math.nan, -math.inf, 0.5)
    ]
    output.write_json_lines(rows)
    values = [
        json.loads(line, parse_constant=pytest.fail)["value"] for line in capsys.readouterr().out.splitlines()
    ]
    assert values == ["NaN", "-Infinity", 0.5]


def test_json_uses_the_public_names() -> None:
    assert json.loads(output.to_line(EpisodeRow(episode_id="e", index=0, return_=2.0)))["return"] == 2.0


def test_nested_floats_are_named_too(capsys: pytest.CaptureFixture[str]) -> None:
    output.write_json({"a": [math.inf, {"b": math.nan}]})
    assert json.loads(capsys.readouterr().out) == {"a": ["Infinity", {"b": "NaN"}]}


def test_notes_go_to_stderr_with_escapes_shown(capsys: pytest.CaptureFixture[str]) -> None:
    output.note("a\x1bb")
    assert capsys.readouterr().err == "a\\x1bb\n"


def test_there_is_no_colour_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert output.paint_state(RunState.FAILED, "failed") == "failed"
    assert output.cells() is None
    del capsys


@pytest.mark.parametrize("state", RunState)
def test_every_state_has_a_colour(state: RunState, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "coloured", lambda: True)
    painted = output.paint_state(state, "so")
    assert painted.startswith("\x1b[")
    assert painted.endswith("mso\x1b[0m")
