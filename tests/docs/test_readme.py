"""The README's ten lines, run as they stand, and the links it gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

import mosaic
from mosaic.paths import DataRoot
from tests.daemons import running_daemon
from tests.docs.blocks import commands, files

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCUMENT = "../README.md"
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which somebody types what the README says, with `mosaic` on the path."""
    place = tmp_path / "typed"
    place.mkdir()
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    with running_daemon(DataRoot(home)):
        yield place


def test_the_ten_lines_work(folder: Path) -> None:
    script = files(DOCUMENT)["train.py"]
    typed = commands(DOCUMENT)
    assert "mosaic" not in script
    assert len([line for line in script.splitlines() if line]) + len(typed) == 10
    (folder / "train.py").write_text(script)
    said = {line.split()[1]: sh(line, folder) for line in typed}
    assert "2,000 steps" in said["run"]
    assert len(said["episodes"].splitlines()) >= 5
    assert "exact" in said["replay"]


TO_THE_END = """
while not (terminated or truncated):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
env.reset()
"""


@pytest.mark.parametrize("more", ["", TO_THE_END], ids=["as it stands", "its last step ends an episode"])
def test_the_lines_of_python_work(folder: Path, more: str) -> None:
    (folder / "train.py").write_text(files(DOCUMENT)["train.py"] + more)
    blocks = re.findall(r"^```python\n(import mosaic\n.*?)^```$", TEXT, flags=re.M | re.S)
    assert len(blocks) == 1
    (folder / "ask.py").write_text(blocks[0])
    state, episodes, best = sh("python ask.py", folder).split()
    assert state == "finished"
    assert int(episodes) > 10
    assert float(best) > 1


def test_what_it_says_to_record_explicitly_is_recorded(folder: Path) -> None:
    (block,) = re.findall(r"^```python\n(import mosaic_worker\n.*?)^```$", TEXT, flags=re.M | re.S)
    (folder / "more.py").write_text(block)
    sh("python more.py", folder)  # elsewhere it does nothing
    sh("mosaic run -- python more.py", folder)
    assert '"curriculum/level"' in sh("mosaic metrics last --json", folder)


def test_what_it_shows_and_links_to_is_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(targets) > 15
    for target in targets:
        assert (ROOT / target).exists(), f"there is no {target}"


def test_its_moving_picture_moves_and_is_small_enough() -> None:
    (name,) = re.findall(r"!\[.+\]\((docs/images/\w+\.gif)\)", TEXT)
    with Image.open(ROOT / name) as film:
        assert film.n_frames > 40
        for number in range(film.n_frames):
            film.seek(number)
            assert film.info["duration"] <= 1500, "a reader would think that it stopped"
    assert (ROOT / name).stat().st_size <= 1_500_000


def test_the_wheel_it_names_is_the_one_of_this_version() -> None:
    assert re.findall(r"mosaic_workbench-([\w.]+)-py3-none-any\.whl\[", TEXT) == [mosaic.__version__]


def test_it_says_where_it_runs_and_names_every_extra() -> None:
    assert "Linux" in TEXT.partition("## Install")[2].partition("##")[0]
    listed = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = listed.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    extras = re.findall(r"^(\w+) = \[", section, flags=re.M)
    assert len(extras) >= 5
    for extra in extras:
        assert f"`{extra}`" in TEXT


def sh(line: str, folder: Path) -> str:
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
    return done.stdout + (done.stderr if " run " in line else "")
