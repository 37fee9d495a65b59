"""ARCHITECTURE.md's table "Where do I change X" names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
_PATH = re.compile(r"`([\w.]+(?:/[\w.]*)+|\w+\.(?:toml|md))`")


def rows() -> list[tuple[str, str]]:
    _, _, section = TEXT.partition("\n## Where do I change X\n")
    table = re.findall(r"^\| (.+?) \| (.+) \|$", section.partition("\n## ")[0], flags=re.M)
    return table[1:]  # without the head


def test_every_row_names_a_file_and_every_file_is_there() -> None:
    for change, where in rows():
        named = _PATH.findall(where)
        assert named, f"{change}: names no file"
        for name in named:
            there = [place for place in (ROOT / "src" / name, ROOT / name) if place.exists()]
            assert there, f"{change}: there is no {name}"


def test_the_table_covers_the_ground() -> None:
    assert len(rows()) >= 25
    named = " ".join(where for _, where in rows())
    packages = [path for path in (ROOT / "src" / "mosaic").iterdir() if (path / "__init__.py").exists()]
    left_out = {path.name for path in packages if f"`mosaic/{path.name}/" not in named}
    assert left_out <= {"testing"}, f"no row leads into {left_out}"


def test_no_change_is_listed_twice() -> None:
    changes = [change for change, _ in rows()]
    assert len(changes) == len(set(changes))
