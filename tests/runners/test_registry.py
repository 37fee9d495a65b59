"""Entry points as packages really offer them: good ones, and every kind of bad one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mosaic.errors import UsageError
from mosaic.runners import registry
from mosaic.runners.runner import Careful, Discovering, Telling
from mosaic.settings import Settings
from tests.runners.stand_in import PLAIN, offer

if TYPE_CHECKING:
    from pathlib import Path


SETTINGS = Settings()

DISCOVERS = """
from pathlib import Path
from mosaic.errors import UsageError
from mosaic.protocol.cards import Algorithm, Check, RunnerCard

class Found:
    card = RunnerCard(id="found", title="Found")
    def command(self, job, *, python):
        return [python, job.checkout + "/" + job.algorithm + ".py"]
    def discover(self, settings):
        place = settings.checkouts.get("found", "")
        if place and not Path(place).is_dir():
            raise UsageError(f"{place} is no checkout")
        return [Algorithm(id=path.stem) for path in Path(place).glob("*.py")] if place else []
    def checks(self, job, *, python):
        return [Check(name="own", level="ok", text=job.algorithm)]
    def variables(self, job):
        return {"ALGORITHM": job.algorithm}
RUNNER = Found()
"""


def _listed(name: str) -> registry.Listed:
    return next(one for one in registry.listed(SETTINGS) if one.id == name)


def test_our_own_runners_come_through_the_same_door_and_none_is_broken() -> None:
    found = {one.id: one.problem for one in registry.listed(SETTINGS)}
    assert "script" in found
    assert not any(found.values()), found


def test_a_runner_of_another_package_is_listed_with_its_package(site: Path) -> None:
    offer(site, "plain", PLAIN)
    one = _listed("plain")
    assert one.runner is not None
    assert (one.runner.card.title, one.package, one.problem) == ("Plain random", "mosaic-runner-plain", "")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import nothing_of_the_kind", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        ("RUNNR = 1", "has no attribute 'RUNNER'"),
        ("RUNNER = 7", "is a int without 'card' and 'command'"),
        (PLAIN.replace('id="plain"', 'id="other"'), "its card says 'other', its entry point 'bad'"),
        (
            PLAIN.replace('id="plain"', 'id="bad"').replace("default=32", "default=0"),
            "its default does not fit",
        ),
        (
            "class R:\n    command = 1\n    card = property(lambda self: 1 / 0)\nRUNNER = R()",
            "ZeroDivisionError",
        ),
        ("class R:\n    command = 1\n    card = {}\nRUNNER = R()", "not a RunnerCard"),
    ],
)
def test_a_bad_runner_is_listed_as_broken_with_the_reason_and_the_others_stay(
    site: Path, source: str, why: str
) -> None:
    offer(site, "bad", source)
    one = _listed("bad")
    assert one.runner is None
    assert why in one.problem
    assert _listed("script").runner is not None
    with pytest.raises(UsageError, match="runner 'bad' is broken"):
        registry.find("bad", SETTINGS)


def test_a_name_that_two_packages_claim_is_nobodys(site: Path) -> None:
    offer(site, "one", PLAIN)
    offer(site, "two", PLAIN)
    (site / "runner_two-1.0.dist-info" / "entry_points.txt").write_text(
        "[mosaic.runners]\none = runner_two:RUNNER"
    )
    one = _listed("one")
    assert one.runner is None
    assert "mosaic-runner-one and mosaic-runner-two" in one.problem


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"there is no runner 'scirpt'. Did you mean 'script'\?"):
        registry.find("scirpt", SETTINGS)


def test_algorithms_are_found_by_name_whatever_the_case_and_the_nearest_is_offered(site: Path) -> None:
    offer(site, "plain", PLAIN)
    runner = registry.find("plain", SETTINGS)
    assert registry.algorithm(runner, "RANDOM").id == "random"
    with pytest.raises(UsageError, match=r"no algorithm 'randon'. Did you mean 'random'\?"):
        registry.algorithm(runner, "randon")
    with pytest.raises(UsageError, match=r"which algorithm\? Known: masked, random"):
        registry.algorithm(runner, "")


def test_algorithms_of_a_checkout_are_discovered_and_its_command_knows_the_place(
    site: Path, tmp_path: Path
) -> None:
    from mosaic.protocol.cards import Job

    offer(site, "found", DISCOVERS)
    runner = registry.find("found", SETTINGS)
    with pytest.raises(UsageError, match="--checkout PATH"):
        registry.algorithm(runner, "mine")
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "mine.py").touch()
    there = Settings(checkouts={"found": str(tmp_path / "checkout")})
    runner = registry.find("found", there)
    assert registry.algorithm(runner, "mine").id == "mine"
    assert isinstance(runner, Discovering)
    assert [one.id for one in runner.discover(there)] == ["mine"]
    job = Job(runner="found", algorithm="mine", checkout="/there")
    assert runner.command(job, python="py") == ["py", "/there/mine.py"]
    assert isinstance(runner, Careful)
    assert runner.checks(job, python="py")[0].text == "mine"
    assert isinstance(runner, Telling)
    assert runner.variables(job) == {"ALGORITHM": "mine"}
    with pytest.raises(UsageError, match="is no checkout"):
        registry.find("found", Settings(checkouts={"found": "/nowhere"}))


def test_listing_the_runners_imports_no_framework() -> None:
    code = (
        "import sys; from mosaic.runners import registry; from mosaic.settings import Settings;"
        "registry.listed(Settings());"
        "bad = {'torch', 'gymnasium', 'jax', 'numpy', 'stable_baselines3', 'grpc'} & sys.modules.keys();"
        "sys.exit(f'imported {bad}' if bad else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
