"""A data root with a real daemon and one real recorded run, and the command line called in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mosaic.app import run_index
from mosaic.cli import main as cli
from mosaic.paths import DataRoot
from mosaic.rpc.launch import connect, daemon_running, wait_until_gone
from mosaic.runs.folder import is_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PRINTER = """
import json, sys
def say(kind, **event): print(json.dumps({"type": kind, **event}))
print("plain text \\x1b[31mred\\x07")
for e in range(3):
    one = {"episode_id": f"e{e}", "t": 100.0 + e}
    say("reset", seed=e, **one)
    for s in range(4):
        say("step", step=s, action=s % 2, reward=float(e), terminated=s == 3, obs=[e, s], **one)
    one |= {"return": 4.0 * e, "t_start": 100.0 + e, "t_end": 100.5 + e}
    say("episode", steps=4, outcome="terminated", **one)
for i, value in enumerate([0.5, float("nan"), float("-inf")]):
    say("metric", name="losses/td", value=value, step=i, t=200.0 + i)
print('{"type": "step", "episode_id": "e0", "step": "seven"}')
print("error \\x1b]0;title\\x07 text", file=sys.stderr)
"""
"""A program of any language: it prints events, text, one broken line, and what no terminal should obey."""


@dataclass
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


Call = "Callable[..., Said]"


def end_daemon(root: DataRoot) -> None:
    """Stop what still runs in a data root, and its daemon."""
    going = [row.run_id for row in run_index.rows(root) if not is_over(root.run(row.run_id), row.state)]
    if going:
        with connect(root) as client:
            for run_id in going:
                client.stop(run_id)
        while not all(is_over(root.run(row.run_id), row.state) for row in run_index.rows(root)):
            pass
    if daemon_running(root):
        with connect(root, start=False) as client:
            client.shutdown()
        wait_until_gone(root)


@contextmanager
def home_after(path: Path, *words: str, cwd: Path | None = None, **env: str) -> Iterator[Path]:
    """A data root at this path in which `mosaic WORDS` was called and went well; its daemon is up."""
    path.chmod(0o700)
    done = subprocess.run(
        [sys.executable, "-m", "mosaic", *words],
        env={**os.environ, "MOSAIC_HOME": str(path), **env},
        cwd=cwd or path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    yield path
    end_daemon(DataRoot(path))


@pytest.fixture
def root(home: Path) -> Iterator[DataRoot]:
    """This test's own data root; whatever runs in it at the end is stopped."""
    place = DataRoot(home)
    yield place
    end_daemon(place)


@pytest.fixture
def mosaic(capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Call the command line in this process."""

    def call(*args: str) -> Said:
        code = cli._guarded(list(args))
        sys.stdout.flush()
        said = capfd.readouterr()
        return Said(code, said.out, said.err)

    return call


@pytest.fixture(scope="session")
def recorded_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with one finished run, named `printed`; its daemon is up."""
    script = tmp_path_factory.mktemp("work") / "printer.py"
    script.write_text(PRINTER)
    words = ["run", "--name", "printed", "--tag", "kind=test", "--", sys.executable, "-I", "-S", str(script)]
    with home_after(tmp_path_factory.mktemp("recorded"), *words, cwd=script.parent) as path:
        yield path


@pytest.fixture(scope="session")
def roles_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data root with one finished run whose episodes were played for different things; its daemon is up."""
    script = Path(__file__).parents[1] / "workers" / "plays_roles.py"
    words = ["run", "--name", "roles", "--", sys.executable, "-I", "-S", str(script)]
    with home_after(tmp_path_factory.mktemp("roles"), *words) as path:
        yield path


@pytest.fixture
def roles(roles_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """The data root of the run with roles, in force for this test. Read only."""
    monkeypatch.setenv("MOSAIC_HOME", str(roles_home))
    return DataRoot(roles_home)


@pytest.fixture
def recorded(recorded_home: Path, monkeypatch: pytest.MonkeyPatch) -> DataRoot:
    """The recorded run's data root, in force for this test. Read only."""
    monkeypatch.setenv("MOSAIC_HOME", str(recorded_home))
    return DataRoot(recorded_home)
