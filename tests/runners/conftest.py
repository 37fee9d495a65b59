"""A folder on the path where tests put packages of their own, and tiny wheels to install offline."""

from __future__ import annotations

import importlib
import os
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
