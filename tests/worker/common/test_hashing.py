"""What a file or a folder holds, as one hash; and what is refused."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from mosaic_worker.common import hashing
from mosaic_worker.common.hashing import hash_folder, hash_open_file
from mosaic_worker.common.opening import BadFileError


def make(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def test_a_file_is_hashed_and_counted(tmp_path: Path) -> None:
    fd = os.open(make(tmp_path, a="weights") / "a", os.O_RDONLY)
    try:
        assert hash_open_file(fd) == (hashlib.sha256(b"weights").hexdigest(), 7, None)
    finally:
        os.close(fd)


def test_the_same_files_have_the_same_hash_wherever_and_in_whatever_order_they_were_made(
    tmp_path: Path,
) -> None:
    one = make(tmp_path / "one", a="1", b__c="2", b__d="3")
    other = make(tmp_path / "other", b__d="3", b__c="2", a="1")
    assert hash_folder(one) == hash_folder(other)
    assert hash_folder(one)[1:] == (3, 3)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: make(folder, a="x"),
        lambda folder: make(folder, new="1"),
        lambda folder: (folder / "a").rename(folder / "b" / "a"),
        lambda folder: (folder / "a").unlink(),
        lambda folder: (folder / "link").symlink_to("a"),
    ],
)
def test_any_change_of_a_file_changes_it(tmp_path: Path, change: object) -> None:
    folder = make(tmp_path / "one", a="1", b__c="2")
    before = hash_folder(folder).sha256
    assert callable(change)
    change(folder)
    assert hash_folder(folder).sha256 != before


def test_a_link_is_noted_and_not_followed(tmp_path: Path) -> None:
    folder = make(tmp_path / "one", a="1")
    (folder / "out").symlink_to("/etc/passwd")
    held = hash_folder(folder)
    assert (held.bytes, held.files) == (1, 1)
    (folder / "out").unlink()
    (folder / "out").symlink_to("/etc/group")
    assert hash_folder(folder).sha256 != held.sha256


def test_a_pipe_a_link_to_a_folder_and_too_many_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path / "one", a="1", b="2")
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(OSError, match=r"link"):
        hash_folder(tmp_path / "link")
    monkeypatch.setattr(hashing, "MAX_FILES", 1)
    with pytest.raises(BadFileError, match="more than 1 files"):
        hash_folder(folder)
    monkeypatch.undo()
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadFileError, match="a named pipe"):
        hash_folder(folder)


def test_folders_without_end_are_refused(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(40):
        deep = deep / "d"
    deep.mkdir(parents=True)
    with pytest.raises(BadFileError, match="deep"):
        hash_folder(tmp_path)


def test_no_more_is_read_than_the_record_speaks_of(tmp_path: Path) -> None:
    folder = make(tmp_path / "one", a="x" * 100, b="y" * 100)
    held = hash_folder(folder, at_most_bytes=50)
    assert held.files == 1
    assert held.sha256 != hash_folder(folder).sha256
