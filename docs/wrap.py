"""Wrap Markdown at 110 columns: `python docs/wrap.py [FILE…]`, by default every Markdown file of the project.

Only a paragraph or list item that holds a longer line is wrapped anew, so a diff shows what was written and
little more. Code, tables, headings and lines that cannot be broken (a long link) stay as they are.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

__all__ = ["COLUMNS", "documents", "long_lines", "wrapped"]

COLUMNS = 110
ROOT = Path(__file__).resolve().parents[1]

_ITEM = re.compile(r"( *)([-*+]|\d+\.) +")
_ALONE = re.compile(r" *(#|\||>|!\[.*\)$|    )|\*\*`[^`]+`\*\*$")
"""What is never part of a paragraph: headings, tables, quotes, images, indented code, a file's name."""
_MARKER = re.compile(r"([-*+>#|]|\d+[.)])(\s|$)")


def documents() -> list[Path]:
    """The Markdown files of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines()]


def wrapped(text: str) -> str:
    """Pure: the text with its long paragraphs and list items wrapped."""
    made: list[str] = []
    block: list[str] = []
    fenced = False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        plain = not (fenced or fence or not line.strip() or _is_alone(line, block))
        if block and (not plain or _ITEM.match(line)):
            made += _wrap(block)
            block = []
        if plain:
            block.append(line)
        else:
            made.append(line)
        fenced ^= fence
    return "\n".join(made + _wrap(block))


def long_lines(text: str) -> list[str]:
    """The lines of prose that are too long and could be shorter."""
    better = wrapped(text).split("\n")
    return [line for line in text.split("\n") if len(line) > COLUMNS and line not in better]


def _is_alone(line: str, block: list[str]) -> bool:
    if block and line.startswith("    "):
        return False  # the second line of a list item within a list
    return bool(_ALONE.match(line)) and not _ITEM.match(line)


def _wrap(block: list[str]) -> list[str]:
    if all(len(line) <= COLUMNS for line in block):
        return block
    item = _ITEM.match(block[0])
    lead = item.group() if item else block[0][: len(block[0]) - len(block[0].lstrip())]
    words = " ".join([block[0][len(lead) :], *(line.strip() for line in block[1:])])
    lines = textwrap.wrap(
        words,
        COLUMNS,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
    # a dash or a number that came to the front of a line would begin a list there
    return block if any(_MARKER.match(line.lstrip()) for line in lines[1:]) else lines


def main(names: list[str]) -> None:
    """Wrap files in place, and say which."""
    for path in [Path(name) for name in names] or documents():
        text = path.read_text(encoding="utf-8")
        better = wrapped(text)
        if better != text:
            path.write_text(better, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
