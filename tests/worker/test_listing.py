"""When what was saved is listed, and with which bytes."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from mosaic_worker import listing as module
from mosaic_worker.listing import Listing, listed_by_itself, path_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def events() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def listing(tmp_path: Path, events: list[dict[str, Any]]) -> Listing:
    def emit(event: dict[str, Any]) -> int:
        events.append(event)
        return len(events)

    return Listing(str(tmp_path / "run"), emit=emit)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_opened_by_its_descriptor_or_renamed_while_open_has_its_place(tmp_path: Path) -> None:
    fd, name = tempfile.mkstemp(dir=tmp_path)
    with os.fdopen(fd, "wb") as file:
        assert path_of(file) == name
    with (tmp_path / "a").open("wb") as file:
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "a").touch()
        assert path_of(file) == str(tmp_path / "b")
        (tmp_path / "b").unlink()
        assert path_of(file) is None
    assert path_of(file) is None
    assert [path_of(target) for target in (os.devnull, tmp_path, 3.5, None, tmp_path / "no")] == [None] * 5


def test_an_open_file_is_listed_with_what_was_saved_and_again_if_more_was_written(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]]
) -> None:
    with (tmp_path / "a.pt").open("wb") as file:
        file.write(b"weights")
        listing.saved(file, kind="torch")
        assert [event["sha256"] for event in events] == [sha(b"weights")], "at once: a kill must not lose it"
        file.write(b" and more")
    del file
    assert [event["sha256"] for event in events] == [sha(b"weights"), sha(b"weights and more")]
    listing.close()
    assert len(events) == 2


def test_one_that_did_not_change_is_listed_once(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]]
) -> None:
    with (tmp_path / "a.pt").open("wb") as file:
        file.write(b"weights")
        listing.saved(file, kind="torch")
    listing.settle()
    listing.close()
    assert len(events) == 1


def test_a_compressed_file_is_listed_when_it_is_closed_at_the_latest_at_the_end(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]]
) -> None:
    path = tmp_path / "a.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"weights")
        listing.saved(file, kind="pickle")
        assert events == []
    listing.close()
    assert [event["sha256"] for event in events] == [sha(path.read_bytes())]


def test_a_temporary_file_that_goes_when_closed_is_never_listed(
    listing: Listing, events: list[dict[str, Any]]
) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"weights")
        listing.saved(file, kind="torch")
    listing.close()
    assert events == []


def test_a_large_file_is_hashed_beside_the_training_and_listed_under_the_name_it_has_then(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_HASHED_AT_ONCE_BYTES", 3)
    (tmp_path / "tmp").write_bytes(b"large")
    with listing._lock:  # the hash is ready only when we are
        listing.saved(str(tmp_path / "tmp"), kind="torch")
        (tmp_path / "tmp").rename(tmp_path / "policy")
        listing.moved(tmp_path / "tmp", tmp_path / "policy")
        assert events == []
    listing.close()
    assert [(event["path"], event["sha256"]) for event in events] == [
        (str(tmp_path / "policy"), sha(b"large"))
    ]


def test_a_large_file_that_changed_while_it_was_hashed_is_not_listed_with_the_old_hash(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_HASHED_AT_ONCE_BYTES", 3)
    path = tmp_path / "policy"
    path.write_bytes(b"large")
    with listing._lock:
        listing.saved(path, kind="torch")
        path.unlink()
        path.write_bytes(b"other")
    listing.close()
    assert events == []


def test_what_a_driver_lists_itself_no_hook_lists(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]]
) -> None:
    path = tmp_path / "a.pt"
    path.write_bytes(b"weights")
    with listed_by_itself():
        listing.saved(path, kind="torch")
        listing.saved_folder(tmp_path, kind="rllib")
    assert events == []
    listing.saved(path, kind="torch")
    assert len(events) == 1


def test_a_folder_is_listed_with_the_hash_of_its_manifest_and_relative_inside_the_run(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]]
) -> None:
    folder = tmp_path / "run" / "checkpoints" / "7"
    folder.mkdir(parents=True)
    (folder / "a").write_bytes(b"weights")
    listing.saved_folder(folder, kind="rllib", step=3)
    digest = sha(f"{sha(b'weights')} 7 a\0".encode())
    assert events == [
        {
            "type": "checkpoint",
            "path": "checkpoints/7",
            "sha256": digest,
            "bytes": 7,
            "step": 3,
            "kind": "rllib",
            "meta": {"files": 1},
        }
    ]
    (folder / "b").write_bytes(b"!")
    folder.rename(tmp_path / "kept")
    listing.moved(folder, tmp_path / "kept")
    assert (events[1]["path"], events[1]["bytes"]) == (str(tmp_path / "kept"), 8), "hashed again"
    assert events[1]["meta"] == {"files": 2, "renamed_from": "checkpoints/7"}


def test_only_so_many_are_followed(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_FOLLOWED", 2)
    for name in "abc":
        (tmp_path / name).write_bytes(b"weights")
        listing.saved(tmp_path / name, kind="torch")
    for name in "abc":
        (tmp_path / name).rename(tmp_path / (name + "2"))
        listing.moved(tmp_path / name, tmp_path / (name + "2"))
    assert [os.path.basename(event["path"]) for event in events] == ["a", "b", "c", "b2", "c2"]


def test_what_was_not_said_of_a_checkpoint_is_not_in_its_event(
    tmp_path: Path, listing: Listing, events: list[dict[str, Any]]
) -> None:
    (tmp_path / "a").write_bytes(b"weights")
    listing.add(tmp_path / "a", step=None, kind=None, meta=None)
    listing.add(tmp_path / "a", step=0, kind="", meta={})
    assert [sorted(set(event) - {"path", "sha256", "bytes"}) for event in events] == [
        ["type"],
        ["kind", "step", "type"],
    ]
