"""Which interpreter writes Minari datasets, and what is said when there is none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.exporting.minari_python import CARD, interpreter
from mosaic.paths import DataRoot
from mosaic.runners import environments

if TYPE_CHECKING:
    from pathlib import Path


def test_the_one_the_user_names_is_taken(home: Path) -> None:
    assert interpreter(DataRoot(home), python=sys.executable) == sys.executable


def test_a_name_that_is_not_a_program_is_refused(home: Path) -> None:
    with pytest.raises(UsageError, match=r"--python names /nowhere/python, which is not a program"):
        interpreter(DataRoot(home), python="/nowhere/python")


def test_without_any_the_ways_to_get_one_are_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"--install, or name a Python that has minari.*--python PATH"):
        interpreter(DataRoot(home))


def test_an_environment_that_is_installed_is_found(home: Path) -> None:
    folder = environments.folder_of(DataRoot(home), CARD)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    environments.marker(folder).write_text("{}")
    assert interpreter(DataRoot(home)) == str(folder / "bin" / "python")
