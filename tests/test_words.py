"""Words that mean one thing: in `src` each stands for that thing, where it is at home, and for no other.

Looked at are the names in the code (of modules, classes, functions, parameters, variables, attributes), and
for words that are not used any more every line, comments and texts included.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"

HOMES: dict[str, tuple[str, ...]] = {
    "session": ("mosaic_worker/session", "mosaic_worker/operators"),
    "seat": ("mosaic_worker/session", "mosaic_worker/operators"),
    "operator": ("mosaic_worker/session", "mosaic_worker/operators", "mosaic/protocol/events.py"),
    "supervisor": ("mosaic_worker/session",),
    "place": ("mosaic/daemon/places", "mosaic/daemon/trainer.py"),
    "wish": (),
}
"""Where each word may be part of a name. *Session*: a run whose worker plays. *Seat*: who decides for which
agent. *Operator*: who decides. *Supervisor*: who may allow, replace or veto an action. *Place*: where runs
are executed. What a viewer holds is a lease, not a wish."""

GONE = {"pictur": "frame"}
"""Beginnings of words that are not used at all, and what the thing is called instead."""

STILL_TO_BE_JOINED: tuple[str, ...] = (
    "mosaic/ui",
    "mosaic/store",
    "mosaic/daemon",
    "mosaic/runners",
    "mosaic/sdk",
    "mosaic/rpc",
    "mosaic_worker/replay",
    "mosaic_worker/drivers",
    "mosaic_worker/probe.py",
    "mosaic/exporting/video.py",
)
"""Folders and files in which the words have not been freed yet."""

NOT_OURS = {
    ("", "start_new_session"): "an argument of subprocess.Popen",
    ("mosaic_worker/journal.py", "operator"): "a module of the standard library",
    ("mosaic/protocol/schema.py", "operator"): "a module of the standard library",
}
"""Names other people chose, with the file they are excused in (empty: any)."""

NOT_YET = ("replay.pictures", '"pictures"')
"""What excuses a line: a module that is about to move, and a key of the replay child's messages."""


def _within(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _names(path: str, text: str) -> list[tuple[int, str]]:
    """Every name in a module with its line; line 0 is the module's own path."""
    found = [(0, part) for part in Path(path).with_suffix("").parts]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant):
            continue
        for _, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str):
                    found += [(getattr(node, "lineno", 0), name) for name in one.split(".")]
    return found


def _words(name: str) -> set[str]:
    """The words of a name in lower case, with and without a plural's ending: `OpenSeats` has open, seat."""
    parts = [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    return {part.removesuffix(ending) for part in parts for ending in ("", "s", "es")}


def _misuses(path: str, text: str) -> list[str]:
    """What is wrong in one module, a line each."""
    found = []
    for line, name in _names(path, text):
        for word in sorted(HOMES.keys() & _words(name)):
            if {("", name), (path, name)} & NOT_OURS.keys() or _within(path, HOMES[word]):
                continue
            home = ", ".join(HOMES[word]) or "nothing"
            found.append(f"{path}:{line}: {name}: the word {word} is at home in {home}")
    for number, written in enumerate(text.splitlines(), 1):
        for beginning, instead in GONE.items():
            if beginning in written.lower() and not any(kept in written for kept in NOT_YET):
                found.append(f"{path}:{number}: the word is {instead}: {written.strip()}")
    return found


def test_each_word_stands_for_its_own_thing() -> None:
    found = []
    for file in sorted([*SRC.glob("mosaic/**/*.py"), *SRC.glob("mosaic_worker/**/*.py")]):
        path = file.relative_to(SRC).as_posix()
        if not _within(path, STILL_TO_BE_JOINED):
            found += _misuses(path, file.read_text())
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mosaic/runs/x.py", "class OpenSession: ..."),
        ("mosaic/runs/x.py", "def f(seat): ..."),
        ("mosaic/runs/x.py", "f(seats=1)"),
        ("mosaic/runs/x.py", "from mosaic.daemon.supervisor import spawn"),
        ("mosaic/runs/x.py", "import operator"),
        ("mosaic/runs/x.py", "self._places[0] = 1"),
        ("mosaic/runs/x.py", 'f"{place}"'),
        ("mosaic/runs/place.py", ""),
        ("mosaic/fastlane/x.py", "WISHES = 1"),
        ("mosaic/fastlane/x.py", "x = 1  # a Picture"),
        ("mosaic/fastlane/x.py", '"""No pictures."""'),
        ("mosaic_worker/session/x.py", "place = 1"),
    ],
)
def test_a_word_away_from_home_is_found(path: str, text: str) -> None:
    assert len(_misuses(path, text)) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mosaic_worker/session/seats.py", "class Session:\n    operators = supervisor"),
        ("mosaic/daemon/places/local.py", "class LocalPlace: ..."),
        ("mosaic/runs/x.py", "replace(a, displaced=1, start_new_session=True, placement=2)"),
        ("mosaic/runs/x.py", '"in place"  # takes place'),
        ("mosaic/fastlane/x.py", "def frame(lease): ..."),
    ],
)
def test_a_word_at_home_and_other_words_are_not(path: str, text: str) -> None:
    assert _misuses(path, text) == []
