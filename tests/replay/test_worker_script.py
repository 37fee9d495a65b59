"""Which statements of a script an environment needs, and what they may not do."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mosaic_worker.replay.script import ScriptError, load, needed

SCRIPT = """\
from __future__ import annotations
import sys
import math
import unneeded
sys.path.append("/nowhere")
SIZE = 5
SIZES = [1]
SIZES.append(SIZE)
TABLE = {}
for k in range(3):
    TABLE[k] = math.sqrt(k)
def helper(x: unneeded.Thing): return x + len(SIZES)
class Base: pass
class Env(Base):
    def reset(self):
        env = helper(1)
        return env, TABLE
env = Env()
env.reset()
model = unneeded.Model(env)
model.learn()
if __name__ == "__main__":
    register("A-v0", entry_point=lambda: Other())
    class Other: pass
    env.reset()
"""


@pytest.fixture(autouse=True)
def same_main() -> Iterator[None]:
    """A loaded script takes the place of `__main__`, and may change where imports look."""
    before, argv, path = sys.modules["__main__"], sys.argv, list(sys.path)
    yield
    sys.modules["__main__"], sys.argv, sys.path[:] = before, argv, path


def lines(*names: str, registered: str | None = None) -> list[int]:
    return [one.lineno for one in needed(ast.parse(SCRIPT), names, registered=registered)]


def test_only_what_the_class_refers_to_is_needed_and_nothing_of_the_training() -> None:
    assert lines("Env") == [1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14]


def test_a_name_that_is_local_to_a_function_needs_nothing_of_the_module() -> None:
    assert 18 not in lines("Env")


def test_a_registration_under_the_guard_is_found_by_its_id_with_what_it_needs() -> None:
    assert lines(registered="A-v0") == [1, 2, 5, 23, 24]
    assert lines(registered="B-v0") == [1, 2, 5]


def loaded(tmp_path: Path, source: str, *argv: str) -> Any:
    file = tmp_path / "script.py"
    file.write_text(source)
    return load(str(file), ["Env"], argv=argv)


def test_what_is_loaded_is_found_as_main(tmp_path: Path) -> None:
    module = loaded(tmp_path, "import sys\nWORDS = sys.argv[1:]\nclass Env:\n    words = WORDS\n", "--fast")
    assert sys.modules["__main__"] is module
    assert module.Env.__module__ == "__main__"
    assert module.Env.words == ["--fast"]


@pytest.mark.parametrize(
    ("line", "deed"),
    [
        ("X = open(__file__ + '.out', 'w')", "write"),
        ("X = __import__('os').open(__file__ + '.out', 65)", "write"),
        ("X = __import__('subprocess').run(['true'])", "do more than define"),
        ("X = __import__('os').system('true')", "do more than define"),
        ("class G:\n    def reset(self): pass\n    def step(self): pass\nX = G().reset()", "call reset"),
        ("def train(): return 5\nX = train()", "call train"),
        (
            "def safe():\n  try:\n    train()\n  except Exception: pass\ndef train(): pass\nX = safe()",
            "call train",
        ),
    ],
)
def test_a_needed_line_may_not_do_more_than_define(tmp_path: Path, line: str, deed: str) -> None:
    before = set(tmp_path.iterdir())
    with pytest.raises(ScriptError, match=deed):
        loaded(tmp_path, f"{line}\nclass Env:\n    x = X\n")
    assert {path.name for path in set(tmp_path.iterdir()) - before} == {"script.py"}
    (tmp_path / "after").write_text("the sandbox is over")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "import nothing_of_this_name\nclass Env(nothing_of_this_name.X): pass\n",
            "line 1.*nothing_of_this_name",
        ),
        ("import sys\nX = sys.exit(3)\nclass Env:\n    x = X\n", "line 2.*SystemExit"),
        ("class Env(:\n", "cannot be read"),
    ],
)
def test_a_script_that_does_not_give_its_environment_says_at_which_line(
    tmp_path: Path, source: str, why: str
) -> None:
    with pytest.raises(ScriptError, match=why):
        loaded(tmp_path, source)


def test_one_import_after_another_is_tried_as_the_script_does(tmp_path: Path) -> None:
    source = "try:\n    import not_there as x\nexcept ImportError:\n    x = None\nclass Env:\n    x = x\n"
    assert loaded(tmp_path, source).Env.x is None
