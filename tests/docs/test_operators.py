"""docs/operators.md: its operators play, its commands are commands, and all of ours are in it."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from mosaic.app import plans
from mosaic.cli.main import mosaic
from mosaic.operators import registry
from mosaic.testing import check_operator
from tests.docs.blocks import DOCS, commands, files

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = "operators.md"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the document, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in files(DOCUMENT).items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_plan_is_one(written: Path) -> None:
    plan = plans.read(written / "plan.toml").told
    assert (plan.env, len(plan.all_seeds), list(plan.seats)) == ("FrozenLake-v1", 20, ["chance", "nobody"])


@pytest.mark.usefixtures("written")
def test_the_python_file_plays() -> None:
    assert check_operator("python:mind.py") == []


@pytest.mark.usefixtures("written")
def test_the_program_in_node_plays_and_refuses_what_it_cannot() -> None:
    assert shutil.which("node"), "install nodejs: a worker in another language is run by the tests too"
    assert check_operator("cmd:node last_legal.mjs", env_id="pettingzoo.classic.connect_four_v3") == []
    (problem,) = check_operator("cmd:node last_legal.mjs", env_id="Pendulum-v1")
    assert "no idea of Box" in problem


def test_every_command_of_the_document_is_one() -> None:
    for line in commands(DOCUMENT):
        program, name, *words = shlex.split(line)
        assert program == "mosaic"
        command = mosaic.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None, line
        command.make_context(name, list(words), resilient_parsing=True)


def test_all_of_ours_are_in_the_document() -> None:
    text = (DOCS / DOCUMENT).read_text()
    for one in registry.listed():
        if one.id != "checkpoint":  # named by a run or a file
            assert f"- `{one.id}" in text
