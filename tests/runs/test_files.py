from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.errors import DataRootError
from mosaic.protocol.runs import Control, Want
from mosaic.runs.files import make_private, read_json, write_atomically, write_json

if TYPE_CHECKING:
    from pathlib import Path


def test_a_record_comes_back_as_it_went(tmp_path: Path) -> None:
    path = tmp_path / "control.json"
    assert read_json(path, Control) is None
    write_json(path, Control(want=Want.PAUSE, reason="ü"))
    assert read_json(path, Control) == Control(want=Want.PAUSE, reason="ü")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_something_else_in_its_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "control.json").write_bytes(b"{")
    with pytest.raises(msgspec.DecodeError):
        read_json(tmp_path / "control.json", Control)


def test_a_write_that_fails_leaves_the_old_content_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def broken(_: int) -> None:
        raise OSError(5, "input/output error")

    monkeypatch.setattr(os, "fdatasync", broken)
    with pytest.raises(OSError, match="input/output"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_folder_is_made_closed_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        make_private(tmp_path / "mine")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o700
    make_private(tmp_path / "mine")


def test_a_folder_that_is_open_a_link_or_a_file_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    with pytest.raises(DataRootError, match="chmod 700"):
        make_private(tmp_path / "open")
    (tmp_path / "file").touch()
    with pytest.raises(DataRootError, match="MOSAIC_HOME"):
        make_private(tmp_path / "file")
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(DataRootError, match="not a folder"):
        make_private(tmp_path / "link")
