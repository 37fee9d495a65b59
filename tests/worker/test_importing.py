"""Environments that a library resets while it is imported are not episodes; the script's own are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.worker.reading import record

if TYPE_CHECKING:
    from pathlib import Path

PLAYS = "import gymnasium as gym\nenv = gym.make('CartPole-v1')\nenv.reset()\nenv.step(0)\n"


@pytest.mark.parametrize(("place", "episodes"), [("site-packages", 1), ("mine", 2)])
def test_only_the_import_of_an_installed_library_is_left_out(
    tmp_path: Path, place: str, episodes: int
) -> None:
    package = tmp_path / place / "tries_out"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PLAYS)
    done = record(
        tmp_path, "from tries_out import env\nenv.reset()\nenv.step(0)\n", more_path=str(package.parent)
    )
    assert done.stderr == ""
    assert [episode["steps"] for episode in done.events("episode")] == [1] * episodes


def test_an_installed_program_that_is_run_as_a_module_is_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "installed_program.py").write_text(PLAYS)
    done = record(
        tmp_path,
        "import runpy\nrunpy.run_module('installed_program', run_name='__main__')\n",
        more_path=str(folder),
    )
    assert [episode["steps"] for episode in done.events("episode")] == [1]
