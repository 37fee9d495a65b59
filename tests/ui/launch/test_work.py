"""The slow half of launching, against the real runners."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mosaic.app.submitting import make_spec
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Job
from mosaic.ui.launch import work
from tests.daemons import Daemon, daemon
from tests.runners.stand_in import offer, site

__all__ = ["daemon", "site"]

CHECKOUT = Path(__file__).parents[2] / "frameworks" / "checkout"


def test_every_runner_is_found_with_how_it_stands(home: Path) -> None:
    found = {entry.id: entry for entry in work.look(DataRoot(home))}
    assert found["tabular"].state == "ready"
    assert found["script"].state == "ready"
    assert (found["sb3"].state, found["sb3"].remedy) == ("missing", "mosaic runners install sb3")
    assert (found["cleanrl"].discovers, found["cleanrl"].folder_problem) == (True, "")
    assert not found["tabular"].discovers


def test_a_runner_that_cannot_be_read_is_listed_with_the_reason(home: Path, site: Path) -> None:
    offer(site, "broken", "raise ImportError('no such library')")
    broken = {entry.id: entry for entry in work.look(DataRoot(home))}["broken"]
    assert (broken.state, broken.card) == ("broken", None)
    assert "no such library" in broken.text


def test_a_named_folder_brings_its_algorithms_and_a_wrong_one_its_reason(home: Path, tmp_path: Path) -> None:
    wrong = {entry.id: entry for entry in work.look(DataRoot(home), {"cleanrl": str(tmp_path)})}["cleanrl"]
    assert wrong.folder_problem.startswith(str(tmp_path))
    assert wrong.card is not None
    right = {entry.id: entry for entry in work.look(DataRoot(home), {"cleanrl": str(CHECKOUT)})}["cleanrl"]
    assert right.card is not None
    assert right.card.algorithms
    assert right.folder_problem == ""


def test_a_command_needs_no_check_and_none_is_made_without_an_interpreter(home: Path) -> None:
    job = Job(runner="tabular", algorithm="q_learning", env_id="Nothing-v0", steps=5)
    words = work.command(DataRoot(home), job)
    assert words[:3] == [sys.executable, "-m", "mosaic_worker.drivers.tabular"]
    assert words[-4:] == ["--env", "Nothing-v0", "--steps", "5"]
    assert work.command(DataRoot(home), Job(runner="sb3", algorithm="ppo", env_id="CartPole-v1")) == []


def test_an_installation_can_be_given_up_before_anything_is_there(home: Path) -> None:
    def progress(text: str, fraction: float | None) -> None:
        raise work.InstallCancelledError("given up")

    with pytest.raises(work.InstallCancelledError):
        work.install(DataRoot(home), "sb3", progress=progress, again=False)
    assert {entry.id: entry.state for entry in work.look(DataRoot(home))}["sb3"] != "ready"


def test_a_plain_command_is_started_and_has_no_job_to_go_on_from(daemon: Daemon) -> None:
    run_id = work.start_script(daemon.root, make_spec([sys.executable, "-c", "input()"], name="waits"))
    with pytest.raises(UsageError, match="waits was a plain command"):
        work.job_of(daemon.root, run_id)
    work.stop(daemon.root, [run_id])
