"""What the launch form does: one preflight at a time, installations that can be given up, seeds."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from mosaic.app import training
from mosaic.app.submitting import make_spec
from mosaic.protocol.cards import Check, Job
from mosaic.protocol.runs import ENDED
from mosaic.runners import preflight
from mosaic.runs.folder import read_manifest
from mosaic.ui.launch import work
from mosaic.ui.launch.launching import Launching
from mosaic.ui.launch.memory import recall
from mosaic.ui.launch.model.catalog import Catalog, Install
from tests.daemons import Daemon, daemon

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from mosaic.app.training import Plan
    from mosaic.paths import DataRoot
    from mosaic.runners.runner import Runner
    from mosaic.ui.shell.context import Context

__all__ = ["daemon"]

CHECKOUT = Path(__file__).parents[2] / "frameworks" / "checkout"
LONG = 60_000


def launching(qtbot: QtBot, context: Context, *, pause_ms: int = 10) -> Launching:
    made = Launching(context, Catalog(), pause_ms=pause_ms, keep_ms=10)
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
    qtbot.waitUntil(lambda: made.launch.plan is not None, timeout=LONG)
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


def count_preflights(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The steps of every job that a preflight looks at from now on."""
    looked: list[int | None] = []
    real = preflight.preflight

    def counted(root: DataRoot, runner: Runner, job: Job, **more: Any) -> list[Check]:
        looked.append(job.steps)
        return real(root, runner, job, **more)

    monkeypatch.setattr(preflight, "preflight", counted)
    return looked


def test_what_was_checked_while_it_was_typed_is_launched_without_a_second_preflight(
    qtbot: QtBot, context: Context, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = launching(qtbot, context)
    qtbot.waitUntil(lambda: not made.launch.checking, timeout=LONG)
    looked = count_preflights(monkeypatch)
    made.launch.basics.set("steps", "50")
    qtbot.waitUntil(lambda: made.launch.plan is not None, timeout=LONG)
    planned = made.launch.plan
    assert planned is not None
    made.start()
    qtbot.waitUntil(lambda: context.selection.focus is not None, timeout=LONG)
    assert looked == [50]
    run_id = context.selection.focus or ""
    assert daemon.client.run(run_id).command == planned.command
    qtbot.waitUntil(lambda: daemon.client.run(run_id).state in ENDED, timeout=LONG)
    made.close()


def test_what_was_typed_after_the_check_is_not_launched_before_it_is_checked(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    made = launching(qtbot, context, pause_ms=600_000)  # nothing is checked while it is typed
    made.launch.basics.set("steps", "50")
    made.launch.answer(asked_of(made), plan=training.plan(context.root, made.launch.job()))
    made.launch.basics.set("steps", "60")
    made.start()
    assert not made.launch.launching
    made.launch.answer(asked_of(made), plan=training.plan(context.root, made.launch.job()))
    made.start()
    qtbot.waitUntil(lambda: context.selection.focus is not None, timeout=LONG)
    run_id = context.selection.focus or ""
    job = read_manifest(context.root.run(run_id)).spec.job
    assert job is not None
    assert job.steps == 60
    qtbot.waitUntil(lambda: daemon.client.run(run_id).state in ENDED, timeout=LONG)
    made.close()


def asked_of(made: Launching) -> int:
    asked = made.launch.ask()
    assert asked is not None
    return asked[0]


def test_a_refused_launch_says_why_and_starts_nothing(qtbot: QtBot, context: Context) -> None:
    made = launching(qtbot, context)
    made.launch.basics.set("env_id", "CartPole-v1")
    qtbot.waitUntil(lambda: made.launch.plan is not None, timeout=LONG)
    made.start()
    assert not made.launch.launching
    assert made.launch.blocked.startswith("spaces: Q-learning takes observations from Discrete")
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


def test_a_command_that_was_typed_is_there_again_in_the_next_window(qtbot: QtBot, context: Context) -> None:
    made = launching(qtbot, context)
    made.script.set("command", "python mine.py")
    qtbot.waitUntil(lambda: recall(context.root).script.get("command") == "python mine.py", timeout=LONG)
    made.close()
    again = Launching(context, Catalog())
    assert again.script.text("command") == "python mine.py"
    again.close()
