"""What the doctor says of runners: good ones, broken ones, and those that only look good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mosaic.cli.runner_checks import runner_checks
from mosaic.paths import DataRoot
from tests.runners.stand_in import PLAIN, offer, site

if TYPE_CHECKING:
    from pathlib import Path

    from mosaic.cli.checks import Check

__all__ = ["site"]


@pytest.fixture
def place(home: Path) -> DataRoot:
    """A data root in which nothing runs."""
    return DataRoot(home)


def look(place: DataRoot, *, really: bool = False) -> dict[str, Check]:
    return {check.name: check for check in runner_checks(place, really=really)}


@pytest.mark.parametrize("really", [False, True])
def test_runners_are_looked_at_and_on_request_tried(
    place: DataRoot, site: Path, monkeypatch: pytest.MonkeyPatch, *, really: bool
) -> None:
    offer(site, "plain", PLAIN)
    offer(site, "bad", "import nothing_of_the_kind")
    lame = PLAIN.replace('"plain"', '"lame"').replace("default_steps=60", 'default_env="Nope-v0"')
    offer(site, "lame", lame)
    monkeypatch.setenv("MOSAIC_RUNNER_PYTHON", "sb3=/nowhere/python,sbx=/nowhere/python")
    found = look(place, really=really)
    assert found["runner plain"].status == "ok"
    assert ("tried and fine" in found["runner plain"].text) is really
    assert found["runner lame"].status == ("fail" if really else "ok")
    bad = found["runner bad"]
    assert bad.status == "warn"
    assert "nothing_of_the_kind" in bad.text
    assert bad.fix == "remove mosaic-runner-bad"


def test_a_runner_that_was_never_installed_is_no_fault_and_one_whose_interpreter_is_gone_is(
    place: DataRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSAIC_ENVS_DIR", str(place.path / "none"))
    monkeypatch.setenv("MOSAIC_RUNNER_PYTHON", "sbx=/nowhere/python")
    found = look(place)
    assert found["runner sb3"].status == "ok"
    assert found["runner sb3"].text.startswith("not installed")
    assert found["runner sb3"].fix == "mosaic runners install sb3"
    assert found["runner sbx"].status == "warn"
    assert "not a program" in found["runner sbx"].text


def test_with_settings_that_cannot_be_read_the_runners_are_left_to_the_check_of_the_settings(
    place: DataRoot,
) -> None:
    place.settings.write_text("max_runing = 3\n")
    place.settings.chmod(0o600)
    assert runner_checks(place) == []
