"""One run of pytest in a copy of the tree: what failed first, and whether something hung. Judges nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.proof.mutation import sweep

__all__ = ["QUICK", "WITH_FRAMEWORKS", "Seen", "run"]

QUICK = "not heavy and not frameworks"
WITH_FRAMEWORKS = "frameworks"
_PASSED = {0, 5}  # 5: every test was deselected
_HUNG = "from pytest-timeout"


@dataclass(frozen=True)
class Seen:
    """What a run of pytest showed.

    Args:
        failed: whether anything did.
        by: the test that failed first, or the file that could not be collected; empty when it was pytest.
        hung: a test, or the run, was not over in time.
    """

    failed: bool
    by: str = ""
    hung: bool = False


def run(
    tree: Path,
    tests: Sequence[str],
    *,
    scratch: Path,
    timeout_secs: float,
    marked: str = QUICK,
    without: Iterable[str] = (),
    collect_only: bool = False,
) -> Seen:
    """Run the tests up to the first that fails, and end every process they leave behind.

    Args:
        tree: where; its sources come first on the path of pytest and of every process it starts.
        tests: files below the tree, or ids.
        scratch: a folder that no other run uses meanwhile; the tree lies in it.
        timeout_secs: for the whole run. A single test has the limit that the tree's own settings give it.
        marked: pytest's expression for the tests that are meant.
        without: ids of tests that are left out.
        collect_only: only see whether the tests can be imported.
    """
    temporary = scratch / "tmp"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", marked]
    command += ["--basetemp", str(temporary), *(["--collect-only"] if collect_only else [])]
    for test in sorted(test for test in without if "::" in test):
        command += ["--deselect", test]
    process = subprocess.Popen(
        [*command, *tests],
        cwd=tree,
        env={
            **os.environ,
            "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "QT_QPA_PLATFORM": "offscreen",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
        errors="replace",
    )
    try:
        said, _ = process.communicate(timeout=max(timeout_secs, 0.1))
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Seen(failed=True, hung=True)
    finally:
        sweep(scratch)
        shutil.rmtree(temporary, ignore_errors=True)
    if process.returncode in _PASSED:
        return Seen(failed=False)
    return Seen(failed=True, by=_first_failed(said), hung=_HUNG in said)


def _first_failed(said: str) -> str:
    """The id in pytest's line `FAILED id - message`; an id may have spaces in it."""
    for line in said.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.partition(" ")[2].partition(" - ")[0]
    return ""
