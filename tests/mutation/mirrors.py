"""Which tests are meant to notice a break of a module. Reads the tree, runs nothing.

A module's mirror is the test file that bears its name. The ring around it: every other test file that imports
the module, then the other files of the mirror's folder. Proofs, journeys and tests of frameworks are in
neither: they take minutes each. Modules that need a framework have tests of frameworks besides.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

__all__ = ["framework_tests", "frameworks", "mirror", "ring"]

_ELSEWHERE = {"proof", "frameworks", "journey", "mutation", "golden"}
_FRAMEWORKS = {
    "cleanrl": ("cleanrl",),
    "single_file": ("cleanrl",),
    "sb3": ("sb3",),
    "sbx": ("sbx",),
    "sb3_family": ("sb3", "sbx"),
}
"""Drivers, modules or packages, that are loaded only where torch or jax is, and whose tests load them."""


def mirror(root: Path, module: Path) -> list[Path]:
    """The test files that bear the module's name; those that import it when none does."""
    stem = module.stem.strip("_") if module.stem != "__init__" else module.parent.name
    named = _bearing(root, module, stem)
    importing = set(_importing(root, module))
    area = module.relative_to(root / "src").parts[1:-1]
    best = [path for path in named if path in importing or set(area[:1]) & set(path.parts)]
    # One name may stand for modules of several packages: the file that imports this one is meant.
    ours = [path for path in best if path in importing]
    found = ours or best or importing or named
    while not found and "_" in stem:  # a part that was cut out of a larger module is tested with it
        stem = stem.rpartition("_")[0]
        found = _bearing(root, module, stem)
    return sorted(found)


def ring(root: Path, module: Path) -> list[Path]:
    """Further test files that may notice, the likeliest first."""
    first = mirror(root, module)
    importing = [path for path in _importing(root, module) if path not in first]
    folders = {path.parent for path in first}
    beside = [path for path in _tests(root) if path.parent in folders and path not in first + importing]
    return importing + beside


def frameworks(module: str) -> tuple[str, ...]:
    """What a module, given by its path below the root, cannot be loaded without."""
    found = re.match(r"src/mosaic_worker/drivers/(\w+)(?:\.py|/)", module)
    return _FRAMEWORKS.get(found[1], ()) if found else ()


def framework_tests(root: Path, module: Path) -> list[Path]:
    """The test files with real frameworks that load the module."""
    names = frameworks(module.relative_to(root).as_posix())
    return [root / "tests" / "frameworks" / f"test_{name}.py" for name in names]


def _bearing(root: Path, module: Path, stem: str) -> list[Path]:
    names = {f"test_{stem}", f"test_{module.parent.name}_{stem}", f"test_worker_{stem}"}
    return [path for path in _tests(root) if path.stem in names or path.stem.startswith(f"test_{stem}_")]


@functools.lru_cache
def _tests(root: Path) -> list[Path]:
    found = sorted((root / "tests").rglob("test_*.py"))
    return [path for path in found if not _ELSEWHERE & set(path.relative_to(root).parts)]


def _importing(root: Path, module: Path) -> list[Path]:
    parts = module.relative_to(root / "src").with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    whole, package, name = ".".join(parts), ".".join(parts[:-1]), parts[-1]
    # A dotted name counts wherever it stands: some tests import a module in a program that they start.
    pattern = re.compile(rf"\b{re.escape(whole)}\b(?!\.)|from {re.escape(package)} import [^\n]*\b{name}\b")
    return [path for path in _tests(root) if pattern.search(_text(path))]


@functools.lru_cache(maxsize=4096)
def _text(path: Path) -> str:
    return path.read_text()
