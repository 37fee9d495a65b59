"""A module that calls itself pure touches no clock, file, process or thread. Read from its own docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
IMPURE = frozenset(
    [
        "apsw",
        "asyncio",
        "ctypes",
        "fcntl",
        "glob",
        "grpc",
        "io",
        "mmap",
        "multiprocessing",
        "os",
        "pathlib",
        "psutil",
        "PySide6",
        "random",
        "select",
        "shutil",
        "socket",
        "sqlite3",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib",
    ]
)
CLAIM = re.compile(r"(?:^|[.:;]\s+)[Pp]ure(?: numpy(?=[.:;])| decisions\b|(?=[.:;]))")


def claims_purity(docstring: str | None) -> bool:
    """Whether a module's docstring has a sentence that begins with the word."""
    return docstring is not None and CLAIM.search(docstring.replace("\n", " ")) is not None


def impure_imports(source: str) -> set[str]:
    """What a module imports when it runs that can reach the outside world; not what only types need."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                visit(other)
            return
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(source))
    return found & IMPURE


PURE = [
    path
    for path in sorted(SRC.rglob("*.py"))
    if "/pb/" not in str(path) and claims_purity(ast.get_docstring(ast.parse(path.read_text())))
]


def test_many_modules_make_the_claim() -> None:
    names = {str(path.relative_to(SRC)) for path in PURE}
    assert len(names) >= 25
    assert {"mosaic/runs/lifecycle.py", "mosaic/fastlane/ring.py", "mosaic/runners/preflight.py"} <= names


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(SRC)))
def test_a_module_that_calls_itself_pure_is(path: Path) -> None:
    assert impure_imports(path.read_text()) == set()


def test_an_import_that_only_types_need_is_no_breach_and_a_lazy_one_is() -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pathlib import Path\n"
    assert impure_imports(types) == set()
    assert impure_imports(types + "def now():\n    import time\n") == {"time"}
