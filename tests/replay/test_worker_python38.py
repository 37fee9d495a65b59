"""The child runs in other people's interpreters: nothing in it may need more than Python 3.8."""

from __future__ import annotations

import ast
from pathlib import Path

import mosaic_worker

FILES = sorted(Path(mosaic_worker.__file__).parent.rglob("*.py"))


def _annotations(tree: ast.AST) -> set[ast.AST]:
    """Every node that is only written down: with postponed annotations Python never evaluates it."""
    given = [getattr(node, name, None) for node in ast.walk(tree) for name in ("annotation", "returns")]
    return {part for one in given if one is not None for part in ast.walk(one)}


def test_every_part_of_the_package_is_read() -> None:
    folders = {file.parent.name for file in FILES}
    assert {"drivers", "hooks", "operators", "replay", "session", "worlds"} <= folders


def test_no_builtin_type_is_subscripted_where_python_38_would_evaluate_it() -> None:
    for file in FILES:
        tree = ast.parse(file.read_text())
        postponed = _annotations(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript) and node not in postponed:
                name = getattr(node.value, "id", "")
                assert name not in {"dict", "list", "set", "tuple", "type"}, f"{file}:{node.lineno}"


def test_every_file_parses_as_python_38_and_zips_without_strict() -> None:
    assert len(FILES) > 20
    for file in FILES:
        tree = ast.parse(file.read_text(), feature_version=(3, 8))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
                assert not node.keywords, f"{file}:{node.lineno}"
