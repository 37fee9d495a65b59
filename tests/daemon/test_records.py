"""Records: what the daemon hears of a run's folder between two looks."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mosaic.daemon.records import Records
from mosaic.paths import DataRoot, RunFolder
from mosaic.runs import inotify

FIRST, SECOND = "01K0000000000000000000000A", "01K0000000000000000000000B"


def _folders(root: Path) -> list[RunFolder]:
    folders = [DataRoot(root).run(run_id) for run_id in (FIRST, SECOND)]
    for folder in folders:
        folder.path.mkdir(parents=True)
    return folders


def _replace(path: Path) -> None:
    temporary = path.with_name(".new")
    temporary.touch()
    temporary.replace(path)


def test_a_record_that_is_replaced_is_heard_and_other_changes_are_not(tmp_path: Path) -> None:
    heard = threading.Semaphore(0)
    first, _ = _folders(tmp_path)
    records = Records(heard.release)
    records.start()
    assert records.follow([first])
    (first.path / "stdout.log").write_text("a line")
    _replace(first.exit)
    assert heard.acquire(timeout=30)
    records.close()
    assert not heard.acquire(blocking=False)


def test_only_the_folders_that_were_asked_for_last_are_listened_to(tmp_path: Path) -> None:
    heard = threading.Semaphore(0)
    first, second = _folders(tmp_path)
    records = Records(heard.release)
    records.start()
    assert records.follow([first])
    assert records.follow([second])
    _replace(first.exit)
    _replace(second.exit)
    assert heard.acquire(timeout=30)
    records.close()
    assert not heard.acquire(blocking=False)


def test_who_cannot_hear_all_of_them_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = _folders(tmp_path)
    gone = DataRoot(tmp_path).run("01K0000000000000000000000C")
    records = Records(lambda: None)
    records.start()
    assert not records.follow([first, gone])
    records.close()
    records.close()

    def none() -> None:
        raise OSError

    monkeypatch.setattr(inotify, "Notices", none)
    deaf = Records(lambda: None)
    deaf.start()
    assert not deaf.follow([first])
    deaf.close()
