"""A module that calls itself pure touches no clock, file, process or thread, nor a module of ours that does.

Read from its own docstring: a sentence, or part of one, that begins with "Pure". Whoever says "Pure, but
for…" says what is not, and is left alone.
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
IMPURE = frozenset((
    "apsw", "asyncio", "concurrent", "ctypes", "datetime", "fcntl", "fileinput", "getpass", "glob", "grpc",
    "http", "importlib", "io", "logging", "mmap", "multiprocessing", "os", "pathlib", "pkgutil", "platform",
    "psutil", "pwd", "pyqtgraph", "PySide6", "queue", "random", "resource", "runpy", "sched", "secrets",
    "select", "selectors", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "tempfile",
    "termios", "threading", "time", "urllib", "uuid", "webbrowser", "zoneinfo",
))  # fmt: skip
AS_GOOD = {
    "mosaic.store.zstd",  # bytes in, bytes out; a context for each thread is its own affair
    "mosaic_worker.common.layout",  # constants and structs; `os` only spells the folder's name
    "mosaic.ui.shell.model.numbers",  # writes a time that it is given, in the user's time zone
}
"""Modules of ours that count as pure for those who use them, each with its reason."""
ALLOWED = {"mosaic/ui/details/model.py": {"signal"}}  # the names of signals
BUILTINS = frozenset({"open", "input", "exec", "eval", "__import__"})
CLAIM = re.compile(r"(?:^|[.:;]\s+)[Pp]ure\b(?!,? but for\b)")


def claims_purity(docstring: str | None) -> bool:
    """Whether a module's docstring says of it, without exception, that it is pure."""
    return docstring is not None and CLAIM.search(" ".join(docstring.split())) is not None


def imported(tree: ast.AST) -> set[str]:
    """What a module imports when it runs, by full name; not what only types need."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                visit(other)
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree)
    return found


def impurities(source: str) -> set[str]:
    """What a module reaches the outside world by: its own imports and calls, or those of a module of ours."""
    tree = ast.parse(source)
    names = imported(tree)
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BUILTINS
    }
    ours = {name for name in names - AS_GOOD if (path := file_of(name)) is not None and impurities_of(path)}
    return ({name.partition(".")[0] for name in names} & IMPURE) | called | ours


@functools.cache
def impurities_of(path: Path) -> frozenset[str]:
    """The same of a file of ours."""
    return frozenset(impurities(path.read_text(encoding="utf-8")))


def file_of(name: str) -> Path | None:
    """The file of a module of ours. A package counts by the modules that are imported from it."""
    path = SRC.joinpath(*name.split(".")).with_suffix(".py")
    return path if path.is_file() else None


PURE = [
    path
    for path in sorted(SRC.rglob("*.py"))
    if "/pb/" not in str(path) and claims_purity(ast.get_docstring(ast.parse(path.read_text())))
]


def test_many_modules_make_the_claim() -> None:
    names = {str(path.relative_to(SRC)) for path in PURE}
    assert len(names) >= 50
    assert {"mosaic/runs/lifecycle.py", "mosaic/fastlane/ring.py", "mosaic/runners/decide.py"} <= names


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(SRC)))
def test_a_module_that_calls_itself_pure_is(path: Path) -> None:
    assert impurities_of(path) - ALLOWED.get(path.relative_to(SRC).as_posix(), set()) == set()


@pytest.mark.parametrize(
    "docstring",
    [
        "Rows. Pure data.",
        "Words.\n\nPure\nreading.",
        "A card: pure checks, in words.",
        "Qt-free; pure.",
        "Pure: no file.",
    ],
)
def test_this_is_a_claim(docstring: str) -> None:
    assert claims_purity(docstring)


@pytest.mark.parametrize(
    "docstring",
    [
        "Pure, but for the clock.",
        "Bytes.  Pure but for\ntwo functions.",
        "What pure functions decide.",
        "Purely.",
        None,
    ],
)
def test_this_is_none(docstring: str | None) -> None:
    assert not claims_purity(docstring)


def test_an_import_that_only_types_need_is_no_breach_and_a_lazy_one_is() -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pathlib import Path\n"
    assert impurities(types) == set()
    assert impurities(types + "def now():\n    import time\n") == {"time"}
    assert impurities("from os import path") == {"os"}
    assert impurities("open('x')") == {"open"}


def test_a_module_of_ours_that_is_not_pure_is_a_breach_however_it_is_imported() -> None:
    assert impurities("from mosaic.runs.locks import held") == {"mosaic.runs.locks"}
    assert impurities("from mosaic.runs import locks") == {"mosaic.runs.locks"}
    assert impurities("import mosaic.runs.locks") == {"mosaic.runs.locks"}
    assert impurities("from mosaic.runs.lifecycle import judge") == set()
