"""What the kernel tells of files."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

import pytest

from mosaic.runs.inotify import CREATED, GONE, RENAMED, TOUCHED, WRITTEN, Notices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def notices() -> Iterator[Notices]:
    found = Notices()
    yield found
    found.close()


def test_what_is_written_touched_created_and_renamed_is_told_with_its_watch(
    tmp_path: Path, notices: Notices
) -> None:
    file = tmp_path / "file"
    file.touch()
    of_file, of_folder = notices.watch(file, WRITTEN | TOUCHED), notices.watch(tmp_path, CREATED | RENAMED)
    assert notices.take() == []
    file.write_bytes(b"x")
    os.utime(file, ns=(1, 1))
    (tmp_path / "new").touch()
    (tmp_path / "new").rename(tmp_path / "newer")
    assert select.select([notices.fd], [], [], 10)[0] == [notices.fd]
    told = notices.take()
    assert (of_folder, CREATED, "new") in told
    assert (of_folder, RENAMED, "newer") in told
    assert {kinds for number, kinds, _ in told if number == of_file} >= {WRITTEN, TOUCHED}


def test_a_watch_ends_with_its_file_and_says_so(tmp_path: Path, notices: Notices) -> None:
    file = tmp_path / "file"
    file.touch()
    number = notices.watch(file, TOUCHED)
    file.unlink()
    assert (number, GONE, "") in notices.take()
    notices.ignore(number)


def test_a_link_is_watched_itself_and_not_what_it_leads_to(tmp_path: Path, notices: Notices) -> None:
    outside, link = tmp_path / "outside", tmp_path / "link"
    outside.touch()
    link.symlink_to(outside)
    notices.watch(link, TOUCHED)
    os.utime(outside, ns=(1, 1))
    assert notices.take() == []
    with pytest.raises(FileNotFoundError):
        notices.watch(tmp_path / "nothing", TOUCHED)
