"""One break at a time in a copy of the tree, and whether the tests notice. The tree itself is never touched.

The copy holds sources and tests alike, because some tests read the sources by their place beside them; and it
is a git repository, because some ask git for the files. A failure counts only when it says something of the
break: the same test fails again, alone, and passes in a second copy that has no break in it.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.changes import Change, changed
from tests.mutation.mirrors import framework_tests, mirror, ring
from tests.mutation.pytests import QUICK, WITH_FRAMEWORKS, Seen, run

__all__ = ["Limits", "Mutant", "Outcome", "Workspace"]

_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", "*.egg-info", "build", "dist", ".*_cache", ".hypothesis"
)
_CHANCE_FAILURES = 5
"""So many tests may fail on a break without failing again; then the break counts as not noticed."""


@dataclass(frozen=True)
class Limits:
    """How long tests may look at one mutant.

    Args:
        mirror_secs: longer than this for a mirror, when it is not as long without the break, is a hang.
        ring_secs: for the tests around the mirror; what they have not found by then survives. 0: not asked.
        framework_secs: for the tests with real frameworks, asked about modules that need one.
    """

    mirror_secs: float
    ring_secs: float
    framework_secs: float = 1800.0


@dataclass(frozen=True)
class Mutant:
    """One break of one module, given by its path below the tree's root."""

    module: str
    change: Change

    def __str__(self) -> str:
        return f"{self.module}:{self.change.line}  {self.change.what}  in  {self.change.context[:90]}"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: killed, killed by timeout, or survived."""

    mutant: Mutant
    verdict: str
    by: str = ""

    @property
    def killed(self) -> bool:
        """Whether some test noticed."""
        return self.verdict in ("killed", "timeout")


class Workspace:
    """Two copies of the tree: one for a mutant after the other, one that stays clean.

    Args:
        root: the tree.
        scratch: an empty folder of this workspace's own.
        limits: how long tests may look.
        healthy: what is known of tests on a clean copy, by id; workspaces of the same tree share it.
    """

    def __init__(
        self, root: Path, scratch: Path, *, limits: Limits, healthy: MutableMapping[str, bool]
    ) -> None:
        self._broken, self._clean = scratch / "broken", scratch / "clean"
        self._scratch = scratch
        self._limits = limits
        self._healthy = healthy
        for copy in (self._broken, self._clean):
            shutil.copytree(root, copy, ignore=_LEFT_OUT)
            for words in (["init", "--quiet"], ["add", "--all"]):
                subprocess.run(["git", "-C", str(copy), *words], check=True, stdout=subprocess.DEVNULL)

    def judge(self, mutant: Mutant) -> Outcome:
        """Plant the break, run the tests, take it out again."""
        path = self._broken / mutant.module
        source = path.read_bytes()
        path.write_bytes(changed(source, mutant.change))
        try:
            return self._judge(mutant, path)
        finally:
            path.write_bytes(source)

    def _judge(self, mutant: Mutant, path: Path) -> Outcome:
        first, around = mirror(self._broken, path), ring(self._broken, path)
        frameworks = framework_tests(self._broken, path)
        if not first + around + frameworks:
            return Outcome(mutant, "survived", "no test imports it")
        limits = self._limits
        for tests, secs, marked, hang_counts in (
            (first, limits.mirror_secs, QUICK, True),
            (around, limits.ring_secs, QUICK, False),
            (frameworks, limits.framework_secs, WITH_FRAMEWORKS, False),
        ):
            if secs > 0:
                seen = self._look(tests, secs=secs, marked=marked, hang_counts=hang_counts)
                if seen.failed:
                    return Outcome(mutant, "timeout" if seen.hung else "killed", seen.by or _names(tests))
        return Outcome(mutant, "survived", _names(first))

    def _look(self, paths: list[Path], *, secs: float, marked: str, hang_counts: bool) -> Seen:
        """What these tests show of the break; failures that say nothing of it are left out.

        Args:
            paths: the files of the tests.
            secs: for all of them together.
            marked: which of their tests are meant.
            hang_counts: whether it shows something that they are not over in time.
        """
        by_chance: set[str] = set()
        ends = time.monotonic() + secs
        while len(by_chance) < _CHANCE_FAILURES:
            without = by_chance | {name for name, passes in tuple(self._healthy.items()) if not passes}
            names = [path.relative_to(self._broken).as_posix() for path in paths]
            tests = [name for name in names if name not in without]
            if not tests:
                break
            seen = run(
                self._broken,
                tests,
                scratch=self._scratch,
                timeout_secs=ends - time.monotonic(),
                marked=marked,
                without=without,
            )
            if not seen.failed or (seen.hung and not seen.by and not hang_counts):
                break
            if self._passes_when_clean(seen.by, tests, secs=secs, marked=marked):
                if seen.hung or self._fails_again(seen.by, secs=secs, marked=marked):
                    return seen
                by_chance.add(seen.by)
            elif not seen.by or seen.by in without:
                break  # they cannot be run at all, or not in this time
        return Seen(failed=False)

    def _passes_when_clean(self, test: str, tests: list[str], *, secs: float, marked: str) -> bool:
        """Whether the test passes without the break; all of them, when it was none in particular."""
        key = test or f"all of {' '.join(tests)}"
        if key not in self._healthy:
            seen = run(
                self._clean,
                [test] if test else tests,
                scratch=self._scratch,
                timeout_secs=secs,
                marked=marked,
                collect_only=_is_file(test),
            )
            self._healthy[key] = not seen.failed
        return self._healthy[key]

    def _fails_again(self, test: str, *, secs: float, marked: str) -> bool:
        """Whether the test fails alone too. What keeps pytest itself from working does so every time."""
        if not test or _is_file(test):
            return True
        return run(self._broken, [test], scratch=self._scratch, timeout_secs=secs, marked=marked).failed


def _is_file(test: str) -> bool:
    return bool(test) and "::" not in test


def _names(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths)
