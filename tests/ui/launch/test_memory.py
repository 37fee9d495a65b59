"""What the launch form remembers: one file, whose loss costs nothing but typing."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.paths import DataRoot
from mosaic.ui.launch.memory import memory_file, recall, remember
from mosaic.ui.launch.model.memory import Draft, Memory
from mosaic_worker.common.redact import MARK


def test_what_was_remembered_comes_back(home: Path) -> None:
    root = DataRoot(home)
    kept = Memory(
        runner="tabular",
        algorithms={"tabular": "sarsa"},
        pages={"tabular": "trained"},
        drafts={"tabular/sarsa": Draft(basics={"seeds": "1-5"}, parameters={"gamma": "0.9"})},
        script={"command": "python x.py"},
    )
    remember(root, kept)
    assert recall(root) == kept
    assert memory_file(root).stat().st_mode & 0o077 == 0


def test_a_file_that_holds_something_else_is_passed_over(home: Path) -> None:
    root = DataRoot(home)
    remember(root, Memory(runner="sb3"))
    memory_file(root).write_text('{"runner": 7}')
    assert recall(root) == Memory()
    memory_file(root).write_bytes(b"\xff\xfe not json")
    assert recall(root) == Memory()


def test_a_data_root_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    remember(DataRoot(in_the_way), Memory(runner="sb3"))
    assert recall(DataRoot(in_the_way)) == Memory()


def test_a_secret_that_was_typed_is_not_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "canary-variable")
    root = DataRoot(home)
    draft = Draft(basics={"env.note": "canary-variable"}, parameters={"api_key": "canary", "lr": "0.1"})
    remember(
        root, Memory(drafts={"x/y": draft}, script={"command": "python a.py --password canary --seed 1"})
    )
    assert "canary" not in memory_file(root).read_text()
    back = recall(root)
    assert back.script["command"] == f"python a.py --password {MARK} --seed 1"
    assert back.drafts["x/y"].parameters == {"api_key": MARK, "lr": "0.1"}
