"""The first thing that runs in every Python of a run: it starts the recorder and steps aside."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worker.reading import SOURCE, record, site_of

OLD = ("2.7", "3.6", "3.7")

NOTE = "import mosaic_worker as mosaic\nrun = mosaic.start()\nrun.note('x')\n"


def customize(folder: Path, text: str) -> str:
    """A folder with a sitecustomize of somebody else's."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(text)
    return str(folder)


def test_outside_a_run_nothing_of_ours_is_imported(tmp_path: Path) -> None:
    ask = "import sys\nprint([name for name in sys.modules if name.startswith('mosaic')])"
    done = record(tmp_path, ask, MOSAIC_RUN_DIR="")
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert record(tmp_path, ask).stdout != "[]\n"


def test_the_sitecustomize_we_stand_before_runs_too(tmp_path: Path) -> None:
    theirs = customize(tmp_path / "theirs", "import builtins\nbuiltins.theirs = __file__, __name__\n")
    done = record(tmp_path, "print(*theirs)\n" + NOTE, more_path=theirs)
    assert done.stdout.split() == [f"{theirs}/sitecustomize.py", "sitecustomize"]
    assert len(done.events("log")) == 1


def test_it_runs_after_our_recorder_has_started_and_is_what_a_script_then_imports(tmp_path: Path) -> None:
    theirs = customize(
        tmp_path / "theirs", "import sys\nstarted = 'mosaic_worker.startup' in sys.modules\nmine = 5\n"
    )
    done = record(tmp_path, "import sitecustomize as s\nprint(s.mine, s.started)", more_path=theirs)
    assert done.stdout == "5 True\n"


def test_of_several_only_the_first_runs_as_python_does_it(tmp_path: Path) -> None:
    say = "import sys\nsys.stdout.write({!r})\n"
    first = customize(tmp_path / "first", say.format("first "))
    second = customize(tmp_path / "second", say.format("second "))
    done = record(tmp_path, "print('script')", more_path=f"{first}:{second}")
    assert done.stdout == "first script\n"


def test_a_path_that_names_our_own_folder_again_does_not_run_us_twice(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    theirs = customize(tmp_path / "theirs", "import sys\nsys.stdout.write('theirs ')\n")
    again = f"{site}/../{site.name}:{site}/"
    done = record(tmp_path, "print('script')\n" + NOTE, more_path=f"{again}:{theirs}")
    assert (done.stdout, done.stderr) == ("theirs script\n", "")
    assert [event["type"] for event in done.events()] == ["hello", "log", "bye"]


def test_without_another_one_nothing_is_missing(tmp_path: Path) -> None:
    done = record(tmp_path, NOTE, more_path=str(tmp_path / "nowhere"))
    assert (done.code, done.stderr) == (0, "")
    assert len(done.events("log")) == 1


def test_a_start_that_fails_is_one_line_and_the_script_runs(tmp_path: Path) -> None:
    (site_of(tmp_path) / "mosaic_worker" / "startup.py").write_text("raise RuntimeError('broken install')\n")
    theirs = customize(tmp_path / "theirs", "import sys\nsys.stdout.write('theirs ')\n")
    done = record(tmp_path, "print('ran')", more_path=theirs)
    assert (done.code, done.stdout) == (0, "theirs ran\n")
    assert done.stderr == "mosaic: cannot record (RuntimeError: broken install); the script runs on\n"


def test_what_another_one_raises_is_said_by_python_and_is_not_our_failure(tmp_path: Path) -> None:
    theirs = customize(tmp_path / "theirs", "raise ValueError('their own trouble')\n")
    done = record(tmp_path, "print('ran')", more_path=theirs)
    assert (done.code, done.stdout) == (0, "ran\n")
    assert "ValueError: their own trouble" in done.stderr
    assert "mosaic:" not in done.stderr


def test_a_users_own_usercustomize_runs_too(tmp_path: Path) -> None:
    python = str(Path(sys.base_prefix) / "bin" / "python3")  # a virtual environment has no users
    base = str(tmp_path / "user")
    ask = "import site\nprint(site.getusersitepackages())"
    user = Path(record(tmp_path, ask, python=python, PYTHONUSERBASE=base).stdout.strip())
    user.mkdir(parents=True)
    (user / "usercustomize.py").write_text("import sys\nsys.stdout.write('theirs ')\n")
    done = record(tmp_path, "print('script')\n" + NOTE, python=python, PYTHONUSERBASE=base)
    assert (done.stdout, done.stderr) == ("theirs script\n", "")
    assert len(done.events("log")) == 1


def test_every_python_can_read_it() -> None:
    text = (SOURCE / "site" / "sitecustomize.py").read_text()
    ast.parse(text, feature_version=(3, 4))
    assert not any(
        isinstance(node, (ast.JoinedStr, ast.arg)) and _is_new(node) for node in ast.walk(ast.parse(text))
    )


def _is_new(node: ast.AST) -> bool:
    """Whether Python 2.7 would not know it."""
    return isinstance(node, ast.JoinedStr) or getattr(node, "annotation", None) is not None


@pytest.mark.parametrize("version", OLD)
def test_a_python_that_is_too_old_says_one_sentence_and_runs_the_script(tmp_path: Path, version: str) -> None:
    python = _python(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    theirs = customize(tmp_path / "theirs", "import sys\nsys.stdout.write('theirs ')\n")
    done = record(tmp_path, "print('ran')", python=python, more_path=theirs)
    assert (done.code, done.stdout) == (0, "theirs ran\n")
    assert done.stderr == (
        f"mosaic: cannot record: this is Python {version} ({python}), and recording needs 3.8 or newer; "
        "the script runs on\n"
    )


def _python(version: str) -> str | None:
    """An interpreter of that version: one that pyenv keeps, or one on the path."""
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    for candidate in [*map(str, kept), f"/usr/bin/python{version}"]:
        if not Path(candidate).exists():
            continue
        ask = [candidate, "-c", "import sys; sys.stdout.write(sys.executable)"]
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    return None
