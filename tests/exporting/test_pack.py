"""One run as one file."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
import zstandard
from ulid import ULID

from mosaic.errors import MosaicError, UsageError
from mosaic.exporting import archive
from mosaic.exporting.pack import pack
from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunSpec
from mosaic.runs.folder import create

if TYPE_CHECKING:
    from mosaic.paths import RunFolder


@pytest.fixture
def run(home: Path) -> RunFolder:
    """A run with one file of output."""
    folder = create(DataRoot(home), RunSpec(run_id=str(ULID()), command=["true"], cwd="/"), created=1.0)
    folder.stdout.write_bytes(b"out")
    return folder


def test_the_list_of_files_comes_first_and_holds_every_hash(run: RunFolder, tmp_path: Path) -> None:
    target, told = tmp_path / "a.mosaic.tar.zst", []
    left = pack(run, target, on_file=lambda done, total: told.append((done, total)))
    assert left == []
    assert told == [(1, 2), (2, 2)]
    assert target.stat().st_mode & 0o077 == 0
    with (
        target.open("rb") as raw,
        tarfile.open(fileobj=zstandard.ZstdDecompressor().stream_reader(raw), mode="r|") as tar,
    ):
        names = []
        for member in tar:
            names.append(member.name)
            if member.name == archive.MANIFEST_NAME:
                body = tar.extractfile(member)
                assert body is not None
                manifest = msgspec.json.decode(body.read(), type=archive.PackManifest)
    assert names == [archive.MANIFEST_NAME, "manifest.json", "stdout.log"]
    assert [file.sha256 for file in manifest.files] == [
        archive.hash_file(run.manifest),
        archive.hash_file(run.stdout),
    ]


def test_links_are_left_out_and_named(run: RunFolder, tmp_path: Path) -> None:
    link = run.path / "link"
    link.symlink_to("/etc/passwd")
    assert pack(run, tmp_path / "a.mosaic.tar.zst") == [link]


def test_an_existing_file_is_not_overwritten(run: RunFolder, tmp_path: Path) -> None:
    target = tmp_path / "a.mosaic.tar.zst"
    target.write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        pack(run, target)
    assert target.read_text() == "mine"
    pack(run, target, force=True)
    assert target.read_bytes() != b"mine"


def test_a_run_that_changes_meanwhile_makes_no_file(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "hash_file", lambda _: "0" * 64)
    with pytest.raises(MosaicError, match="changed while it was packed"):
        pack(run, tmp_path / "a.mosaic.tar.zst")
    assert list(tmp_path.glob("*.zst*")) == []
    assert list(tmp_path.glob(".*.tmp")) == []
