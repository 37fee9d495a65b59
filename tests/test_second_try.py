"""Second tries, on real pytest runs of tiny test files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.second_try import MOST, judge

SCRIPT = Path(__file__).with_name("second_try.py")

STEADY = "def test_steady(): pass\n"
BROKEN = "def test_broken(): assert False\n"


def flaky(name: str) -> str:
    """A test that fails the first time it is run and passes from then on."""
    return f"""
from pathlib import Path
def test_{name}():
    seen = Path(__file__).with_name({name!r} + ".seen")
    if not seen.exists():
        seen.touch()
        raise AssertionError("the machine was busy")
"""


def run(folder: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_tiny.py").write_text(text)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, str(SCRIPT), "-p", "no:pytest-qt", "-p", "no:hypothesispytest", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_when_all_pass_pytests_own_closing_line_is_the_last(tmp_path: Path) -> None:
    done = run(tmp_path, STEADY)
    assert done.returncode == 0
    assert "1 passed" in done.stdout.splitlines()[-1]
    assert "second try" not in done.stdout


def test_what_passes_only_at_the_second_try_is_listed_and_allowed(tmp_path: Path) -> None:
    done = run(tmp_path, STEADY + flaky("shy"), "-n", "2", "--dist", "loadfile")
    assert done.returncode == 0
    assert "1 failed, 1 passed" in done.stdout  # the first run
    assert done.stdout.count("2/2 workers") == 1  # the second is not parallel
    assert "\n1 passed" in done.stdout.replace("=", "").replace("\n ", "\n")  # the second: that test alone
    assert done.stdout.splitlines()[-2:] == [
        "passed only at the second try: 1 (at most 3 may)",
        "  test_tiny.py::test_shy",
    ]


def test_more_than_three_second_tries_fail(tmp_path: Path) -> None:
    names = ["a", "b", "c", "d"]
    done = run(tmp_path, "".join(flaky(name) for name in names))
    assert done.returncode == 1
    assert "4 passed" in done.stdout
    assert all(f"  test_tiny.py::test_{name}\n" in done.stdout for name in names)
    assert "too much to be chance" in done.stdout


def test_what_fails_twice_fails_and_is_told_from_what_did_not(tmp_path: Path) -> None:
    done = run(tmp_path, BROKEN + flaky("shy"))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-4:] == [
        "passed only at the second try: 1 (at most 3 may)",
        "  test_tiny.py::test_shy",
        "failed twice: 1",
        "  test_tiny.py::test_broken",
    ]


def test_failures_of_an_earlier_run_are_not_tried(tmp_path: Path) -> None:
    run(tmp_path, BROKEN)
    done = run(tmp_path, BROKEN.replace("False", "True") + flaky("shy"))
    assert done.returncode == 0
    assert "test_broken" not in done.stdout


def test_a_file_that_cannot_be_imported_is_a_failure_of_its_own(tmp_path: Path) -> None:
    done = run(tmp_path, "import nothing_of_this_name\n")
    assert done.returncode != 0
    assert "tried once more" not in done.stdout


def test_a_leak_found_after_the_test_counts_as_its_failure(tmp_path: Path) -> None:
    fixture = "import pytest\n@pytest.fixture\ndef leak():\n    yield\n    assert False\n"
    done = run(tmp_path, fixture + "def test_leaky(leak): pass\n")
    assert done.returncode == 1
    assert "failed twice: 1\n  test_tiny.py::test_leaky" in done.stdout


def test_a_wrong_option_is_not_tried_again(tmp_path: Path) -> None:
    done = run(tmp_path, STEADY, "--no-such-option")
    assert done.returncode == 4
    assert "tried once more" not in done.stdout


@pytest.mark.parametrize(("flaky_tests", "code"), [(MOST, 0), (MOST + 1, 1)])
def test_the_limit_is_three(flaky_tests: int, code: int) -> None:
    outcome = judge({f"t{i}" for i in range(flaky_tests)}, set(), code_again=0)
    assert outcome.code == code
    assert len(outcome.second) == flaky_tests


def test_a_test_that_was_not_found_again_has_failed() -> None:
    assert judge({"a", "b"}, {"b"}, code_again=0).code == 1
    assert judge({"a"}, {"a"}, code_again=5).code == 5


def test_workers_that_collect_different_tests_are_not_tried_again(tmp_path: Path) -> None:
    named = (
        "import os, pytest\n@pytest.mark.parametrize('n', [1], ids=[str(os.getpid())])\ndef test_n(n): pass\n"
    )
    done = run(tmp_path, named, "-n", "2", "--dist", "loadfile")
    assert done.returncode == 1
    assert "Different tests were collected" in done.stdout
    assert "tried once more" not in done.stdout
