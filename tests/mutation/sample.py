"""Which breaks are tried: a seeded choice over all packages that changes little when the sources do."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.mutation.changes import changes, differs
from tests.mutation.mirrors import frameworks
from tests.mutation.trial import Mutant

__all__ = ["candidates", "changed_lines", "sample"]

_GENERATED = "src/mosaic/rpc/pb/"
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def candidates(
    root: Path, *, modules: Iterable[str] = (), lines: dict[str, set[int]] | None = None
) -> list[Mutant]:
    """Every break of the tree's `src/`.

    Args:
        root: the tree.
        modules: only of these modules and packages, by dotted name or path. Without any, modules that need a
            framework are left out: the tests that load them take half an hour.
        lines: only on these lines of these files.
    """
    wanted = [name.removeprefix("src/").removesuffix(".py").replace("/", ".").strip(".") for name in modules]
    found = []
    for path in sorted((root / "src").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        dotted = path.relative_to(root / "src").with_suffix("").as_posix().replace("/", ".")
        if name.startswith(_GENERATED) or not _meant(dotted, wanted) or (frameworks(name) and not wanted):
            continue
        if lines is not None and name not in lines:
            continue
        for change in changes(path.read_bytes()):
            if lines is None or change.line in lines[name]:
                found.append(Mutant(name, change))
    return found


def sample(root: Path, mutants: list[Mutant], *, count: int, seed: int) -> list[Mutant]:
    """At most `count` of them, one a line, in order of a hash: an edit elsewhere leaves the choice alone.

    The first of every package comes before the second of any.
    """
    ranked = sorted(mutants, key=lambda mutant: _rank(mutant, seed))
    firsts: dict[str, Mutant] = {}
    for mutant in ranked:
        package = mutant.module.rpartition("/")[0]
        if package not in firsts and _differs(root, mutant):
            firsts[package] = mutant
    chosen: dict[tuple[str, int], Mutant] = {}
    for mutant in (*firsts.values(), *ranked):
        if len(chosen) == count:
            break
        if _differs(root, mutant):
            chosen.setdefault((mutant.module, mutant.change.line), mutant)
    return list(chosen.values())


def changed_lines(root: Path, revision: str) -> dict[str, set[int]]:
    """The lines of `src/` that are new or different since a revision, by file."""
    command = ["git", "-C", str(root), "diff", "--unified=0", "--no-color", revision, "--", "src"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, set[int]] = {}
    for part in text.split("\n+++ b/")[1:]:
        name, _, rest = part.partition("\n")
        found[name] = {
            line
            for first, count in _HUNK.findall(rest)
            for line in range(int(first), int(first) + int(count or 1))
        }
    return found


def _differs(root: Path, mutant: Mutant) -> bool:
    return differs((root / mutant.module).read_bytes(), mutant.change)


def _meant(dotted: str, wanted: list[str]) -> bool:
    return not wanted or any(dotted == name or dotted.startswith(f"{name}.") for name in wanted)


def _rank(mutant: Mutant, seed: int) -> bytes:
    """Places are left out on purpose: a line that moves keeps its rank."""
    change = mutant.change
    told = f"{seed} {Path(mutant.module).name} {change.context} {change.what} {change.new}"
    return hashlib.sha256(told.encode()).digest()
