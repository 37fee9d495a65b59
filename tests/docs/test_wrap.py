"""docs/wrap.py: prose at 110 columns, everything else as it was."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
WORDS = "some words of a sentence that goes on "


def load() -> ModuleType:
    """The script as a module: `docs` is not a package."""
    spec = importlib.util.spec_from_file_location("docs_wrap", ROOT / "docs" / "wrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


wrap = load()


def test_a_long_paragraph_is_wrapped_and_says_the_same() -> None:
    text = f"# Head\n\n{WORDS * 8}end.\nA second line.\n"
    better = wrap.wrapped(text)
    assert max(map(len, better.split("\n"))) <= wrap.COLUMNS
    assert better.split() == text.split()
    assert better.startswith("# Head\n\n")
    assert better.endswith("\n")


def test_a_paragraph_of_short_lines_stays_as_it_was_broken() -> None:
    text = "One.\nTwo, on its own line.\n\n- an item\n  in two lines\n"
    assert wrap.wrapped(text) == text


def test_the_lines_of_an_item_stay_under_their_item_and_its_neighbours_apart() -> None:
    text = f"- first\n- **second** {WORDS * 5}\n  more of it\n- third\n"
    lines = wrap.wrapped(text).rstrip().split("\n")
    assert lines[0] == "- first"
    assert lines[1].startswith("- **second** ")
    assert all(line.startswith("  ") and line[2] != " " for line in lines[2:-1])
    assert " ".join(lines[1:-1]).split()[-3:] == ["more", "of", "it"]
    assert lines[-1] == "- third"


@pytest.mark.parametrize(
    "text",
    [
        f"```sh\n{'word ' * 40}\n```\n",
        f"| a | {'word ' * 40}|\n",
        f"# {'word ' * 40}\n",
        f"    {'word ' * 40}\n",
        f"![{'word ' * 40}](images/x.png)\n",
        f"https://{'x' * 140}\n",
    ],
    ids=["code", "table", "heading", "indented code", "image", "one long word"],
)
def test_what_is_not_prose_or_cannot_be_broken_is_left_alone(text: str) -> None:
    assert wrap.wrapped(text) == text
    assert wrap.long_lines(text) == []


def test_no_line_is_made_that_would_begin_a_list() -> None:
    text = "x" * 105 + " a - b and so on\n"
    assert wrap.wrapped(text.replace(" a ", " abcd ")) == text.replace(" a ", " abcd ")


def test_wrapping_twice_is_wrapping_once() -> None:
    for path in wrap.documents():
        once = wrap.wrapped(path.read_text(encoding="utf-8"))
        assert wrap.wrapped(once) == once, path


def test_a_long_line_of_prose_is_found() -> None:
    assert wrap.long_lines(f"fine\n\n{WORDS * 4}\n") == [WORDS * 4]
