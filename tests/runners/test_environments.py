from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import RunnerCard
from mosaic.runners import environments
from mosaic.runners.environments import Readiness, readiness
from mosaic.runs.locks import Lock
from mosaic.settings import Settings

CARD = RunnerCard(id="x", title="X", requirements=["tiny==1.0"])


def _there(root: DataRoot, card: RunnerCard = CARD, *, complete: bool = True) -> Path:
    folder = environments.folder_of(root, card)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    if complete:
        environments.marker(folder).touch()
    return folder


def _ready(home: Path, card: RunnerCard = CARD, **options: Any) -> Readiness:
    return readiness(DataRoot(home), card, **options)


def test_other_pins_are_another_folder_and_torch_is_a_pin(home: Path) -> None:
    root = DataRoot(home)
    folders = {
        environments.folder_of(root, card)
        for card in (
            CARD,
            RunnerCard(id="x", title="Y", requirements=["tiny==1.1"]),
            RunnerCard(id="x", title="Y", requirements=["tiny==1.0"], torch=True),
        )
    }
    assert len(folders) == 3
    assert (
        environments.folder_of(root, RunnerCard(id="x", title="Other", requirements=["tiny==1.0"])) in folders
    )
    assert all(folder.parent == home / "envs" for folder in folders)


def test_the_folder_of_environments_can_be_moved(home: Path, tmp_path: Path) -> None:
    moved = Settings(envs_dir=str(tmp_path / "elsewhere"))
    assert environments.folder_of(DataRoot(home), CARD, settings=moved).parent == tmp_path / "elsewhere"


def test_what_was_never_installed_is_missing_and_says_how(home: Path) -> None:
    found = _ready(home)
    assert (found.state, found.usable, found.remedy) == ("missing", False, "mosaic runners install x")


def test_an_interrupted_installation_is_broken(home: Path) -> None:
    _there(DataRoot(home), complete=False)
    found = _ready(home)
    assert (found.state, found.usable) == ("broken", False)
    assert "interrupted" in found.text


def test_one_that_is_being_built_is_not_ready(home: Path) -> None:
    folder = _there(DataRoot(home))
    with Lock(folder.with_name(folder.name + ".lock")):
        assert "being installed" in _ready(home).text
    assert _ready(home).state == "ready"


def test_a_complete_one_is_ready_until_its_python_is_gone(home: Path) -> None:
    folder = _there(DataRoot(home))
    found = _ready(home)
    assert (found.state, found.python) == ("ready", str(folder / "bin" / "python"))
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to("/nowhere/python")
    found = _ready(home)
    assert (found.state, found.remedy) == ("broken", "mosaic runners install x --force")


def test_a_card_without_requirements_uses_our_own_interpreter(home: Path) -> None:
    found = _ready(home, RunnerCard(id="b", title="B", imports=["msgspec"]))
    assert (found.state, found.python) == ("builtin", sys.executable)
    found = _ready(home, RunnerCard(id="b", title="B", imports=["no_such_package.part"]))
    assert (found.state, found.usable) == ("missing", False)
    assert "no_such_package" in found.text
    assert 'mosaic-workbench[envs]"' in found.remedy


def test_an_interpreter_the_user_names_wins(home: Path) -> None:
    _there(DataRoot(home))
    assert _ready(home, python=sys.executable).python == sys.executable
    named = Settings(runner_python={"x": sys.executable})
    assert _ready(home, settings=named).python == sys.executable
    found = _ready(home, settings=Settings(runner_python={"x": "/nowhere/python"}))
    assert (found.state, found.usable) == ("broken", False)
    assert "the setting runner_python names /nowhere/python" in found.text
    assert "--python names" in _ready(home, python="/nowhere/python").text


def test_removing_takes_every_set_of_pins_of_that_runner_and_nothing_else(home: Path) -> None:
    root = DataRoot(home)
    older = RunnerCard(id="x", title="X", requirements=["tiny==0.9"])
    other = RunnerCard(id="x-y", title="X", requirements=["tiny==1.0"])
    for card in (CARD, older, other):
        _there(root, card)
    assert len(environments.remove(root, CARD)) == 2
    assert _ready(home).state == "missing"
    assert _ready(home, other).state == "ready"
    assert environments.remove(root, CARD) == []


def test_what_is_being_built_is_not_removed(home: Path) -> None:
    folder = _there(DataRoot(home))
    with Lock(folder.with_name(folder.name + ".lock")), pytest.raises(UsageError, match="being built"):
        environments.remove(DataRoot(home), CARD)
    assert _ready(home).state == "ready"
