"""The prose that users read, in documents and on the screen: plain words, and links that lead somewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_wrap import wrap

ROOT = Path(__file__).parents[2]
AWKWARD = re.compile(
    r"how-manieth|come upon|gone on with|\bOf the training\.|\bMAY BE\b|installed and proved|built and proved"
    r"|offered to who\b|[Nn]ews are\b|\bgo(?:es)? on with an? |\bto go on with\b|\bgoing on from\b"
    r"|\bWhat it is of\b|\bthe recorded\.|\bso many (?:frames|in one)|\bSay how\b|\bOf a process's\b"
)
"""Sentences that readers stumbled over. They do not come back."""

DOCUMENTS = [path.relative_to(ROOT).as_posix() for path in wrap.documents()]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_line_of_prose_is_longer_than_110_columns(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert wrap.long_lines(text) == [], f"wrap it with: python docs/wrap.py {name}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_sentence_that_readers_stumbled_over_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert AWKWARD.findall(" ".join(text.split())) == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_to_a_file_leads_to_one(name: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert ((ROOT / name).parent / target).exists(), f"{name} links to {target}, which is not there"


def _said(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module, with their lines. Docstrings only of commands: they are the help of `mosaic`."""
    tree = ast.parse(path.read_bytes())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        shown = id(node) not in docstrings or path.parent.name == "cli"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and shown:
            yield node.lineno, " ".join(node.value.split())


def test_no_text_of_the_program_has_such_a_sentence() -> None:
    paths = [path for path in (ROOT / "src").rglob("*.py") if path.parent.name != "pb"]
    texts = [(path, line, text) for path in paths for line, text in _said(path)]
    assert len(texts) > 5000
    hits = [f"{path.relative_to(ROOT)}:{line}: {text}" for path, line, text in texts if AWKWARD.search(text)]
    assert hits == []


def test_the_documents_are_found() -> None:
    assert {"README.md", "SECURITY.md", "docs/cli.md", "docs/GUARANTEES.md"} <= set(DOCUMENTS)
