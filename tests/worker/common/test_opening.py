from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from mosaic_worker.common.opening import (
    BadFileError,
    check_regular,
    open_folder,
    open_regular,
    read_whole,
    rename_over,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _link(path: Path) -> None:
    (path.parent / "target").write_bytes(b"outside")
    path.symlink_to(path.parent / "target")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


BAD: dict[str, Callable[[Path], object]] = {
    "a folder": lambda path: path.mkdir(),
    "a named pipe": os.mkfifo,
    "a link": _link,
    "a socket": _socket,
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize(
    "flags", [os.O_RDONLY, os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC]
)
def test_what_is_no_regular_file_is_refused_by_name_and_not_waited_for(
    tmp_path: Path, kind: str, flags: int
) -> None:
    path = tmp_path / "it"
    BAD[kind](path)
    with pytest.raises(BadFileError, match=f"{kind} where a file should be"):
        open_regular(path, flags)
    with pytest.raises(BadFileError, match=f"{kind} where a file should be"):
        check_regular(path)
    if kind == "a link":
        assert (tmp_path / "target").read_bytes() == b"outside"


def test_a_device_is_refused() -> None:
    with pytest.raises(BadFileError, match="a device where a file should be"):
        open_regular("/dev/zero")


def test_what_is_not_there_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")
    check_regular(tmp_path / "none")


@pytest.mark.parametrize("kind", ["a file", "a named pipe", "a link"])
def test_what_is_no_folder_is_refused_as_one(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it"
    if kind == "a link":
        path.symlink_to(tmp_path)
    else:
        (BAD.get(kind) or (lambda one: one.touch()))(path)
    with pytest.raises(BadFileError, match=f"{kind} where a folder should be"):
        open_folder(path)


def test_a_file_larger_than_allowed_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_bytes(b"12345")
    assert read_whole(path, at_most_bytes=5) == b"12345"
    with pytest.raises(BadFileError, match="more than 4 bytes"):
        read_whole(path, at_most_bytes=4)


def test_a_file_takes_its_place_whatever_has_it(tmp_path: Path) -> None:
    folder = open_folder(tmp_path)
    try:
        for kind, make in BAD.items():
            path = tmp_path / "it"
            make(path)
            (tmp_path / "new").write_text(kind)
            rename_over("new", "it", dir_fd=folder)
            assert not path.is_symlink()
            assert path.read_text() == kind
            path.unlink()
    finally:
        os.close(folder)
    assert (tmp_path / "target").read_bytes() == b"outside"
    assert [path.is_dir() for path in tmp_path.glob(".it.aside-*")] == [True]


def test_a_regular_file_is_opened_and_not_inherited(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"hello")
    parent = open_folder(tmp_path)
    fd = open_regular("a", dir_fd=parent)
    assert os.read(fd, 10) == b"hello"
    assert not os.get_inheritable(fd)
    os.close(fd)
    os.close(parent)


def test_a_refused_file_leaves_no_descriptor(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with pytest.raises(BadFileError):
            open_regular(tmp_path / "p")
    assert len(os.listdir("/proc/self/fd")) == before
