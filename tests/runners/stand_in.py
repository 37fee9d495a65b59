"""A runner from a package of somebody else, made on the spot: an entry point on the path, not installed."""

from __future__ import annotations

import importlib
import os
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PLAIN", "offer", "site", "wheel"]

PLAIN = '''
from mosaic.protocol.cards import Algorithm, Capabilities, Parameter, RunnerCard
from mosaic.runners.runner import driver_words

TRAINER = """
import sys
import gymnasium
words = sys.argv[1:]
flags = dict(zip(words[1::2], words[2::2])) if words else {}
env = gymnasium.make(flags["--env"])
env.action_space.seed(int(flags.get("--seed", 0)))
env.reset(seed=int(flags.get("--seed", 0)))
for _ in range(int(flags["--steps"])):
    _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    if terminated or truncated:
        env.reset()
print("trained", *words)
"""

class Plain:
    card = RunnerCard(
        id="plain",
        title="Plain random",
        algorithms=[
            Algorithm(
                id="random",
                title="Random",
                actions=["Discrete"],
                default_steps=60,
                parameters=[
                    Parameter(name="learning_rate", type="float", default=0.1, minimum=0.001),
                    Parameter(name="batch_size", type="int", default=32, minimum=1, maximum=1024),
                    Parameter(name="normalize", type="bool", default=False),
                    Parameter(name="shape", type="choice", default="linear", choices=["linear", "flat"]),
                    Parameter(name="target", type="float", default=None, optional=True),
                ],
            ),
            Algorithm(id="masked", title="Masked", needs_action_masks=True),
        ],
        capabilities=Capabilities(supports_vector=True),
        imports=["gymnasium"],
    )

    def command(self, job, *, python):
        return [python, "-c", TRAINER, *driver_words(job)]

RUNNER = Plain()
'''
"""A runner that trains for real, by acting at random."""


def offer(folder: Path, name: str, source: str, *, value: str = "") -> None:
    """Put a package with one runner into a folder that is (or will be) on the path."""
    module = f"runner_{name}"
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(textwrap.dedent(source))
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mosaic-runner-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mosaic.runners]\n{name} = {value or f'{module}:RUNNER'}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of this process and of those it starts."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.startswith("runner_")]:
        del sys.modules[name]


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Make a wheel with one module, where the installers will look for it and nowhere else."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for name in ("PIP_FIND_LINKS", "UV_FIND_LINKS"):
        monkeypatch.setenv(name, str(shelf))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))

    def make(name: str, source: str) -> str:
        info = f"{name}-1.0.dist-info"
        files = {
            f"{name}.py": source,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
        with zipfile.ZipFile(shelf / f"{name}-1.0-py3-none-any.whl", "w") as archive:
            for path, text in {**files, f"{info}/RECORD": record}.items():
                archive.writestr(path, text)
        return f"{name}==1.0"

    return make
