from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from mosaic.runners.children import child_environment, run_child

if TYPE_CHECKING:
    from pathlib import Path


def test_a_child_gets_what_it_is_given_and_its_words_come_back() -> None:
    code = "import sys; print(sys.stdin.read()); print('beside', file=sys.stderr)"
    ended = run_child([sys.executable, "-c", code], given=b"hello", timeout_secs=60)
    assert (ended.out, ended.err, ended.how) == (b"hello\n", "beside\n", "")


@pytest.mark.parametrize(
    ("code", "how"),
    [("raise SystemExit(3)", "ended with code 3"), ("import os; os.abort()", "was ended by SIGABRT")],
)
def test_how_a_child_ended_is_said(code: str, how: str) -> None:
    assert run_child([sys.executable, "-c", code], timeout_secs=60).how == how


def test_a_child_that_takes_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = (
        "import subprocess, sys, time, pathlib;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f"pathlib.Path({str(pid_file)!r}).write_text(str(p.pid)); time.sleep(600)"
    )
    ended = run_child([sys.executable, "-c", code], timeout_secs=2)
    assert ended.how == "did not answer within 2 s and was ended"
    if pid_file.exists():  # on a very slow machine it was ended before it came to that
        until = time.monotonic() + 30
        while _lives(int(pid_file.read_text())):
            assert time.monotonic() < until, "what it started lives on"
            time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_child_needs_no_screen_and_does_not_record() -> None:
    found = child_environment({"MOSAIC_RUN_DIR": "/x", "MUJOCO_GL": "osmesa", "HOME": "/h"})
    assert "MOSAIC_RUN_DIR" not in found
    assert (found["SDL_VIDEODRIVER"], found["MUJOCO_GL"], found["HOME"]) == ("dummy", "osmesa", "/h")


def test_a_program_that_is_not_there_is_an_os_error() -> None:
    with pytest.raises(OSError, match="No such file"):
        run_child(["/nowhere/python"], timeout_secs=5, env=os.environ)


def test_a_child_that_writes_without_end_is_ended_and_its_last_words_are_kept() -> None:
    code = "import sys\nwhile True: print('x' * 1000)"
    ended = run_child([sys.executable, "-c", code], timeout_secs=60, most_out=5000)
    assert ended.how == "wrote more than 5000 bytes and was ended"
    code = "import sys; sys.stderr.write('x' * 1_000_000 + 'the last word'); print('fine')"
    ended = run_child([sys.executable, "-c", code], timeout_secs=60, kept_err=20)
    assert (ended.out, ended.err, ended.how) == (b"fine\n", "x" * 7 + "the last word", "")


def test_a_child_that_closes_its_output_and_stays_is_ended() -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(600)"
    ended = run_child([sys.executable, "-c", code], timeout_secs=2)
    assert "within 2 s and was ended" in ended.how  # whether it came to closing them or not


def test_more_than_a_pipe_takes_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 65536 bytes"):
        run_child(["/bin/true"], timeout_secs=5, given=b"x" * 70_000)
