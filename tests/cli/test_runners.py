"""`mosaic runners`, with runners of other packages and environments built from wheels on a shelf."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

from mosaic.runners import environments, registry
from mosaic.settings import Settings
from mosaic.text import width
from tests.cli.asking import strict_json
from tests.runners.stand_in import PLAIN, offer, site, wheel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from mosaic.paths import DataRoot
    from tests.cli.conftest import Said

__all__ = ["site", "wheel"]

TINY = """
from mosaic.protocol.cards import RunnerCard
class Tiny:
    card = RunnerCard(id="tiny", title="Tiny", requirements=["PIN"], imports=["mosaic_tiny"], needs_env=False)
    def command(self, job, *, python):
        return [python, "-c", "pass"]
RUNNER = Tiny()
"""


def _states(said: Said) -> dict[str, str]:
    return {row["id"]: row["state"] for row in strict_json(said.out)}


def test_ready_missing_and_broken_ones_are_told_apart_with_what_to_do(
    root: DataRoot, site: Path, mosaic: Callable[..., Said]
) -> None:
    offer(site, "plain", PLAIN)
    offer(site, "tiny", TINY.replace("PIN", "mosaic_tiny==1.0"))
    offer(site, "bad", "import nothing_of_the_kind")
    states = _states(mosaic("runners", "ls", "--json"))
    assert {name: states[name] for name in ("plain", "tiny", "bad", "script")} == {
        "plain": "ready", "tiny": "not installed", "bad": "broken", "script": "ready",
    }  # fmt: skip
    said = mosaic("runners")
    assert said.code == 0
    assert "mosaic runners install tiny" in said.out
    assert "bad: runner_bad:RUNNER cannot be imported: ModuleNotFoundError" in said.err
    del root


def test_an_interrupted_installation_is_listed_as_broken_with_the_fix(
    root: DataRoot, site: Path, mosaic: Callable[..., Said]
) -> None:
    offer(site, "tiny", TINY.replace("PIN", "mosaic_tiny==1.0"))
    card = registry.find("tiny", Settings()).card
    environments.folder_of(root, card).mkdir(parents=True)
    row = next(row for row in strict_json(mosaic("runners", "ls", "--json").out) if row["id"] == "tiny")
    assert (row["state"], row["remedy"]) == ("broken", "mosaic runners install tiny")
    assert "interrupted" in row["text"]


def test_install_and_remove(
    root: DataRoot, site: Path, wheel: Callable[[str, str], str], mosaic: Callable[..., Said]
) -> None:
    offer(site, "tiny", TINY.replace("PIN", wheel("mosaic_tiny", "")))
    said = mosaic("runners", "install", "tiny")
    assert said.code == 0, said.err
    assert said.out.startswith(f"tiny: ready ({root.envs}")
    assert "tiny: proving it" in said.err
    assert _states(mosaic("runners", "ls", "--json"))["tiny"] == "ready"
    assert mosaic("runners", "install", "script").out == (
        "script: nothing to install, it runs in MOSAIC's own environment\n"
    )
    assert mosaic("runners", "rm", "tiny").out.startswith("removed ")
    assert mosaic("runners", "rm", "tiny").out == "tiny has no environment to remove\n"
    assert _states(mosaic("runners", "ls", "--json"))["tiny"] == "not installed"


def test_what_cannot_be_installed_is_one_error_and_exit_code_2(
    root: DataRoot, site: Path, wheel: Callable[[str, str], str], mosaic: Callable[..., Said]
) -> None:
    wheel("mosaic_tiny", "")
    offer(site, "tiny", TINY.replace("PIN", "mosaic_tiny==9.9"))
    said = mosaic("runners", "install", "tiny")
    assert said.code == 2
    assert "9.9" in said.err
    assert mosaic("runners", "install", "tinny").code == 2
    del root


def test_show_says_what_a_runner_offers(root: DataRoot, site: Path, mosaic: Callable[..., Said]) -> None:
    offer(site, "plain", PLAIN)
    said = mosaic("runners", "show", "plain")
    assert "plain/random" in said.out
    assert "can: several environments" in said.out
    assert "ready: runs in MOSAIC's own environment" in said.out
    assert "a whole number >= 1 and <= 1024" in mosaic("runners", "show", "plain/random").out
    assert strict_json(mosaic("runners", "show", "plain/random", "--json").out)["id"] == "random"
    found = strict_json(mosaic("runners", "show", "plain", "--json").out)
    assert (found["title"], found["readiness"]["state"]) == ("Plain random", "builtin")
    assert mosaic("runners", "show", "plain/randon").code == 2
    del root


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_narrow_terminal_the_list_fits(
    root: DataRoot, site: Path, mosaic: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(site, "tiny", TINY.replace("PIN", "mosaic_tiny==1.0"))
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    with contextlib.redirect_stdout(Terminal()) as terminal:
        assert mosaic("runners").code == 0
    lines = terminal.getvalue().splitlines()
    assert any(line.startswith("tiny ") for line in lines)
    assert [line for line in lines if width(line) > 60] == []
    del root
