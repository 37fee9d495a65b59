"""Only the bytes that were asked for are opened."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from mosaic_worker.drivers.kit.command import Refused
from mosaic_worker.drivers.kit.loading import opened

if TYPE_CHECKING:
    from pathlib import Path


def test_the_copy_has_the_same_bytes_and_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSAIC_RUN_DIR", str(tmp_path))
    path = tmp_path / "table.npz"
    path.write_bytes(b"table" * 1000)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for sha256, pickled in ((digest, True), (digest.upper(), True), (None, False)):
        with opened(str(path), sha256=sha256, pickled=pickled) as file:
            assert file.read() == path.read_bytes()
            assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none"):
        with pytest.raises(Refused, match="there is no file"), opened(str(path), sha256=None, pickled=False):
            pytest.fail("it was opened")
