"""What the package says of itself, and that it says it once."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import mosaic

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_stands_in_one_place() -> None:
    assert "version" not in PROJECT["project"]
    assert "version" in PROJECT["project"]["dynamic"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "mosaic.__version__"}


@pytest.mark.parametrize("words", [["version"], ["--version"]])
def test_both_ways_to_ask_for_the_version_give_it(words: list[str]) -> None:
    code = f"import mosaic; mosaic.__version__ = '9.9.9'; from mosaic.cli.main import main; main({words!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split()[-1:] == ["9.9.9"], done.stderr


def test_the_changelog_has_this_version_and_what_comes_after_it() -> None:
    headings = re.findall(
        r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M
    )
    assert headings[:2] == ["Unreleased", mosaic.__version__]


def test_a_user_is_given_nothing_that_only_developers_need() -> None:
    needed = " ".join(metadata.requires("mosaic-workbench") or [])
    for name in ("pytest", "mypy", "ruff", "pre-commit"):
        assert name not in needed
    assert {"lint", "test", "dev"} <= PROJECT["dependency-groups"].keys()


def test_each_runner_of_ours_is_held_apart_from_the_others() -> None:
    cards = [text.partition(":")[0] for text in PROJECT["project"]["entry-points"]["mosaic.runners"].values()]
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (apart,) = [contract for contract in contracts if contract["type"] == "independence"]
    assert all(fnmatch.fnmatch(card, *apart["modules"]) for card in cards)
    assert not {excused.partition(" -> ")[2] for excused in apart["ignore_imports"]} & set(cards)


def test_the_hooks_before_a_commit_are_those_of_make_check() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    checks = re.findall(
        r"^\t\$\(VENV\)/bin/([\w-]+)", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M
    )
    assert len(checks) >= 4
    for tool in checks:
        assert f".venv/bin/{tool}" in hooks
    assert re.findall(r"repo: (.+)", hooks) == ["local"]


def test_the_workflow_calls_what_is_written_once() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (line,) = re.findall(r"run: (.+)", workflow)
    assert ".ci/run" in line.partition("#")[0].split()
