"""Break the product on purpose and see whether a proof notices. The product's own files are never touched.

A mutant is one replaced passage in one source file. It is applied to a copy of `src/`; the proof runs against
that copy, in the same way as always, and must fail. A passage that is no longer found, or found twice, is an
error: a mutant must not go stale silently.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mutant:
    """One deliberate break, the promise it betrays, and the proof that must catch it."""

    name: str
    guarantee: str
    file: str
    old: str
    new: str
    proof: str

    def apply(self, source: Path) -> None:
        """Replace the passage in a copy of the sources."""
        path = source / self.file
        text = path.read_text()
        found = text.count(self.old)
        if found != 1:
            raise LookupError(
                f"mutant {self.name}: its passage stands {found} times in {self.file}, not once"
            )
        path.write_text(text.replace(self.old, self.new))


def survives(mutant: Mutant, scratch: Path) -> str | None:
    """None when the proof failed on the mutant, as it should; else what the proof printed."""
    source = scratch / "src"
    shutil.copytree(REPOSITORY / "src", source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    mutant.apply(source)
    # The copy comes first on the path of the test process and of every process it starts.
    environment = {
        **os.environ,
        "PYTHONPATH": f"{source}{os.pathsep}{REPOSITORY}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", ""]
    command += ["-o", f"pythonpath={source} {REPOSITORY}", "--basetemp", str(scratch / "tmp"), mutant.proof]
    try:
        done = subprocess.run(
            command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
    finally:
        sweep(scratch)
    if done.returncode == 1:
        return None
    return f"exit code {done.returncode} (1 = caught)\n{done.stdout[-3000:]}\n{done.stderr[-1000:]}"


def sweep(scratch: Path) -> None:
    """End what a broken product left behind: all that runs from the copy, or names the folder it lay in."""
    mark = re.compile(re.escape(str(scratch)) + r"(?![\w.-])")  # not the folder beside it that begins alike
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            told = [*process.cmdline(), process.environ().get("PYTHONPATH", "")]
            if process.pid != os.getpid() and any(map(mark.search, told)):
                process.kill()
