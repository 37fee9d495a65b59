"""One break at a time in a copy of the tree, and whether the tests notice. The tree itself is never touched.

The copy holds sources and tests alike, because some tests read the sources by their place beside them. It
comes first on the path of the test process and of every process it starts.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.changes import Change, changed
from tests.mutation.mirrors import mirror, ring
from tests.proof.mutation import sweep

__all__ = ["Mutant", "Outcome", "Workspace"]

_LEFT_OUT = shutil.ignore_patterns(
    ".git",
    ".venv",
    "__pycache__",
    "*.egg-info",
    "build",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    "images",
)
_NOTICED = {
    1: "killed",
    2: "killed",
    3: "killed",
}  # a test failed; the module no longer imports; pytest itself


@dataclass(frozen=True)
class Mutant:
    """One break of one module, given by its path below the tree's root."""

    module: str
    change: Change

    def __str__(self) -> str:
        return f"{self.module}:{self.change.line}  {self.change.what}  in  {self.change.context[:90]}"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: killed, killed by timeout, survived, or not judged because no test runs."""

    mutant: Mutant
    verdict: str
    by: str = ""

    @property
    def killed(self) -> bool:
        """Whether some test noticed."""
        return self.verdict in ("killed", "timeout")


class Workspace:
    """A copy of the tree for one mutant after the other.

    Args:
        root: the tree.
        scratch: an empty folder of this workspace's own.
        mirror_secs: longer than this for a mirror counts as a mutant that hangs.
        ring_secs: how long the tests around the mirror may look; what they have not found by then survives.
    """

    def __init__(self, root: Path, scratch: Path, *, mirror_secs: float, ring_secs: float) -> None:
        self._copy = scratch / "tree"
        self._temporary = scratch / "tmp"
        self._scratch = scratch
        self._mirror_secs, self._ring_secs = mirror_secs, ring_secs
        shutil.copytree(root, self._copy, ignore=_LEFT_OUT)

    def judge(self, mutant: Mutant) -> Outcome:
        """Plant the break, run the tests, take it out again."""
        path = self._copy / mutant.module
        source = path.read_bytes()
        path.write_bytes(changed(source, mutant.change))
        try:
            return self._judge(mutant, path)
        finally:
            path.write_bytes(source)

    def _judge(self, mutant: Mutant, path: Path) -> Outcome:
        first = mirror(self._copy, path)
        around = ring(self._copy, path)
        if not first + around:
            return Outcome(mutant, "survived", "no test imports it")
        code, by = self._run(first, timeout_secs=self._mirror_secs) if first else (0, "")
        if code is None:
            return Outcome(mutant, "timeout", _names(first))
        if code in _NOTICED:
            return Outcome(mutant, _NOTICED[code], by)
        if around and self._ring_secs > 0:
            code, by = self._run(around, timeout_secs=self._ring_secs)
            if code is not None and code in _NOTICED:
                return Outcome(mutant, _NOTICED[code], by)
        return Outcome(mutant, "survived", _names(first))

    def _run(self, tests: list[Path], *, timeout_secs: float) -> tuple[int | None, str]:
        """Pytest's exit code and the first test that failed; None when it had not ended in time."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--timeout", "60"]
        command += ["-m", "not heavy and not frameworks", "--basetemp", str(self._temporary)]
        process = subprocess.Popen(
            [*command, *map(str, tests)],
            cwd=self._copy,
            env={
                **os.environ,
                "PYTHONPATH": f"{self._copy / 'src'}{os.pathsep}{self._copy}",
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
            said, _ = process.communicate(timeout=timeout_secs)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
        finally:
            sweep(self._scratch)
            shutil.rmtree(self._temporary, ignore_errors=True)
        failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return process.returncode, failed[0].split(" ")[1] if failed else ""


def _names(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths)
