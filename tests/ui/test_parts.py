"""The parts of the window: two views on one model show the same, and each part is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from mosaic.ui.charts.feed import ChartsFeed
from mosaic.ui.charts.model import Charts
from mosaic.ui.charts.panel import ChartsPanel
from mosaic.ui.checkpoints.feed import CheckpointsFeed
from mosaic.ui.checkpoints.model import Checkpoints
from mosaic.ui.checkpoints.panel import CheckpointsPanel
from mosaic.ui.details.feed import DetailsFeed
from mosaic.ui.details.model import Details
from mosaic.ui.details.panel import DetailsPanel
from mosaic.ui.episodes.feed import EpisodesFeed
from mosaic.ui.episodes.model import EpisodeList
from mosaic.ui.episodes.panel import EpisodesPanel
from mosaic.ui.logs.drawer import LogDrawer
from mosaic.ui.logs.feed import LogFeed
from mosaic.ui.logs.model import Log
from mosaic.ui.parts import make_parts
from mosaic.ui.replay.model import Transport
from mosaic.ui.replay.replaying import Replaying
from mosaic.ui.replay.tab import ReplayTab
from mosaic.ui.runs.model.deletions import Deletions
from mosaic.ui.runs.model.table import RunTable
from mosaic.ui.runs.panel import RunPanel
from mosaic.ui.telemetry.feed import TelemetryFeed
from mosaic.ui.telemetry.model import Telemetry
from mosaic.ui.telemetry.tab import TelemetryTab
from tests.ui.checkpoints.saving import saved
from tests.ui.rows import row
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


def shown(qtbot: QtBot, *views: QWidget) -> None:
    for view in views:
        qtbot.addWidget(view)
        view.resize(500, 600)
        view.show()


def chosen(context: Context) -> Stored:
    run = Stored(context.root)
    run.episodes([1.0, 2.0])
    context.runs.update([run.commit()])
    context.selection.choose([run.run_id])
    return run


def test_two_views_of_the_charts_draw_the_same_curves_and_one_that_goes_leaves_the_other(
    qtbot: QtBot, context: Context
) -> None:
    charts = Charts()
    feed = ChartsFeed(context, charts)
    left, right = ChartsPanel(context, charts, feed), ChartsPanel(context, charts, feed)
    shown(qtbot, left, right)
    run = chosen(context)

    def drawn(view: ChartsPanel) -> list[float]:
        plot = view.plots.get("return")
        line = None if plot is None else plot.line_of(run.run_id)
        return [] if line is None else [float(y) for y in line]

    qtbot.waitUntil(lambda: drawn(left) == drawn(right) == [1.0, 2.0], timeout=WAIT_MS)
    left.charts.toggle("length")
    assert set(left.plots) == set(right.plots) == {"return"}
    left.hide()
    run.episodes([3.0])
    context.runs.update([run.commit()])
    qtbot.waitUntil(lambda: drawn(right) == [1.0, 2.0, 3.0], timeout=WAIT_MS)
    right.hide()


def settings(view: ChartsPanel) -> tuple[object, ...]:
    """What the controls of a view say."""
    return (
        view.axis.currentData(),
        view.log.isChecked(),
        view.kind.currentData(),
        (view.amount.minimum(), view.amount.value(), view.amount.maximum(), view.amount.isEnabled()),
        view.told.text(),
    )


def test_a_second_view_of_the_charts_is_set_as_the_first_and_changes_nothing(
    qtbot: QtBot, context: Context
) -> None:
    charts = Charts()
    feed = ChartsFeed(context, charts)
    left = ChartsPanel(context, charts, feed)
    left.axis.setCurrentIndex(left.axis.findData("time"))
    left.log.click()
    left.kind.setCurrentIndex(left.kind.findData("window"))
    left.amount.setValue(2)
    assert (charts.axis, charts.log, charts.smoothing.kind, charts.smoothing.window) == (
        "time",
        True,
        "window",
        20,
    )
    changes: list[None] = []
    charts.changed.connect(lambda: changes.append(None))
    right = ChartsPanel(context, charts, feed)
    assert changes == []
    shown(qtbot, left, right)
    assert settings(left) == settings(right) == ("time", True, "window", (0, 2, 7, True), "last 20")
    right.kind.setCurrentIndex(right.kind.findData("ema"))
    right.amount.setValue(500)
    right.log.click()
    right.axis.setCurrentIndex(right.axis.findData("episodes"))
    assert len(changes) == 4, "each control tells the model once"
    assert settings(left) == settings(right) == ("episodes", False, "ema", (0, 500, 999, True), "0.500")
    left.kind.setCurrentIndex(left.kind.findData("none"))
    assert settings(right) == ("episodes", False, "none", (0, 500, 999, False), "")
    left.hide()
    right.hide()


def test_two_views_of_the_telemetry_list_each_step_once(qtbot: QtBot, context: Context) -> None:
    telemetry = Telemetry()
    feed = TelemetryFeed(context, telemetry)
    left, right = TelemetryTab(context, telemetry, feed), TelemetryTab(context, telemetry, feed)
    shown(qtbot, left, right)
    chosen(context)
    for view in (left, right):
        qtbot.waitUntil(lambda view=view: view.episodes.rows.rowCount() == 2, timeout=WAIT_MS)  # type: ignore[misc]
    left.shut()
    right.shut()


def test_two_views_of_the_details_say_the_same_and_one_that_goes_leaves_the_other(
    qtbot: QtBot, context: Context
) -> None:
    details = Details()
    feed = DetailsFeed(context, details, gap_ms=10)
    left, right = DetailsPanel(context, details, feed), DetailsPanel(context, details, feed)
    shown(qtbot, left, right)
    run = chosen(context)

    def says(view: DetailsPanel, text: str) -> bool:
        return any(text in label.text() for label in view.findChildren(QLabel))

    qtbot.waitUntil(lambda: says(left, "Machine") and says(right, "Machine"), timeout=WAIT_MS)
    left.hide()
    run.event(type="config", args={"learning_rate": 0.25})
    context.runs.update([run.commit()])
    qtbot.waitUntil(lambda: says(right, "learning_rate"), timeout=WAIT_MS)
    assert not says(left, "learning_rate"), "nobody looks at it"
    left.show()
    assert says(left, "learning_rate")
    left.hide()
    right.hide()


def test_two_views_of_the_episodes_are_sorted_and_filtered_as_one(qtbot: QtBot, context: Context) -> None:
    listed = EpisodeList()
    feed = EpisodesFeed(context, listed, gap_ms=10)
    left, right = EpisodesPanel(context, listed, feed), EpisodesPanel(context, listed, feed)
    shown(qtbot, left, right)
    run = chosen(context)

    def indexes(view: EpisodesPanel) -> list[str]:
        return [str(view.model.index(at, 0).data()) for at in range(view.model.rowCount())]

    qtbot.waitUntil(lambda: indexes(left) == indexes(right) == ["1", "0"], timeout=WAIT_MS)
    left.table.horizontalHeader().sectionClicked.emit(0)
    qtbot.waitUntil(lambda: indexes(left) == indexes(right) == ["0", "1"], timeout=WAIT_MS)
    orders = {view.table.horizontalHeader().sortIndicatorOrder() for view in (left, right)}
    assert orders == {Qt.SortOrder.AscendingOrder}
    right.search.setText("return>1.5")
    qtbot.waitUntil(lambda: indexes(left) == indexes(right) == ["1"], timeout=WAIT_MS)
    assert left.search.text() == "return>1.5"
    third = EpisodesPanel(context, listed, feed)
    qtbot.addWidget(third)
    assert (indexes(third), third.search.text()) == (["1"], "return>1.5")
    left.hide()
    run.episodes([7.0])
    context.runs.update([run.commit()])
    qtbot.waitUntil(lambda: indexes(right) == ["1", "2"], timeout=WAIT_MS)
    right.hide()


def test_two_views_of_the_checkpoints_list_the_same_runs(qtbot: QtBot, context: Context) -> None:
    listed = Checkpoints()
    feed = CheckpointsFeed(context, listed, gap_ms=10)
    left, right = CheckpointsPanel(context, listed, feed), CheckpointsPanel(context, listed, feed)
    shown(qtbot, left, right)
    run = chosen(context)
    qtbot.waitUntil(lambda: left.said == right.said == listed.empty != "Loading…", timeout=WAIT_MS)
    left.hide()
    saved(context, run, step=5)
    context.runs.update([run.commit()])
    qtbot.waitUntil(lambda: right.chosen is not None and right.chosen.title == "5", timeout=WAIT_MS)
    assert left.chosen is not None
    left.show()
    left.everywhere.click()
    assert right.everywhere.isChecked()
    third = CheckpointsPanel(context, listed, feed)
    qtbot.addWidget(third)
    assert third.everywhere.isChecked()
    assert listed.everywhere
    right.everywhere.click()
    assert not left.everywhere.isChecked()
    qtbot.waitUntil(lambda: listed.read, timeout=WAIT_MS)
    right.verify.click()
    for view in (left, right):
        qtbot.waitUntil(
            lambda view=view: view.chosen is not None and view.chosen.state == "intact",  # type: ignore[misc]
            timeout=WAIT_MS,
        )
    left.hide()
    right.hide()


def test_two_views_of_a_log_show_each_line_once_and_filter_as_one(qtbot: QtBot, context: Context) -> None:
    log = Log()
    feed = LogFeed(context, log, every_ms=10)
    left, right = LogDrawer(context, log, feed), LogDrawer(context, log, feed)
    shown(qtbot, left, right)
    run = chosen(context)
    run.folder.stdout.write_text("alpha\nbeta\n")
    for view in (left, right):
        qtbot.waitUntil(lambda view=view: view.text.toPlainText() == "alpha\nbeta", timeout=WAIT_MS)  # type: ignore[misc]
    left.filter.setText("BET")
    assert right.filter.text() == "BET"
    assert left.text.toPlainText() == right.text.toPlainText() == "beta"
    right.streams.setCurrentIndex(2)
    assert left.streams.currentText() == "stderr"
    assert left.text.toPlainText() == right.text.toPlainText() == ""
    third = LogDrawer(context, log, feed)
    qtbot.addWidget(third)
    assert (third.filter.text(), third.streams.currentText()) == ("BET", "stderr")
    assert (log.words, log.streams) == ("BET", ("stderr",)), "making a view changes nothing"
    left.hide()
    assert feed.looking
    right.hide()
    assert not feed.looking


def test_two_views_of_the_runs_are_filtered_as_one(qtbot: QtBot, context: Context) -> None:
    deletions = Deletions()
    table = RunTable(context.runs, deletions)
    left, right = RunPanel(context, table, deletions), RunPanel(context, table, deletions)
    shown(qtbot, left, right)
    context.runs.update([row(1, name="alpha"), row(2, name="beta")])
    left.filter.setText("alpha")
    assert (left.model.rowCount(), right.model.rowCount()) == (1, 1)


def test_two_views_of_a_replay_stand_at_the_same_step(qtbot: QtBot, context: Context) -> None:
    transport = Transport()
    replaying = Replaying(context, transport)
    left, right = ReplayTab(context, replaying), ReplayTab(context, replaying)
    shown(qtbot, left, right)
    transport.load(last=10, fps=10.0)
    left.transport.seek(4)
    assert right.transport.position == 4
    transport.toggle()
    left.hide()
    assert transport.playing, "the other one still looks"
    right.hide()
    assert not transport.playing
    replaying.shut()


def test_the_first_steps_and_the_launch_form_show_one_catalog(qtbot: QtBot, context: Context) -> None:
    parts = make_parts(context)
    shown(qtbot, *parts)
    qtbot.waitUntil(lambda: parts.launch.launching.catalog.loaded, timeout=WAIT_MS)
    assert parts.welcome.buttons["frozenlake"].isEnabled()
    for part in (parts.live, parts.telemetry, parts.replay):
        part.shut()
    for view in parts:
        view.hide()
