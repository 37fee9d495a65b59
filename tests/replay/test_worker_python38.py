"""The child runs in other people's interpreters: nothing in it may need more than Python 3.8."""

from __future__ import annotations

import ast
from pathlib import Path

import mosaic_worker

FILES = sorted(Path(mosaic_worker.__file__).parent.rglob("*.py"))


def test_every_file_parses_as_python_38_and_zips_without_strict() -> None:
    assert len(FILES) > 20
    for file in FILES:
        tree = ast.parse(file.read_text(), feature_version=(3, 8))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
                assert not node.keywords, f"{file}:{node.lineno}"
