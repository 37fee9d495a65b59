"""What the use-trained page does: every runner keeps its own settings, and refusals are told in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.launch.evaluating import Evaluating
from mosaic.ui.launch.launching import Launching
from mosaic.ui.launch.model.catalog import Catalog

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

LONG = 60_000


def evaluating(qtbot: QtBot, context: Context) -> tuple[Launching, Evaluating]:
    launching = Launching(context, Catalog(), keep_ms=10)
    made = Evaluating(context, launching, look_ms=10)
    launching.look()
    qtbot.waitUntil(lambda: launching.launch.runner == "tabular", timeout=LONG)
    return launching, made


def test_every_runner_keeps_what_was_typed_for_it(qtbot: QtBot, context: Context) -> None:
    launching, made = evaluating(qtbot, context)
    made.form.set("episodes", "3")
    launching.launch.pick("sb3")
    assert made.form.text("episodes") == "10"
    launching.launch.pick("tabular")
    assert made.form.text("episodes") == "3"
    assert launching.launch.remembered.evaluations["tabular"] == {"episodes": "3"}
    launching.close()


def test_checkpoints_are_looked_for_when_the_page_is_shown(qtbot: QtBot, context: Context) -> None:
    launching, made = evaluating(qtbot, context)
    assert not made.trained.loaded
    launching.launch.show("trained")
    qtbot.waitUntil(lambda: made.trained.loaded, timeout=LONG)
    launching.close()


def test_a_file_of_no_run_is_offered_for_the_chosen_algorithm_and_its_evaluation_is_refused_in_place(
    qtbot: QtBot, context: Context, tmp_path: Path
) -> None:
    launching, made = evaluating(qtbot, context)
    file = tmp_path / "table.npz"
    file.write_bytes(b"no table")
    launching.launch.show("trained")
    made.import_file(str(file))
    qtbot.waitUntil(lambda: made.trained.chosen is not None, timeout=LONG)
    qtbot.waitUntil(lambda: made.trained.loaded, timeout=LONG)
    made.start()
    assert made.trained.busy == ""  # blocked: nobody said what it plays in
    made.form.set("env_id", "NoSuchLake-v1")
    made.start()
    qtbot.waitUntil(lambda: "Nothing was started" in made.trained.problem, timeout=LONG)
    assert made.trained.chosen is not None
    assert made.trained.chosen.path == file
    launching.close()


def test_asking_for_a_checkpoint_nobody_knows_is_told(qtbot: QtBot, context: Context) -> None:
    launching, _ = evaluating(qtbot, context)
    context.asks.evaluate.emit("01JROW0000000000000000000A", "checkpoints/x.zip")
    qtbot.waitUntil(
        lambda: any("cannot be evaluated" in t.text for t in context.toasts.history), timeout=LONG
    )
    launching.close()
