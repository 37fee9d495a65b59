"""Use trained, on real checkpoints: chosen, verified, evaluated; strangers' files are trusted by hash."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.app import training
from mosaic.app.reading import wait_ingested
from mosaic.artifacts import checkpoints
from mosaic.paths import DataRoot
from mosaic.protocol.cards import Job
from mosaic.protocol.runs import ENDED
from mosaic.runs.folder import read_manifest
from mosaic.ui.launch.memory import recall
from mosaic.ui.launch.panel import LaunchPanel
from mosaic.ui.parts import make_launch
from tests.daemons import Daemon, daemon, until

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

__all__ = ["daemon"]

LONG = 60_000


def trained_run(running: Daemon) -> str:
    job = Job(runner="tabular", algorithm="q_learning", env_id="FrozenLake-v1", steps=400, seed=1)
    run_id = training.train(running.root, job, name="lake")
    until(lambda: running.client.run(run_id).state in ENDED, timeout_secs=90)
    assert running.client.run(run_id).state.value == "finished"
    assert wait_ingested(running.root, run_id)
    return run_id


def panel(qtbot: QtBot, context: Context) -> LaunchPanel:
    made = make_launch(context)
    qtbot.addWidget(made)
    made.resize(330, 700)
    made.show()
    qtbot.waitUntil(lambda: made.launch.runner == "tabular", timeout=LONG)
    QTest.mouseClick(made.pages.button("trained"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: made.evaluating.trained.loaded, timeout=LONG)
    return made


def test_without_checkpoints_the_page_says_what_to_do(qtbot: QtBot, context: Context) -> None:
    made = panel(qtbot, context)
    assert made.trained.isVisible()
    assert not made.train.isVisible()
    assert made.trained.empty.text() == "No checkpoint of Tabular yet. Train one, or import a file."
    assert (made.button.text(), made.why.text()) == ("Evaluate", "Choose a checkpoint.")


def test_checkpoints_are_followed_while_the_page_is_on_the_screen(qtbot: QtBot, context: Context) -> None:
    made = panel(qtbot, context)
    assert made.evaluating.following.looking
    made.launch.show("train")
    assert not made.evaluating.following.looking
    made.launch.show("trained")
    assert made.evaluating.following.looking
    made.hide()
    assert not made.evaluating.following.looking


def test_a_checkpoint_is_verified_when_chosen_and_evaluated_as_a_run(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    run_id = trained_run(daemon)
    made = panel(qtbot, context)
    top = made.trained.tree.topLevelItem(0)
    assert top is not None
    assert top.text(0) == "FrozenLake-v1 · q_learning"
    first = top.child(0)
    assert first is not None
    made.trained.tree.setCurrentItem(first)
    qtbot.waitUntil(lambda: "matches its record" in made.trained.facts.text(), timeout=LONG)
    made.evaluating.form.set("env_id", "Taxi-v4")
    assert not made.button.isEnabled()
    assert made.trained.switch.text() == "Switch environment to FrozenLake-v1"
    QTest.mouseClick(made.trained.switch, Qt.MouseButton.LeftButton)
    assert made.button.isEnabled()
    made.evaluating.form.set("episodes", "2")
    QTest.mouseClick(made.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.selection.focus is not None, timeout=LONG)
    assert context.selection.focus is not None
    run = context.selection.focus
    qtbot.waitUntil(lambda: daemon.client.run(run).state in ENDED, timeout=LONG)
    assert daemon.client.run(run).state.value == "finished"
    job = read_manifest(context.root.run(context.selection.focus)).spec.job
    assert job is not None
    assert (job.kind, job.env_id, job.episodes) == ("eval", "FrozenLake-v1", 2)
    qtbot.waitUntil(
        lambda: recall(context.root).evaluations.get("tabular", {}).get("episodes") == "2", timeout=LONG
    )
    made.launch.show("train")
    context.asks.evaluate.emit(run_id, str(checkpoints.of_run(context.root, run_id)[0].path))
    qtbot.waitUntil(lambda: made.trained.isVisible() and made.button.isEnabled(), timeout=LONG)


def test_a_training_starts_from_a_checkpoint_or_resumes_a_run(
    qtbot: QtBot, context: Context, daemon: Daemon
) -> None:
    run_id = trained_run(daemon)
    made = panel(qtbot, context)
    newest = checkpoints.of_run(context.root, run_id)[0]
    context.asks.train_from.emit(run_id, newest.row.path)
    qtbot.waitUntil(lambda: made.launch.basics.text("init") == str(newest.path), timeout=LONG)
    assert made.train.isVisible()
    assert made.launch.basics.text("steps") == "400"
    qtbot.waitUntil(lambda: f"--init {newest.path}" in made.train.command.text, timeout=LONG)
    context.asks.resume.emit(run_id)
    qtbot.waitUntil(lambda: made.launch.basics.text("resume") == run_id, timeout=LONG)
    assert made.launch.basics.text("init") == ""
    assert made.launch.job().steps is None
    assert made.train.note.text().startswith("Resumes that run up to the steps")
    context.runs.update(daemon.client.runs())
    context.selection.choose([run_id])
    commands = {command.id: command for command in made.commands()}
    made.launch.basics.set("resume", "")
    assert commands["run.resume"].when()
    commands["run.resume"].call()
    qtbot.waitUntil(lambda: made.launch.basics.text("resume") == run_id, timeout=LONG)
    assert commands["run.again"].when()
    commands["run.again"].call()
    qtbot.waitUntil(lambda: made.launch.basics.text("resume") == "", timeout=LONG)
    assert made.launch.basics.text("steps") == "400"
    plain = daemon.submit([sys.executable, "-c", ""])
    context.asks.resume.emit(plain.run_id)
    qtbot.waitUntil(lambda: any("plain command" in t.text for t in context.toasts.history), timeout=LONG)


def test_a_file_that_is_not_there_is_refused_and_the_choice_stays(qtbot: QtBot, context: Context) -> None:
    made = panel(qtbot, context)
    made.trained.import_fold.open()
    assert not made.trained.take.isEnabled()
    QTest.keyClicks(made.trained.path, "/no/such/file.zip")
    QTest.mouseClick(made.trained.take, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "there is no file" in made.trained.problem.text(), timeout=LONG)
    assert made.evaluating.trained.chosen is None


@pytest.mark.parametrize("changed", [False, True])
def test_a_strangers_file_is_trusted_in_place_by_the_hash_that_is_shown(
    qtbot: QtBot, context: Context, tmp_path: Path, changed: bool
) -> None:
    file = tmp_path / "policy.zip"
    file.write_bytes(b"anything")
    made = panel(qtbot, context)
    made.launch.pick("sb3", "ppo")
    made.launch.show("trained")
    made.evaluating.import_file(str(file))
    qtbot.waitUntil(made.evaluating.trained.untrusted, timeout=LONG)
    digest = hashlib.sha256(b"anything").hexdigest()
    assert digest in made.trained.trust_note.text().replace("\n", "")
    assert made.trained.trust_box.isVisible()
    if changed:
        file.write_bytes(b"something else")
    QTest.mouseClick(made.trained.trust, Qt.MouseButton.LeftButton)
    chosen = made.evaluating.trained
    if changed:
        qtbot.waitUntil(lambda: "changed" in made.trained.problem.text(), timeout=LONG)
        assert chosen.untrusted()
    else:
        qtbot.waitUntil(lambda: not chosen.untrusted(), timeout=LONG)
        assert checkpoints.find(DataRoot(context.root.path), str(file)).trusted
        assert not made.trained.trust_box.isVisible()
    assert chosen.chosen is not None
    assert chosen.chosen.path == file
