"""What every test gets: a private data root, and a check that it leaves nothing behind."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from mosaic.fastlane import segment

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data root of this test's own, in force for it and for every process it starts."""
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("MOSAIC_HOME", str(path))
    return path


@pytest.fixture(autouse=True, scope="session")
def shared_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The fast lane of every test, and of every process it starts, lies in a folder of this test session."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOSAIC_SHM", str(tmp_path_factory.mktemp("shm")))
        yield


def _children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def _descriptors() -> set[str]:
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if (
            target.startswith("/")
            and not target.startswith(("/dev/", "/proc/"))
            and "/site-packages/" not in target
        ):
            found.add(target)
    return found


def _segments() -> set[str]:
    """What lies in shared memory and belongs to the living; what the killed left is swept, as by a daemon."""
    segment.sweep()
    return {path.name for path in Path(os.environ["MOSAIC_SHM"]).rglob("*.*")}


@pytest.fixture(autouse=True)
def no_leaks(shared_memory: None) -> Iterator[None]:
    """Fail the test that leaves a process, thread, open file or shared-memory segment behind."""
    before = _children(), set(threading.enumerate()), _descriptors(), _segments()
    yield
    processes = _children() - before[0]
    threads = {t for t in threading.enumerate() if t not in before[1] and t.is_alive() and not t.daemon}
    descriptors = _descriptors() - before[2]
    segments = _segments() - before[3]
    for pid in processes:
        try:
            psutil.Process(pid).kill()
        except psutil.NoSuchProcess:
            continue
    assert not processes, f"left processes behind: {processes}"
    assert not threads, f"left threads behind: {threads}"
    assert not descriptors, f"left files open: {descriptors}"
    assert not segments, f"left shared memory behind: {segments}"
