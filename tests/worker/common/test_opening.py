from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from mosaic_worker.common.opening import BadFileError, open_folder, open_regular, read_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


def link_to_file(path: Path) -> None:
    (path.parent / "target").write_bytes(b"x")
    path.symlink_to("target")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


BAD = [folder, pipe, listening, link_to_file, link_to_itself, link_to_device]


@pytest.mark.parametrize("put", BAD)
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT])
def test_what_is_not_a_regular_file_is_refused_at_once_and_named(
    put: Callable[[Path], None], flags: int, tmp_path: Path
) -> None:
    path = tmp_path / "exit.json"
    put(path)
    with pytest.raises(BadFileError, match="where a file should be") as refused:
        os.close(open_regular(path, flags))
    words = {"folder": "a folder", "pipe": "a named pipe", "listening": "a socket"}
    assert words.get(put.__name__, "a link") in str(refused.value)
    assert refused.value.filename == str(path)


def test_a_regular_file_is_opened_and_not_inherited(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"hello")
    parent = open_folder(tmp_path)
    fd = open_regular("a", dir_fd=parent)
    assert os.read(fd, 10) == b"hello"
    assert not os.get_inheritable(fd)
    os.close(fd)
    os.close(parent)


def test_a_refused_file_leaves_no_descriptor(tmp_path: Path) -> None:
    pipe(tmp_path / "p")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with pytest.raises(BadFileError):
            open_regular(tmp_path / "p")
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_missing_file_is_just_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nothing")


def test_a_link_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(OSError, match="directory|symbolic"):
        open_folder(tmp_path / "link")


@pytest.mark.parametrize("size", [0, 1, 9, 10])
def test_a_file_within_the_bound_is_read_whole(size: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    assert read_whole(tmp_path / "a", at_most_bytes=10) == b"x" * size


def test_a_file_beyond_the_bound_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 11)
    with pytest.raises(BadFileError, match="more than 10 bytes"):
        read_whole(tmp_path / "a", at_most_bytes=10)
