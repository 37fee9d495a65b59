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

_SESSIONS = (
    "mosaic_worker/session",
    "mosaic_worker/operators",
    "mosaic_worker/drivers",
    "mosaic_worker/replay/playing_on.py",
    "mosaic/protocol/hands.py",
    "mosaic/protocol/sessions.py",
    "mosaic/protocol/cards.py",
    "mosaic/protocol/shown.py",
    "mosaic/operators",
    "mosaic/replay/branch.py",
    "mosaic/runners/decide.py",
    "mosaic/runners/own/session.py",
    "mosaic/app/branching.py",
    "mosaic/app/hands.py",
    "mosaic/app/leagues.py",
    "mosaic/app/matching.py",
    "mosaic/app/plan_scripts.py",
    "mosaic/app/plans.py",
    "mosaic/app/playing.py",
    "mosaic/app/rating.py",
    "mosaic/app/results.py",
    "mosaic/sdk/connection.py",
    "mosaic/sdk/run.py",
    "mosaic/testing",
    "mosaic/cli/branch.py",
    "mosaic/cli/by_hand.py",
    "mosaic/cli/deploy.py",
    "mosaic/cli/league.py",
    "mosaic/cli/play.py",
    "mosaic/cli/operators.py",
    "mosaic/cli/take.py",
    "mosaic/cli/versus.py",
    "mosaic/ui/parts.py",
    "mosaic/ui/play",
    "mosaic/ui/replay",
    "mosaic/ui/shell/widgets/who_field.py",
)

HOMES: dict[str, tuple[str, ...]] = {
    "session": _SESSIONS,
    "seat": _SESSIONS,
    "operator": (*_SESSIONS, "mosaic/protocol/events.py", "mosaic/ui/replay/insight.py"),
    "supervisor": ("mosaic_worker/session",),
    "place": ("mosaic/daemon/places", "mosaic/daemon/trainer.py"),
    "wish": (),
}
"""Where each word may be part of a name. *Session*: a run whose worker plays. *Seat*: who decides for which
agent. *Operator*: who decides. *Supervisor*: who may allow, replace or veto an action. *Place*: where runs
are executed. What a viewer holds is a lease, not a wish."""

GONE = {"pictur": "frame"}
"""Beginnings of words that are not used at all, and what the thing is called instead."""

GONE_FROM = {("resum", "unpause"): ("mosaic/ui/runs", "mosaic/rpc/client.py", "mosaic/cli/pause.py")}
"""Beginnings of words that are not used where pausing is spoken of, and what is said there instead. To resume
is to continue a training that has ended. (That `mosaic resume` still unpauses is said in cli/main.py.)"""

NOT_OURS = {
    ("", "start_new_session"): "an argument of subprocess.Popen",
    ("mosaic_worker/journal.py", "operator"): "a module of the standard library",
    ("mosaic/protocol/schema.py", "operator"): "a module of the standard library",
    ("mosaic/runners/own/constants.py", "operator"): "a module of the standard library",
    ("mosaic/daemon/publish.py", "session"): "a field of a published message",
    ("mosaic/rpc/client.py", "ResumeRun"): "a call of trainer.proto, which older daemons know by this name",
}
"""Names other people chose or know, with the file they are excused in (empty: any)."""


def _within(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _names(path: str, text: str) -> list[tuple[int, str]]:
    """Every name in a module with its line; line 0 is the module's own path.

    What a module imports is named where it is defined; only the name it gives to it here counts.
    """
    found = [(0, part) for part in Path(path).with_suffix("").parts]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.alias):
            found += [(node.lineno, node.asname)] if node.asname else []
            continue
        if isinstance(node, (ast.Constant, ast.ImportFrom)):
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
    gone = GONE | {word: instead for (word, instead), here in GONE_FROM.items() if _within(path, here)}
    excused = [name for where, name in NOT_OURS if where == path]
    for number, written in enumerate(text.splitlines(), 1):
        ours = re.sub("|".join(excused), "", written) if excused else written
        for beginning, instead in gone.items():
            if any(form in ours for form in (beginning, beginning.capitalize(), beginning.upper())):
                found.append(f"{path}:{number}: the word is {instead}: {written.strip()}")
    return found


def test_each_word_stands_for_its_own_thing() -> None:
    found = []
    for file in sorted([*SRC.glob("mosaic/**/*.py"), *SRC.glob("mosaic_worker/**/*.py")]):
        if "/pb/" in file.as_posix():  # made from trainer.proto
            continue
        found += _misuses(file.relative_to(SRC).as_posix(), file.read_text())
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mosaic/runs/x.py", "class OpenSession: ..."),
        ("mosaic/runs/x.py", "def f(seat): ..."),
        ("mosaic/runs/x.py", "f(seats=1)"),
        ("mosaic/runs/supervisor.py", ""),
        ("mosaic/runs/x.py", "from mosaic.runs import launcher as supervisor"),
        ("mosaic/runs/x.py", "operator.add(1, 2)"),
        ("mosaic/runs/x.py", "self._places[0] = 1"),
        ("mosaic/runs/x.py", 'f"{place}"'),
        ("mosaic/runs/place.py", ""),
        ("mosaic/fastlane/x.py", "WISHES = 1"),
        ("mosaic/fastlane/x.py", "x = 1  # a Picture"),
        ("mosaic/fastlane/x.py", '"""No pictures."""'),
        ("mosaic_worker/session/x.py", "place = 1"),
        ("mosaic/rpc/client.py", "def resume(run): ..."),
        ("mosaic/ui/runs/x.py", 'ResumeRun("Resumed.")'),
        ("mosaic/cli/pause.py", '"""Resuming."""'),
    ],
)
def test_a_word_away_from_home_is_found(path: str, text: str) -> None:
    assert len(_misuses(path, text)) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mosaic_worker/session/seats.py", "class Session:\n    operators = supervisor"),
        ("mosaic/daemon/places/local.py", "class LocalPlace: ..."),
        ("mosaic_worker/replay/x.py", "from mosaic_worker.session.loop import play"),
        ("mosaic/runs/x.py", "replace(a, displaced=1, start_new_session=True, placement=2)"),
        ("mosaic/runs/x.py", '"in place"  # takes place'),
        ("mosaic/fastlane/x.py", "def frame(lease): ..."),
        ("mosaic/rpc/client.py", "stub.ResumeRun(run)"),
        ("mosaic/rpc/client.py", "StoreSummary(run)"),
        ("mosaic/ui/launch/x.py", "Job(resume=run)  # resumed"),
    ],
)
def test_a_word_at_home_and_other_words_are_not(path: str, text: str) -> None:
    assert _misuses(path, text) == []
