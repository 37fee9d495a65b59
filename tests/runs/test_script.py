from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING

from mosaic.runs.script import describe, find_script

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_script_file_of_a_command_is_found(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("pass")
    assert find_script(["python", "-u", "train.py", "other.py"], tmp_path) == tmp_path / "train.py"
    assert find_script(["python", str(tmp_path / "train.py")], tmp_path / "x") == tmp_path / "train.py"


def test_without_a_script_the_program_itself_counts(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    assert find_script(["./tool", "missing.py"], tmp_path) == program
    assert find_script(["tool"], tmp_path / "x", path=str(tmp_path)) == program
    assert find_script(["no-such-tool"], tmp_path) is None


def test_a_script_is_hashed_and_without_git_nothing_else_is_said(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes(b"pass\n")
    record = describe(["python", "train.py"], tmp_path)
    assert record is not None
    assert record.sha256 == hashlib.sha256(b"pass\n").hexdigest()
    assert (record.git_commit, record.git_dirty) == (None, None)


def test_the_commit_and_its_cleanness_are_noted(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(b"pass\n")
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for step in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *step], check=True)
    head = subprocess.run(
        ["git", "-C", str(tmp_path), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    clean = describe(["python", "train.py"], tmp_path)
    assert clean is not None
    assert (clean.git_commit, clean.git_dirty) == (head.stdout.strip(), False)
    script.write_bytes(b"1\n")
    dirty = describe(["python", "train.py"], tmp_path)
    assert dirty is not None
    assert dirty.git_dirty is True


def test_a_git_that_does_not_answer_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes(b"pass\n")
    record = describe(["python", "train.py"], tmp_path, git_timeout_secs=0.0)
    assert record is not None
    assert record.git_commit is None
