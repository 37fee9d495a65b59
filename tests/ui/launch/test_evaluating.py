"""What the use-trained page does: every runner keeps its own settings, and refusals are told in place."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QTimer

from mosaic.protocol.runs import RunState
from mosaic.ui.launch.evaluating import Evaluating
from mosaic.ui.launch.launching import Launching
from mosaic.ui.launch.model.catalog import Catalog
from tests.ui.rows import row
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

LONG = 60_000


def evaluating(qtbot: QtBot, context: Context) -> tuple[Launching, Evaluating]:
    launching = Launching(context, Catalog(), keep_ms=10)
    made = Evaluating(context, launching, gap_ms=10)
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


def trained(context: Context) -> Stored:
    """A run that is about to end and has saved a policy; the list of runs does not have it yet."""
    run = Stored(context.root)
    (run.folder.path / "policy.npz").write_bytes(b"weights")
    meta = {"runner": "tabular", "algorithm": "q_learning", "env_id": "FrozenLake-v1"}
    run.event(type="checkpoint", path="policy.npz", bytes=7, step=9, kind="policy", meta=meta)
    return run


def test_a_training_that_ends_while_another_run_never_rests_is_found(qtbot: QtBot, context: Context) -> None:
    launching, made = evaluating(qtbot, context)
    numbers = count(1)
    restless = QTimer(interval=1)  # more often than checkpoints are looked for
    restless.timeout.connect(lambda: context.runs.update([row(1, store_seq=next(numbers))]))
    restless.start()
    made.following.start()
    qtbot.waitUntil(lambda: made.trained.loaded, timeout=LONG)
    context.runs.update([trained(context).commit(ended=True)])
    qtbot.waitUntil(lambda: len(made.trained.shelves("tabular")) == 1, timeout=LONG)
    looks: list[int] = []
    made.trained.changed.connect(lambda: looks.append(len(made.trained.shelves("tabular"))))
    qtbot.waitUntil(lambda: bool(looks), timeout=LONG)
    restless.stop()
    assert set(looks) == {1}, "what was not looked at again stays"
    made.following.close()
    launching.close()


def test_a_run_that_has_ended_well_is_marked_and_one_that_was_deleted_is_gone(
    qtbot: QtBot, context: Context
) -> None:
    launching, made = evaluating(qtbot, context)
    live = trained(context).commit()
    context.runs.update([live])
    made.following.start()
    qtbot.waitUntil(lambda: len(made.trained.shelves("tabular")) == 1, timeout=LONG)
    marked: list[list[str]] = []
    made.trained.changed.connect(
        lambda: marked.append([one.highlight for one in made.trained.shelves("tabular")])
    )
    context.runs.update([msgspec.structs.replace(live, state=RunState.FINISHED)])
    assert marked[-1:] == [[str(context.root.run(live.run_id).path / "policy.npz")]]
    context.runs.update([], gone=[live.run_id])
    assert marked[-1] == []
    made.following.close()
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
