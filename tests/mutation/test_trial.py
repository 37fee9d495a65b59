"""The harness against a tree of its own: what a test looks at is killed, what none looks at survives."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.mutation.__main__ import try_all
from tests.mutation.changes import Change
from tests.mutation.mirrors import framework_tests, mirror, ring
from tests.mutation.report import report
from tests.mutation.sample import candidates, changed_lines, sample
from tests.mutation.trial import Limits, Mutant, Outcome
from tests.proof.mutation import sweep

REPOSITORY = Path(__file__).parents[2]
LIMITS = Limits(mirror_secs=20, ring_secs=60)

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
ALWAYS_FAILS = """
from package.area import thing


def test_it():
    assert False
"""
CANNOT_BE_IMPORTED = """
import nothing_of_this_name
"""
FAILS_ONCE = """
from pathlib import Path

from package.area import thing


def test_it():
    path = Path({marker!r})
    if not path.exists():
        path.touch()
        assert False
"""
NEVER_ENDS = """
import threading

from package.area import thing


def test_it():
    threading.Event().wait()
"""
ASKS_GIT = """
import subprocess
from pathlib import Path


def test_it():
    listed = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.split()
    assert any("a * 3" in Path(name).read_text() for name in listed if name.startswith("src/"))
"""
SETTINGS = """
[tool.pytest.ini_options]
addopts = "--import-mode=importlib -p no:xdist -p no:pytest-qt -p no:hypothesispytest"
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
    outcomes = try_all(mutants, workers=2, limits=LIMITS, root=tree)
    found = {outcome.mutant.change.what: (outcome.verdict, outcome.by) for outcome in outcomes}
    assert found == expected
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before

    text, rate = report(outcomes)
    assert rate == 80.0
    hung, _, survived = text.partition("noticed only because they hang:")[2].partition("survived:")
    assert "left + 1" in hung
    assert "a * 3" in survived
    assert "package.area" in text


def same() -> Mutant:
    """A break that breaks nothing."""
    return Mutant("src/package/area/thing.py", Change(1, "", "nothing", 0, 0, ""))


def test_a_test_that_fails_without_a_break_or_by_chance_kills_nothing(tree: Path, tmp_path: Path) -> None:
    for name, text in {
        "test_thing_ill.py": ALWAYS_FAILS,
        "test_thing_moody.py": FAILS_ONCE.format(marker=str(tmp_path / "failed")),
        "test_beside_ill.py": "def test_it():\n    assert False\n",
        "test_beside_lost.py": CANNOT_BE_IMPORTED,
    }.items():
        (tree / "tests/area" / name).write_text(text)
    seen = the(tree, "`a + 1` is `a - 1`")
    ill = [tree / "tests/area" / f"test_{name}.py" for name in ("thing_ill", "thing_moody")]
    assert set(ill) < set(mirror(tree, tree / "src/package/area/thing.py"))
    outcomes = try_all([same(), seen], workers=1, limits=LIMITS, root=tree)
    assert [(outcome.mutant, outcome.verdict) for outcome in outcomes] == [
        (same(), "survived"),
        (seen, "killed"),
    ]
    assert outcomes[1].by == "tests/area/test_thing.py::test_it"
    assert (tmp_path / "failed").exists()


def test_a_mirror_that_takes_too_long_without_a_break_is_not_a_hang(tree: Path) -> None:
    endless = tree / "tests/area/test_thing_endless.py"
    endless.write_text(NEVER_ENDS)
    assert endless in mirror(tree, tree / "src/package/area/thing.py")
    (outcome,) = try_all([same()], workers=1, limits=Limits(mirror_secs=3, ring_secs=0), root=tree)
    assert outcome.verdict == "survived"


def test_a_test_that_asks_git_for_the_files_works_in_the_copy(tree: Path) -> None:
    (tree / "tests/area/test_git.py").write_text(ASKS_GIT)
    (outcome,) = try_all([the(tree, "`a * 3` is `a // 3`")], workers=1, limits=LIMITS, root=tree)
    assert (outcome.verdict, outcome.by) == ("killed", "tests/area/test_git.py::test_it")


def test_only_processes_of_the_very_folder_are_ended(tmp_path: Path) -> None:
    def waiting(folder: Path) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": f"{folder}/src{os.pathsep}{folder}"}
        return subprocess.Popen([sys.executable, "-c", "input()"], env=environment, stdin=subprocess.PIPE)

    with waiting(tmp_path / "1") as meant, waiting(tmp_path / "10") as beside:
        sweep(tmp_path / "1")
        assert meant.wait() == -9
        assert beside.poll() is None
        beside.communicate(b"\n")
    assert beside.returncode == 0


def test_a_mirror_is_found_by_name_and_import_and_the_ring_lies_around_it(tree: Path) -> None:
    thing = tree / "src/package/area/thing.py"
    assert mirror(tree, thing) == [tree / "tests/area/test_thing.py"]
    assert ring(tree, thing) == [tree / "tests/area/test_child.py", tree / "tests/area/test_other.py"]
    part = tree / "src/package/area/thing_part.py"  # cut out of it: tested with it
    assert mirror(tree, part) == [tree / "tests/area/test_thing.py"]


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("mosaic/store/seal.py", "store/test_seal.py"),
        ("mosaic_worker/journal.py", "worker/test_journal.py"),
        ("mosaic_worker/hooks/rendering.py", "worker/test_hooks_rendering.py"),
        ("mosaic_worker/hooks/pettingzoo_origin.py", "worker/test_hooks_pettingzoo_origin.py"),
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


def test_a_sample_has_every_package_before_a_second_of_any(tree: Path) -> None:
    for number in range(8):
        path = tree / f"src/package/small{number}/one.py"
        path.parent.mkdir()
        path.write_text("def f():\n    return 1\n")
    chosen = sample(tree, candidates(tree), count=12, seed=1)
    packages = Counter(Path(mutant.module).parent for mutant in chosen[:10])
    assert len(packages) == 10
    assert len(chosen) == 12


def test_modules_that_need_a_framework_are_broken_when_named_and_tested_with_it() -> None:
    def modules(*names: str) -> set[str]:
        return {mutant.module for mutant in candidates(REPOSITORY, modules=names)}

    def tests(module: str) -> list[str]:
        return [path.name for path in framework_tests(REPOSITORY, REPOSITORY / "src/mosaic_worker" / module)]

    training = "src/mosaic_worker/drivers/sb3_family/training.py"
    assert training in modules("mosaic_worker.drivers.sb3_family")
    assert training in modules("mosaic_worker.drivers")
    assert training not in modules()
    assert tests("drivers/sb3_family/training.py") == ["test_sb3.py", "test_sbx.py"]
    assert tests("drivers/cleanrl.py") == tests("drivers/cleanrl/scripts.py") == ["test_cleanrl.py"]
    assert tests("drivers/single_file.py") == ["test_cleanrl.py"]
    assert tests("drivers/tabular.py") == []
    assert all(
        (REPOSITORY / "tests/frameworks" / name).is_file() for name in tests("drivers/sb3_family/x.py")
    )


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
