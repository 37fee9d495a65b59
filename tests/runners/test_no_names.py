"""Generic code knows no runner by name: what it must know of one stands on the runner's card.

Looked at is every module of the workbench and of the worker, but for the runners' own, their drivers and the
hooks for one library by name. A name may stand in docstrings and comments,
and in sentences for people as an example of `runner/algorithm`; anywhere else it is a special case in the
wrong place.
"""

from __future__ import annotations

import ast
import importlib.metadata
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mosaic
import mosaic_worker
from mosaic.protocol.cards import COMMAND_RUNNER, SESSION_RUNNER
from mosaic.runners.registry import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator

TREES = (Path(mosaic.__file__).parent, Path(mosaic_worker.__file__).parent)
OURS = {
    point.name
    for point in importlib.metadata.entry_points(group=GROUP)
    if point.module.partition(".")[0] == "mosaic"
}
ANY = "|".join(sorted(OURS - {COMMAND_RUNNER, SESSION_RUNNER}))  # a session is a thing before it is a runner
NOT_GENERIC = re.compile(
    rf"mosaic/(runners/own|rpc/pb)/.*|mosaic_worker/drivers/({ANY})(_family)?(\.py|/.*)|mosaic_worker/hooks/({ANY})\.py"
)
"""The runners' own modules, and what is generated."""
NAMES = re.compile(rf"(?<![a-z0-9])({ANY})(?![a-z0-9])", re.IGNORECASE)
ITS_MODULE = re.compile(rf"\brunners(\.own)?\.{COMMAND_RUNNER}$")
EXAMPLE = re.compile(r"\s(?:[a-z0-9]+)/[a-z_0-9]+\s")
ALLOWED = {
    ("roles.py", "sb3_contrib"): "the module of a library whose `learn` means training",
    ("roles.py", "sbx"): "as above",
    ("testing/runners.py", "sbx"): "the module of a framework that importing a runner must not import",
    ("testing/runners.py", "sb3_contrib"): "as above",
    ("ui/welcome/model.py", "tabular"): "the first steps offered to a newcomer are examples",
    ("ui/welcome/model.py", "Train tabular Q-learning on FrozenLake"): "its title",
    ("ui/welcome/model.py", "sb3"): "as above",
    ("ui/welcome/model.py", "Train SB3 PPO on CartPole"): "its title",
    ("ui/welcome/model.py", COMMAND_RUNNER): "the id of a first step",
    ("protocol/cards.py", COMMAND_RUNNER): "where the runner of plain commands gets its name",
    ("cli/show.py", COMMAND_RUNNER): "the user's script, in a manifest",
    ("hooks/__init__.py", "sb3"): "the hook for the library of that name",
}


def _docstrings(tree: ast.AST) -> set[ast.expr]:
    """The texts that stand alone: of modules, classes and functions, and below the fields of a struct."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _said(tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """Every text and every name in the code, with its line and whether it is a text."""
    apart = _docstrings(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and node not in apart:
                yield line, node.value, True
            continue
        for part in ("id", "attr", "arg", "name", "module"):
            name = getattr(node, part, None)
            if isinstance(name, str):
                yield line, name, False


def _names_in(source: str) -> list[tuple[int, str]]:
    """Where a runner is named. The word `script` counts only as a whole text: it means other things too."""
    found = []
    for line, said, is_text in _said(ast.parse(source)):
        rest = EXAMPLE.sub(" ", f" {said} ") if is_text and " " in said else said
        command = said == COMMAND_RUNNER if is_text else bool(ITS_MODULE.search(said))
        if command or NAMES.search(rest):
            found.append((line, said))
    return found


@pytest.mark.parametrize(
    "planted",
    [
        'if job.runner == "cleanrl": pass',
        "settings.cleanrl_checkout",
        "replace(settings, cleanrl_checkout=1)",
        "def f(sb3_only): pass",
        "from mosaic.runners.own.script import RUNNER",
        "from mosaic.runners.own.tabular import RUNNER",
        'DEFAULT = "tabular"',
        'x = row.runner != "script"',
        'help = "Where the scripts lie (cleanrl)."',
        'say(f"{x} of sbx")',
    ],
)
def test_a_runners_name_in_the_code_is_noticed(planted: str) -> None:
    assert _names_in(planted)


@pytest.mark.parametrize(
    "fine",
    [
        '"""Sentences about sb3."""',
        'raise E("as in: mosaic train sb3/ppo CartPole-v1")',
        'x: int = 0\n"""Of cleanrl."""',
        'tab = "tabulars"',
    ],
)
def test_examples_and_explanations_may_name_one(fine: str) -> None:
    assert not _names_in(fine)


@pytest.mark.parametrize(
    ("name", "generic"),
    [
        ("mosaic/runners/own/sb3.py", False),
        ("mosaic/rpc/pb/x_pb2.py", False),
        ("mosaic/runners/registry.py", True),
        ("mosaic_worker/drivers/cleanrl/single_file.py", False),
        ("mosaic_worker/drivers/tabular.py", False),
        ("mosaic_worker/drivers/sb3_family/training.py", False),
        ("mosaic_worker/drivers/single_file.py", True),
        ("mosaic_worker/drivers/kit/saving.py", True),
        ("mosaic_worker/hooks/sb3.py", False),
        ("mosaic_worker/hooks/checkpoints.py", True),
    ],
)
def test_a_module_is_generic_unless_it_is_a_runners_own(name: str, *, generic: bool) -> None:
    assert (NOT_GENERIC.fullmatch(name) is None) == generic


def _generic() -> Iterator[tuple[str, str]]:
    """Every generic module, with its text."""
    for tree in TREES:
        for path in sorted(tree.rglob("*.py")):
            name = path.relative_to(tree.parent).as_posix()
            if not NOT_GENERIC.fullmatch(name):
                yield name, path.read_text()


def test_generic_code_knows_no_runner_by_name() -> None:
    assert {"script", "cleanrl", "sb3"} <= OURS
    found = [
        f"{name}:{line}: {said}"
        for name, text in _generic()
        for line, said in _names_in(text)
        if not any(name.endswith(end) and said == allowed for end, allowed in ALLOWED)
    ]
    assert not found, "say it on the card, or in the runner's own module:\n" + "\n".join(found)


def test_everything_allowed_is_still_there() -> None:
    held = {
        (end, said)
        for name, text in _generic()
        for end, allowed in ALLOWED
        if name.endswith(end)
        for _, said in _names_in(text)
        if said == allowed
    }
    assert held == {*ALLOWED}
