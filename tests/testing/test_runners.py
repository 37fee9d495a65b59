"""The public check of runners: ours pass it, and each mistake is found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.runners import registry
from mosaic.settings import Settings
from mosaic.testing import check_runner
from tests.runners.stand_in import PLAIN, offer, site

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["site"]

SETTINGS = Settings()


def _checked(site: Path, source: str, **options: object) -> list[str]:
    offer(site, "plain", source)
    return check_runner(registry.find("plain", SETTINGS), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("one", registry.listed(SETTINGS), ids=lambda one: str(one.id))
def test_our_own_runners_pass(one: registry.Listed) -> None:
    assert one.runner is not None, one.problem
    assert check_runner(one.runner) == []


def test_a_good_runner_of_another_package_passes_and_trains(site: Path, home: Path) -> None:
    assert _checked(site, PLAIN, train_on="CartPole-v1", steps=60, home=home, python=sys.executable) == []


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("from mosaic.protocol", "import gymnasium\nfrom mosaic.protocol", "imports gymnasium"),
        ('[python, "-c", TRAINER, *driver_words(job)]', "[]", "its command is [], not a list of words"),
        ('[python, "-c", TRAINER, *driver_words(job)]', "1 / 0", "cannot be built: ZeroDivisionError"),
        ("*driver_words(job)]", "job.env_id, str(job.steps)]", "does not say 4711"),
        ("*driver_words(job)]", "*driver_words(job)[:9]]", "learning_rate does not reach the command"),
        (
            "*driver_words(job)]",
            "*driver_words(job), str(__import__('time').monotonic_ns())]",
            "another one the second time",
        ),
    ],
)
def test_each_mistake_is_found(site: Path, old: str, new: str, why: str) -> None:
    assert old in PLAIN
    assert any(why in text for text in _checked(site, PLAIN.replace(old, new)))


def test_a_card_that_is_none_is_told_before_anything_else() -> None:
    assert check_runner(object()) == ["a object has no 'card' and 'command'"]  # type: ignore[arg-type]


def test_a_runner_without_an_entry_point_is_told(site: Path) -> None:
    offer(site, "plain", PLAIN)
    runner = registry.find("plain", SETTINGS)
    (site / "runner_plain-1.0.dist-info" / "entry_points.txt").write_text("")
    assert check_runner(runner) == ["no entry point of the group mosaic.runners is called 'plain'"]
    assert check_runner(runner, entry_point="runner_plain:RUNNER") == []


def test_a_training_that_fails_is_a_finding_with_its_last_words(site: Path, home: Path) -> None:
    source = PLAIN.replace("import gymnasium\nwords", 'raise SystemExit("no training today")\nwords')
    found = _checked(site, source, train_on="CartPole-v1", home=home, python=sys.executable)
    assert any("no training today" in text for text in found)
    assert any("recorded 0 episodes" in text for text in found)
