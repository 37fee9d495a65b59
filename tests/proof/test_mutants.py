"""Every mutant of `mutants.py` must be caught by its proof."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.proof.mutants import MUTANTS
from tests.proof.mutation import REPOSITORY, Mutant, survives


@pytest.mark.heavy
@pytest.mark.timeout(700)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.guarantee}-{mutant.name}")
def test_the_proof_catches_the_mutant(mutant: Mutant, tmp_path: Path) -> None:
    printed = survives(mutant, tmp_path)
    assert printed is None, f"{mutant.name} survived its proof: {printed}"


def test_every_mutant_still_finds_its_passage_and_its_proof() -> None:
    for mutant in MUTANTS:
        text = (REPOSITORY / "src" / mutant.file).read_text()
        assert text.count(mutant.old) == 1, mutant.name
        path, _, test = mutant.proof.partition("::")
        assert f"def {test.partition('[')[0]}(" in (REPOSITORY / path).read_text(), mutant.proof


def test_the_guarantees_page_names_every_mutant_and_every_proof() -> None:
    page = (REPOSITORY / "docs" / "GUARANTEES.md").read_text()
    for mutant in MUTANTS:
        row = next((line for line in page.splitlines() if line.startswith(f"| {mutant.guarantee} |")), "")
        assert f"`{mutant.name}`" in row, f"{mutant.name} is missing from the row of {mutant.guarantee}"


def test_every_proof_that_the_guarantees_page_names_exists() -> None:
    page = (REPOSITORY / "docs" / "GUARANTEES.md").read_text()
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", page)
    assert named
    for file, test in named:
        assert f"def {test}(" in (REPOSITORY / "tests" / "proof" / file).read_text(), f"{file}::{test}"
