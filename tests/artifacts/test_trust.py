"""Trust is in exact bytes, kept where only we can write."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import pytest

from mosaic.artifacts import trust
from mosaic.errors import UsageError
from mosaic.paths import DataRoot

if TYPE_CHECKING:
    from pathlib import Path


def test_bytes_are_trusted_wherever_they_turn_up_and_other_bytes_are_not(home: Path, tmp_path: Path) -> None:
    root, path = DataRoot(home), tmp_path / "model.zip"
    path.write_bytes(b"weights")
    digest = hashlib.sha256(b"weights").hexdigest()
    assert not trust.is_trusted(root, digest)
    assert trust.trust(root, path) == (digest, 7)
    path.write_bytes(b"others")
    assert trust.is_trusted(root, digest)
    assert not trust.is_trusted(root, trust.hash_file(path).sha256)
    kept = root.trust / "sha256" / digest
    assert kept.stat().st_mode & 0o777 == 0o600
    assert root.trust.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("digest", [None, "", "../runs", "A" * 64, "0" * 63])
def test_what_is_no_hash_is_never_trusted(home: Path, digest: str | None) -> None:
    (home / "trust" / "sha256").mkdir(parents=True)
    assert not trust.is_trusted(DataRoot(home), digest)


def test_only_regular_files_are_hashed_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing"):
        with pytest.raises(UsageError):
            trust.hash_file(path)


def test_a_file_that_is_longer_than_expected_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(bytes(5 << 20))
    assert trust.hash_file(path, at_most=10).bytes < 5 << 20


def test_a_run_is_ours_until_it_is_forgotten(home: Path) -> None:
    root = DataRoot(home)
    assert not trust.is_own_run(root, "R")
    trust.own_run(root, "R")
    assert trust.is_own_run(root, "R")
    trust.forget_run(root, "R")
    trust.forget_run(root, "R")
    assert not trust.is_own_run(root, "R")


def test_who_trusts_is_told_what_and_the_record_says_when(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"weights")
    root = DataRoot(home)
    found = trust.trust(root, file, now=12.5)
    record = json.loads((root.trust / "sha256" / found.sha256).read_bytes())
    assert (record["path"], record["bytes"], record["t"]) == (str(file), 7, 12.5)
    said = trust.trust(root, file)
    assert json.loads((root.trust / "sha256" / said.sha256).read_bytes())["t"] > 1e9
