"""The harness against a tree of its own: what a test looks at is killed, what none looks at survives."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.mutation.__main__ import try_all
from tests.mutation.mirrors import mirror, ring
from tests.mutation.report import report
from tests.mutation.sample import candidates, changed_lines, sample
from tests.mutation.trial import Mutant, Outcome

REPOSITORY = Path(__file__).parents[2]

MODULE = """
import subprocess
import sys


def tested(a):
    return a + 1


def untested(a):
    return a * 3


def looked_at_from_afar(a):
    return a - 2


def waits(left):
    while left > 0:
        left = left - 1


def in_a_child():
    program = "from package.child import answer; print(answer())"
    return int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
"""
CHILD = """
def answer():
    return 42
"""
MIRROR = """
from package.area import thing


def test_it():
    assert thing.tested(1) == 2
    thing.waits(3)
"""
IN_A_CHILD = """
from package.area import thing


def test_it():
    assert thing.in_a_child() == 42
"""
AROUND = """
from package.area.thing import looked_at_from_afar


def test_it():
    assert looked_at_from_afar(5) == 3
"""
SETTINGS = """
[tool.pytest.ini_options]
addopts = "--import-mode=importlib -p no:xdist"
pythonpath = ["src", "."]
timeout_method = "signal"
markers = ["heavy", "frameworks"]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in {
        "src/package/__init__.py": "",
        "src/package/child.py": CHILD,
        "src/package/area/__init__.py": "",
        "src/package/area/thing.py": MODULE,
        "tests/area/test_thing.py": MIRROR,
        "tests/area/test_other.py": AROUND,
        "tests/area/test_child.py": IN_A_CHILD,
        "tests/proof/test_thing.py": "from package.area import thing\n",
        "pyproject.toml": SETTINGS,
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def the(tree: Path, what: str) -> Mutant:
    (found,) = [mutant for mutant in candidates(tree) if mutant.change.what == what]
    return found


def test_tests_notice_what_they_look_at_and_nothing_else(tree: Path) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    expected = {
        "`a + 1` is `a - 1`": ("killed", "tests/area/test_thing.py::test_it"),
        "`return 42` returns None": ("killed", "tests/area/test_child.py::test_it"),
        "`left - 1` is `left + 1`": ("timeout", "test_thing.py"),
        "`a - 2` is `a + 2`": ("killed", "tests/area/test_other.py::test_it"),
        "`a * 3` is `a // 3`": ("survived", "test_thing.py"),
    }
    mutants = [the(tree, what) for what in expected]
    outcomes = try_all(mutants, workers=2, mirror_secs=40, ring_secs=60, root=tree)
    found = {outcome.mutant.change.what: (outcome.verdict, outcome.by) for outcome in outcomes}
    assert found == expected
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before

    text, rate = report(outcomes)
    assert rate == 80.0
    assert "a * 3" in text.partition("survived:")[2]
    assert "package.area" in text


def test_a_mirror_is_found_by_name_and_import_and_the_ring_lies_around_it(tree: Path) -> None:
    thing = tree / "src/package/area/thing.py"
    assert mirror(tree, thing) == [tree / "tests/area/test_thing.py"]
    assert ring(tree, thing) == [tree / "tests/area/test_child.py", tree / "tests/area/test_other.py"]


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("mosaic/store/seal.py", "store/test_seal.py"),
        ("mosaic_worker/journal.py", "worker/test_journal.py"),
        ("mosaic_worker/hooks/rendering.py", "worker/test_hooks_rendering.py"),
        ("mosaic_worker/hooks/pettingzoo_origin.py", "worker/test_hooks_pettingzoo.py"),
        ("mosaic_worker/replay/compare.py", "replay/test_worker_compare.py"),
    ],
)
def test_modules_of_the_product_have_the_mirror_they_should(module: str, test: str) -> None:
    assert mirror(REPOSITORY, REPOSITORY / "src" / module) == [REPOSITORY / "tests" / test]


def test_a_sample_is_seeded_bounded_and_of_one_break_a_line(tree: Path) -> None:
    everything = candidates(tree)
    chosen = sample(tree, everything, count=5, seed=1)
    assert len(chosen) == 5
    assert chosen == sample(tree, everything, count=5, seed=1)
    assert chosen == sample(tree, list(reversed(everything)), count=5, seed=1)
    assert chosen != sample(tree, everything, count=5, seed=2)
    whole = sample(tree, everything, count=1000, seed=1)
    assert len({(mutant.module, mutant.change.line) for mutant in whole}) == len(whole)


def test_a_sample_hardly_changes_with_an_edit_elsewhere(tree: Path) -> None:
    before = sample(tree, candidates(tree), count=4, seed=1)
    path = tree / "src/package/area/thing.py"
    path.write_text("# a line more\n" + path.read_text())
    after = sample(tree, candidates(tree), count=4, seed=1)
    assert [mutant.change.what for mutant in after] == [mutant.change.what for mutant in before]


def test_modules_and_changed_lines_narrow_the_choice(tree: Path) -> None:
    assert {mutant.module for mutant in candidates(tree, modules=["package.area"])} == {
        "src/package/area/thing.py"
    }
    assert {mutant.module for mutant in candidates(tree, modules=["src/package/child.py"])} == {
        "src/package/child.py"
    }
    git = ["git", "-C", str(tree), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    path = tree / "src/package/child.py"
    path.write_text(path.read_text() + "\n\ndef more(a):\n    return a or 1\n")
    lines = changed_lines(tree, "HEAD")
    narrowed = candidates(tree, lines=lines)
    assert {mutant.change.line for mutant in narrowed} == {7}
    assert {mutant.module for mutant in narrowed} == {"src/package/child.py"}


def test_the_rate_counts_hangs_as_noticed_and_an_empty_sample_as_perfect(tree: Path) -> None:
    mutant = candidates(tree)[0]
    outcomes = [Outcome(mutant, verdict) for verdict in ("killed", "timeout", "survived", "survived")]
    assert report(outcomes)[1] == 50.0
    assert report([])[1] == 100.0
