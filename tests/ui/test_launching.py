"""What the launch form does: one preflight at a time, installations that can be given up, seeds."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from mosaic.app import training
from mosaic.app.submitting import make_spec
from mosaic.protocol.cards import Check, Job
from mosaic.protocol.runs import ENDED
from mosaic.ui import launch_work as work
from mosaic.ui.launching import Launching
from mosaic.ui.models.catalog import Install
from tests.daemons import Daemon, daemon

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot
    from mosaic.ui.context import Context

__all__ = ["daemon"]

CHECKOUT = Path(__file__).parents[1] / "frameworks" / "checkout"
LONG = 60_000


def launching(qtbot: QtBot, context: Context) -> Launching:
    made = Launching(context, pause_ms=10, keep_ms=10)
    made.look()
    qtbot.waitUntil(lambda: made.launch.runner == "tabular", timeout=LONG)
    return made


def test_what_changes_during_a_preflight_is_checked_when_it_is_done_and_the_old_answer_is_dropped(
    qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    checked: list[int | None] = []

    def plan(root: DataRoot, job: Job) -> Plan:
        checked.append(job.steps)
        assert go.wait(60)
        check = Check(name="steps", level="ok", text=str(job.steps))
        return training.Plan(job=job, command=[], checks=[check])

    monkeypatch.setattr(training, "plan", plan)
    made = launching(qtbot, context)
    qtbot.waitUntil(lambda: len(checked) == 1, timeout=LONG)
    made.launch.basics.set("steps", "7")
    made.launch.basics.set("steps", "8")
    go.set()
    qtbot.waitUntil(lambda: not made.launch.checking, timeout=LONG)
    assert [check.text for check in made.launch.checks] == ["8"]
    assert checked == [20_000, 8]
    made.close()


def test_an_installation_shows_its_progress_and_can_be_given_up(
    qtbot: QtBot, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(
        root: DataRoot, runner_id: str, *, progress: Callable[[str, float | None], None], again: bool
    ) -> None:
        while True:  # ends when `progress` raises
            progress("downloading", 0.5)
            threading.Event().wait(0.01)

    monkeypatch.setattr(work, "install", install)
    made = launching(qtbot, context)
    made.install("sb3")
    half = Install(text="downloading", fraction=0.5)
    qtbot.waitUntil(lambda: made.catalog.install("sb3") == half, timeout=LONG)
    made.cancel("sb3")
    qtbot.waitUntil(lambda: not made.catalog.installing, timeout=LONG)
    install_now = made.catalog.install("sb3")
    assert install_now is not None
    assert install_now.failed.startswith("The installation was given up")
    made.install("sb3")
    made.close()
    qtbot.waitUntil(lambda: not made.catalog.installing, timeout=LONG)


def test_several_seeds_become_a_group_that_is_chosen_as_one(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    made = launching(qtbot, context)
    made.launch.basics.set("seeds", "1-2")
    made.launch.basics.set("steps", "50")
    made.start()
    qtbot.waitUntil(lambda: len(context.selection.chosen) == 2, timeout=LONG)
    rows = [daemon.client.run(run_id) for run_id in context.selection.chosen]
    assert rows[0].group is not None
    assert rows[0].group == rows[1].group
    assert context.toasts.history[-1].text == "Started q_learning on FrozenLake-v1, 2 seeds"
    qtbot.waitUntil(
        lambda: all(daemon.client.run(run_id).state in ENDED for run_id in context.selection.chosen),
        timeout=LONG,
    )
    made.close()


def test_a_refused_launch_says_why_and_starts_nothing(qtbot: QtBot, context: Context) -> None:
    made = launching(qtbot, context)
    made.launch.basics.set("env_id", "CartPole-v1")
    made.start()
    qtbot.waitUntil(lambda: "Nothing was started" in made.launch.problem, timeout=LONG)
    assert not made.launch.launching
    assert context.selection.focus is None
    assert made.launch.basics.text("env_id") == "CartPole-v1"
    made.close()


def test_a_run_whose_algorithm_came_from_a_folder_brings_that_folder(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    made = launching(qtbot, context)
    job = Job(runner="cleanrl", algorithm="ppo", env_id="CartPole-v1", seed=3, checkout=str(CHECKOUT))
    spec = msgspec.structs.replace(make_spec(["true"]), runner="cleanrl", job=job)
    daemon.client.submit(spec, env={})
    context.selection.choose([spec.run_id])
    made.again()
    qtbot.waitUntil(lambda: made.launch.runner == "cleanrl" and made.launch.seeds == [3], timeout=LONG)
    assert made.launch.algorithm is not None
    assert made.launch.algorithm.id == "ppo"
    assert made.launch.job().checkout == str(CHECKOUT)
    made.close()
