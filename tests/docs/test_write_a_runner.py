"""docs/write-a-runner.md holds the example package, which tests/frameworks installs and runs."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.docs.blocks import commands, files

DOCUMENT = "write-a-runner.md"
EXAMPLE = Path(__file__).parents[1] / "third_party"


def test_the_document_holds_the_example_to_the_letter() -> None:
    there = {
        str(path.relative_to(EXAMPLE)): path.read_text()
        for path in EXAMPLE.rglob("*")
        if path.suffix in (".py", ".toml") and path.is_file()
    }
    assert files(DOCUMENT) == there


def test_the_card_imports_no_framework_and_the_driver_only_the_public_kit() -> None:
    driver = ast.parse(files(DOCUMENT)["mosaic_cem/driver.py"])
    used = {
        f"{node.module}.{name.name}"
        for node in ast.walk(driver)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mosaic")
        for name in node.names
    }
    assert used == {"mosaic_worker.drivers.kit"}
    assert "gymnasium" not in files(DOCUMENT)["mosaic_cem/__init__.py"]


def test_the_reader_is_told_to_install_train_replay_and_evaluate() -> None:
    verbs = [line.split()[:2] for line in commands(DOCUMENT)]
    assert verbs == [
        ["pip", "install"],
        ["mosaic", "runners"],
        ["mosaic", "train"],
        ["mosaic", "replay"],
        ["mosaic", "checkpoints"],
        ["mosaic", "eval"],
    ]
