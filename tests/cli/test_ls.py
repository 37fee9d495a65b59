"""`mosaic ls`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from ulid import ULID

from mosaic.protocol.runs import ExitRecord, RunSpec
from mosaic.runs.files import write_json
from mosaic.runs.folder import create
from tests.cli.asking import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said


@pytest.mark.usefixtures("recorded")
def test_ls_shows_name_state_and_counts(mosaic: Callable[..., Said]) -> None:
    said = mosaic("ls")
    assert said.code == 0
    head, line = said.out.splitlines()
    assert head.split()[:3] == ["RUN", "NAME", "STATE"]
    assert line.split()[1:4] != ["printed", "finished", "!"]
    assert line.split()[1:3] == ["printed", "finished"]
    assert "warnings" not in said.err


@pytest.mark.usefixtures("recorded")
def test_ls_json_has_a_line_per_run(mosaic: Callable[..., Said]) -> None:
    (row,) = json_lines(mosaic("ls", "--json").out)
    assert (row["name"], row["state"], row["episodes"], row["steps"]) == ("printed", "finished", 3, 12)
    assert (row["exit"]["code"], row["exit"]["signal"]) == (0, None)
    assert list(row)[:5] == ["run_id", "name", "state", "reason", "created"]


@pytest.mark.usefixtures("recorded")
def test_ls_filters_by_state_and_tag(mosaic: Callable[..., Said]) -> None:
    assert mosaic("ls", "--json", "--state", "failed").out == ""
    assert len(json_lines(mosaic("ls", "--json", "--tag", "kind=test").out)) == 1
    said = mosaic("ls", "--tag", "kind=other")
    assert (said.out, said.code) == ("", 0)
    assert "mosaic ls --all" in said.err
    assert mosaic("ls", "--tag", "kind").code == 2


@pytest.mark.usefixtures("roles")
def test_ls_marks_runs_with_warnings_and_says_where_they_are(mosaic: Callable[..., Said]) -> None:
    said = mosaic("ls")
    assert said.out.splitlines()[1].split()[1:4] == ["roles", "finished", "!"]
    assert "! marks runs with warnings; what they are: mosaic show RUN" in said.err
    assert json_lines(mosaic("ls", "--json").out)[0]["warned"] == 1


def test_ls_lists_the_newest_and_with_all_every_run(root: DataRoot, mosaic: Callable[..., Said]) -> None:
    for number in range(3):
        spec = RunSpec(run_id=str(ULID()), name=f"r{number}", command=["true"], cwd="/")
        folder = create(root, spec, created=float(number))
        write_json(folder.exit, ExitRecord(code=0, t=number + 0.5))
    names = [row["name"] for row in json_lines(mosaic("ls", "--json", "-n", "2").out)]
    assert names == ["r2", "r1"]
    names = [row["name"] for row in json_lines(mosaic("ls", "--json", "-n", "2", "--all").out)]
    assert names == ["r2", "r1", "r0"]
