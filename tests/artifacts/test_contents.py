from __future__ import annotations

import os
import zipfile
from typing import TYPE_CHECKING

from mosaic.artifacts.contents import members

if TYPE_CHECKING:
    from pathlib import Path


def test_the_names_in_a_zip_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "policy"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", "{}")
        archive.writestr("policy.pth", b"")
    assert members(path) == {"data", "policy.pth"}
    link = tmp_path / "link"
    link.symlink_to(path)
    assert members(link) == {"data", "policy.pth"}


def test_whatever_is_no_zip_file_has_none(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("PK, they say")
    cut = tmp_path / "cut.zip"
    with zipfile.ZipFile(cut, "w") as archive:
        archive.writestr("data", "x" * 1000)
    cut.write_bytes(cut.read_bytes()[:-30])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (text, cut, pipe, tmp_path, tmp_path / "nowhere"):
        assert members(path) == frozenset(), path
