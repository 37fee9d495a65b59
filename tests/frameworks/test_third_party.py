"""A runner of somebody else: installed by pip from the document that explains how to write one, then used."""

from __future__ import annotations

import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance import Workbench, workbench
from tests.docs.blocks import commands, files
from tests.frameworks.journey import WORKBENCH, Journey, make_journey, ok

DOCUMENT = "write-a-runner.md"
CEM = Journey(
    "cem/cem",
    steps=3000,
    words=("population=12",),
    metrics={"rollout/ep_rew_mean": "return", "cem/spread": None},
)
pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(900)]


@pytest.fixture(scope="module", name="installed")
def install_from_the_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that sees this MOSAIC and has the package of the document, installed by pip."""
    place = tmp_path_factory.mktemp("third-party")
    source = place / "source"
    for name, text in files(DOCUMENT).items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    env = place / "env"
    subprocess.run([sys.executable, "-m", "venv", str(env)], check=True, timeout=300)
    python = env / "bin" / "python"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    ours = sysconfig.get_paths()["purelib"]
    (env / "lib" / version / "site-packages" / "mosaic-under-test.pth").write_text(
        f"import site; site.addsitedir({ours!r})\n"
    )
    (pip,) = [line for line in commands(DOCUMENT) if line.startswith("pip ")]
    done = subprocess.run(
        [str(python), "-m", *shlex.split(pip), "--quiet"],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return python


@pytest.fixture(name="bench")
def their_workbench(home: Path, installed: Path) -> Iterator[Workbench]:
    with workbench(home, python=str(installed), **WORKBENCH) as bench:
        yield bench


def test_it_goes_the_whole_way_without_a_change_to_mosaic(bench: Workbench) -> None:
    make_journey(bench, CEM)


def test_every_command_of_the_document_works_as_written(bench: Workbench) -> None:
    told = [shlex.split(line)[1:] for line in commands(DOCUMENT) if line.startswith("mosaic ")]
    said = {words[0]: ok(bench, *words) for words in told}
    assert "cem" in said["runners"]
    assert "exact" in said["replay"]
    assert "final" in said["checkpoints"]
    assert "mean return" in said["eval"]


def test_its_parameters_are_checked_by_its_card(bench: Workbench) -> None:
    for words, said in (
        (["populaton=30"], "population"),
        (["elite=0.9"], "0.5"),
    ):
        done = bench.call("train", "cem/cem", "CartPole-v1", *words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert said in done.stderr
    assert bench.ask("ls") == []


def test_the_public_check_finds_nothing_wrong(installed: Path, home: Path) -> None:
    program = (
        "import sys; from mosaic.testing import check_runner; from mosaic_cem import RUNNER; "
        "print(check_runner(RUNNER, train_on='CartPole-v1', home=sys.argv[1]))"
    )
    done = subprocess.run(
        [str(installed), "-c", program, str(home)], capture_output=True, text=True, timeout=300, check=False
    )
    with workbench(home, python=str(installed)):
        assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
