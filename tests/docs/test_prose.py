"""The prose that users read: plain words, lines one can read in a diff, links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.test_wrap import wrap

ROOT = Path(__file__).parents[2]
AWKWARD = re.compile(
    r"how-manieth|come upon|gone on with|\bOf the training\.|\bMAY BE\b|installed and proved|built and proved"
    r"|offered to who\b|[Nn]ews are\b"
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


def test_the_documents_are_found() -> None:
    assert {"README.md", "SECURITY.md", "docs/cli.md", "docs/GUARANTEES.md"} <= set(DOCUMENTS)
