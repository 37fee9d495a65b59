"""Files of the fast lane: whom they belong to, and that nothing of the dead is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic.errors import ProtocolError
from mosaic.fastlane import segment
from mosaic.paths import RunFolder
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane

WRITER = """
import sys
from mosaic_worker.fastlane import Lane
lane = Lane(sys.argv[1], sys.argv[2])
ring = lane.new_ring(0, pixel_bytes=300, epoch=1)
print("made", flush=True)
sys.stdin.read()
ring.close()
lane.close()
"""


@pytest.fixture
def shm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Shared memory of this test's own."""
    monkeypatch.setenv("MOSAIC_SHM", str(tmp_path))
    return Path(layout.shared_memory())


def _start(run: Path, producer: str) -> subprocess.Popen[bytes]:
    started = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(run), producer], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"made\n"
    return started


def _end(started: subprocess.Popen[bytes]) -> None:
    started.communicate()


def test_everything_is_private_and_gone_when_its_writer_ends(shm: Path, tmp_path: Path) -> None:
    started = _start(tmp_path / "run1", "p1xa")
    files = [path for path in shm.rglob("*") if path.is_file()]
    assert sorted(path.name for path in files) == ["p1xa.0.1.ring", "p1xa.lane"]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (shm, shm / "run1")} == {0o700}
    assert segment.lanes_of(RunFolder(tmp_path / "run1")) == [shm / "run1" / "p1xa.lane"]
    assert segment.sweep() == []
    _end(started)
    assert not shm.exists()


def test_only_what_the_dead_left_is_swept(shm: Path, tmp_path: Path) -> None:
    dead, living = _start(tmp_path / "run1", "p1xa"), _start(tmp_path / "run1", "p2xb")
    other = _start(tmp_path / "run2", "p3xc")
    for one in (dead, other):
        one.send_signal(signal.SIGKILL)
        one.communicate()
    assert segment.alive(shm / "run1" / "p2xb.lane")
    assert not segment.alive(shm / "run1" / "p1xa.lane")
    assert len(segment.sweep()) == 4
    assert sorted(path.name for path in shm.rglob("*")) == ["p2xb.0.1.ring", "p2xb.lane", "run1"]
    living.send_signal(signal.SIGKILL)
    living.communicate()
    segment.sweep()
    assert not shm.exists()


def test_a_lane_swept_while_it_is_made_is_made_again(shm: Path, tmp_path: Path) -> None:
    sweeping = subprocess.Popen(
        [sys.executable, "-c", "from mosaic.fastlane import segment\nwhile True: segment.sweep()"]
    )
    try:
        for number in range(200):
            lane = Lane(str(tmp_path / "run"), f"p{number}x")
            assert lane.folder == str(shm / "run")
            assert os.path.exists(lane.path)
            lane.close()
    finally:
        sweeping.kill()
        sweeping.wait()


@pytest.mark.parametrize("trick", ["open to others", "a link", "a file"])
def test_a_shared_folder_that_is_not_safely_ours_is_not_used(shm: Path, tmp_path: Path, trick: str) -> None:
    if trick == "a file":
        shm.touch()
    elif trick == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        shm.symlink_to(tmp_path / "elsewhere")
    else:
        shm.mkdir()
        shm.chmod(0o777)
    run = RunFolder(tmp_path / "run")
    run.path.mkdir(mode=0o700)
    lane = Lane(str(run.path), "p1xa")
    try:
        assert segment.lanes_of(run) == [run.path / "frames" / "p1xa.lane"]
        assert segment.sweep() == []
    finally:
        lane.close()
    assert list(run.path.iterdir()) == []


def test_no_room_and_no_folder_is_an_error_that_leaves_nothing(tmp_path: Path, shm: Path) -> None:
    shm.touch()
    with pytest.raises(OSError, match="frames"):
        Lane(str(tmp_path / "missing"), "p1xa")
    assert not (tmp_path / "missing").exists()


def test_what_is_no_plain_file_of_ours_is_not_mapped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("/etc/passwd")
    for name in ("pipe", "empty", "link"):
        with pytest.raises(ProtocolError):
            segment.attach(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        segment.attach(tmp_path / "missing")
