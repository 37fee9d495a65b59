"""The charts panel on real stores: curves appear, grow, zoom, and go into files."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from mosaic.ui.charts import export as chart_export
from mosaic.ui.charts.panel import ChartsPanel
from mosaic.ui.parts import make_charts
from tests.ui.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from mosaic.ui.charts.plot import Plot
    from mosaic.ui.shell.context import Context

WAIT_MS = 60_000


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> Iterator[ChartsPanel]:
    made = make_charts(context)
    qtbot.addWidget(made)
    made.resize(400, 640)
    made.show()
    yield made
    made.hide()


def choose(context: Context, *runs: Stored, ended: bool = True) -> None:
    context.runs.update([run.commit(ended=ended) for run in runs])
    context.selection.choose([run.run_id for run in runs])


def drawn(panel: ChartsPanel, key: str, run: Stored) -> list[float]:
    """The y of the raw curve on the screen."""
    plot = panel.plots.get(key)
    line = plot.line_of(run.run_id) if plot is not None else None
    return [] if line is None else [float(y) for y in line]


def shown(qtbot: QtBot, panel: ChartsPanel, key: str, run: Stored, count: int) -> Plot:
    qtbot.waitUntil(lambda: len(drawn(panel, key, run)) == count, timeout=WAIT_MS)
    return panel.plots[key]


def test_without_a_run_the_panel_says_what_to_do(panel: ChartsPanel) -> None:
    assert "Choose a run on the left" in panel.said


def test_the_curves_of_all_chosen_runs_are_drawn_in_their_own_colours(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    first, second = Stored(context.root, name="one"), Stored(context.root, name="two")
    first.episodes([1.0, 2.0, 3.0])
    second.episodes([5.0, 6.0])
    choose(context, first, second)
    shown(qtbot, panel, "return", first, 3)
    shown(qtbot, panel, "return", second, 2)
    assert drawn(panel, "return", first) == [1.0, 2.0, 3.0]
    assert drawn(panel, "length", second) == [10.0, 10.0]
    assert [row.name.accessibleName() for row in panel.legend.rows.values()] == ["one", "two"]
    assert context.colours.of(first.run_id) != context.colours.of(second.run_id)


def test_a_run_that_is_chosen_again_is_drawn_again(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    first, second = Stored(context.root), Stored(context.root)
    first.episodes([1.0, 2.0, 3.0])
    second.episodes([5.0, 6.0])
    choose(context, first)
    shown(qtbot, panel, "return", first, 3)
    choose(context, second)
    shown(qtbot, panel, "return", second, 2)
    choose(context, first)
    shown(qtbot, panel, "return", first, 3)
    choose(context)
    choose(context, first)
    shown(qtbot, panel, "return", first, 3)


def test_a_live_run_grows_on_the_screen_by_itself(qtbot: QtBot, context: Context, panel: ChartsPanel) -> None:
    run = Stored(context.root)
    run.episodes([1.0])
    choose(context, run, ended=False)
    shown(qtbot, panel, "return", run, 1)
    run.episodes([2.0, 3.0])
    context.runs.update([run.commit()])
    shown(qtbot, panel, "return", run, 3)


def test_a_hidden_panel_reads_nothing(qtbot: QtBot, context: Context, panel: ChartsPanel) -> None:
    run = Stored(context.root)
    run.episodes([1.0])
    choose(context, run, ended=False)
    shown(qtbot, panel, "return", run, 1)
    panel.hide()
    qtbot.waitUntil(lambda: not panel.feed.reading, timeout=WAIT_MS)
    run.episodes([2.0])
    context.runs.update([run.commit()])
    panel.feed.ask()
    assert not panel.feed.reading
    panel.show()
    shown(qtbot, panel, "return", run, 2)


def test_nan_is_a_gap_and_a_mark_and_is_told(qtbot: QtBot, context: Context, panel: ChartsPanel) -> None:
    run = Stored(context.root)
    run.episodes([1.0, math.nan, 3.0, math.inf])
    choose(context, run)
    plot = shown(qtbot, panel, "return", run, 4)
    assert np.isnan(drawn(panel, "return", run)).tolist() == [False, True, False, True]
    assert len(plot.marked) == 2
    assert plot.note == "1 NaN, 1 infinite"


def test_another_axis_smoothing_and_scale_redraw_the_curve(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    run = Stored(context.root)
    run.episodes([1.0, 10.0, 100.0])
    choose(context, run)
    plot = shown(qtbot, panel, "return", run, 3)
    panel.axis.setCurrentIndex(panel.axis.findData("episodes"))
    qtbot.waitUntil(lambda: plot.x_of(run.run_id) == [1.0, 2.0, 3.0], timeout=WAIT_MS)
    panel.kind.setCurrentIndex(panel.kind.findData("window"))
    qtbot.waitUntil(lambda: plot.smooth_of(run.run_id) == [1.0, 5.5, 37.0], timeout=WAIT_MS)
    panel.log.click()
    assert drawn(panel, "return", run) == pytest.approx([0.0, 1.0, 2.0])


def test_metrics_are_chosen_from_a_list_that_can_be_searched(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    run = Stored(context.root)
    run.episodes([1.0])
    run.metric("losses/value_loss", [0.5, 0.25])
    run.metric("losses/policy_loss", [0.5])
    choose(context, run)
    shown(qtbot, panel, "return", run, 1)
    panel.picker.open_below(panel.metrics)
    QTest.keyClicks(panel.picker.search, "losses/val")
    QTest.keyClick(panel.picker.search, Qt.Key.Key_Return)
    panel.picker.close()
    shown(qtbot, panel, "losses/value_loss", run, 2)
    panel.charts.toggle("return")
    assert list(panel.plots) == ["length", "losses/value_loss"]


def test_solo_and_mute_in_the_legend_take_curves_away(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    first, second = Stored(context.root), Stored(context.root)
    for run in (first, second):
        run.episodes([1.0, 2.0])
    choose(context, first, second)
    shown(qtbot, panel, "return", second, 2)
    panel.legend.rows[first.run_id].solo.click()
    assert (drawn(panel, "return", first), drawn(panel, "return", second)) == ([1.0, 2.0], [])
    panel.legend.rows[first.run_id].solo.click()
    panel.legend.rows[first.run_id].mute.click()
    assert (drawn(panel, "return", first), drawn(panel, "return", second)) == ([], [1.0, 2.0])


def test_the_wheel_zooms_a_double_click_shows_everything_and_all_charts_go_along(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    run = Stored(context.root)
    run.episodes([float(n) for n in range(100)], length=1)
    choose(context, run)
    plot = shown(qtbot, panel, "return", run, 100)
    view = plot.graphics.viewport()
    everything = plot.span
    wheel(plot, 480)
    qtbot.waitUntil(lambda: len(drawn(panel, "return", run)) < 100, timeout=WAIT_MS)
    assert plot.span[1] - plot.span[0] < everything[1] - everything[0]
    assert panel.plots["length"].span == pytest.approx(plot.span)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())
    qtbot.waitUntil(lambda: len(drawn(panel, "return", run)) == 100, timeout=WAIT_MS)
    assert plot.span == pytest.approx(everything)
    assert panel.plots["length"].span == pytest.approx(everything)


def wheel(plot: Plot, delta: int) -> None:
    view = plot.graphics.viewport()
    middle = view.rect().center()
    event = QWheelEvent(
        QPointF(middle), QPointF(view.mapToGlobal(middle)), QPoint(), QPoint(0, delta),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_keys_zoom_and_pan(qtbot: QtBot, context: Context, panel: ChartsPanel) -> None:
    run = Stored(context.root)
    run.episodes([float(n) for n in range(100)], length=1)
    choose(context, run)
    plot = shown(qtbot, panel, "return", run, 100)
    low, high = plot.span
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    assert plot.span[1] - plot.span[0] == pytest.approx((high - low) / 2)
    QTest.keyClick(plot, Qt.Key.Key_0)
    assert plot.span == pytest.approx((low, high))


def test_the_crosshair_tells_every_runs_value(qtbot: QtBot, context: Context, panel: ChartsPanel) -> None:
    first, second = Stored(context.root), Stored(context.root)
    first.episodes([1.0, 2.0], length=5)
    second.episodes([7.0, 8.0], length=5)
    choose(context, first, second)
    plot = shown(qtbot, panel, "return", second, 2)
    panel.kind.setCurrentIndex(panel.kind.findData("none"))
    plot.pointed.emit("return", 9.0)
    assert [row.value.text() for row in panel.legend.rows.values()] == ["2", "8"]
    plot.pointed.emit("return", math.nan)
    assert [row.value.text() for row in panel.legend.rows.values()] == ["", ""]


def test_charts_go_into_files(qtbot: QtBot, context: Context, panel: ChartsPanel, tmp_path: Path) -> None:
    run = Stored(context.root, name="mine")
    run.episodes([float(n) for n in range(5000)], length=1)
    choose(context, run)
    qtbot.waitUntil(lambda: len(drawn(panel, "return", run)) > 100, timeout=WAIT_MS)
    heard: list[str] = []
    context.toasts.shown.connect(lambda toast: heard.append(toast.text))
    for suffix in ("png", "svg", "csv"):
        panel.save(tmp_path / f"out.{suffix}", suffix)
    qtbot.waitUntil(lambda: len(heard) == 3, timeout=WAIT_MS)
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "out.svg").read_bytes()[:500]
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["value"]) for row in rows if row["metric"] == "return"] == [
        float(n) for n in range(5000)
    ]


def test_a_run_whose_store_is_damaged_is_told_with_the_way_out(
    qtbot: QtBot, context: Context, panel: ChartsPanel
) -> None:
    run = Stored(context.root, name="broken")
    choose(context, run)
    run.folder.store.write_bytes(b"no database at all, just text" * 100)
    panel.charts.toggle("sps")
    qtbot.waitUntil(lambda: "mosaic rebuild" in panel.said, timeout=WAIT_MS)
    assert panel.said.startswith("broken: ")


def settle(plot: Plot) -> None:
    """Wait until the chart has found its size: axes and neighbours are laid out one after the other."""
    same, box = 0, plot._view.sceneBoundingRect()
    while same < 5:
        QTest.qWait(20)
        before, box = box, plot._view.sceneBoundingRect()
        same = same + 1 if box == before else 0


def drag(plot: Plot, start: tuple[float, float], stop: tuple[float, float], *, shift: bool = False) -> None:
    """Drag over a chart with the left button, from and to parts of its width and height."""
    view = plot.graphics.viewport()
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton

    box = plot._view.sceneBoundingRect()

    def at(part: tuple[float, float]) -> QPointF:
        there = QPointF(box.left() + part[0] * box.width(), box.top() + part[1] * box.height())
        return QPointF(plot.graphics.mapFromScene(there))

    def send(kind: QEvent.Type, place: QPointF, button: Qt.MouseButton, buttons: Qt.MouseButton) -> None:
        there = QPointF(view.mapToGlobal(place.toPoint()))
        QApplication.sendEvent(view, QMouseEvent(kind, place, there, button, buttons, held))

    first, last = at(start), at(stop)
    send(QEvent.Type.MouseButtonPress, first, left, left)
    for part in (0.1, 0.5, 1.0):
        QTest.qWait(20)  # pyqtgraph leaves out moves that come faster than a hundred a second
        send(QEvent.Type.MouseMove, first + (last - first) * part, none, left)
    send(QEvent.Type.MouseButtonRelease, last, left, none)


def test_a_box_zooms_into_itself_and_shift_pans(qtbot: QtBot, context: Context, panel: ChartsPanel) -> None:
    run = Stored(context.root)
    run.episodes([float(n) for n in range(100)], length=1)
    choose(context, run)
    plot = shown(qtbot, panel, "return", run, 100)
    settle(plot)
    low, high = plot.span
    drag(plot, (0.25, 0.2), (0.5, 0.8))
    assert plot.span[0] == pytest.approx(low + (high - low) / 4, abs=(high - low) / 20)
    assert plot.span[1] == pytest.approx(low + (high - low) / 2, abs=(high - low) / 20)
    before = plot.span
    drag(plot, (0.5, 0.5), (0.2, 0.5), shift=True)
    assert plot.span[0] > before[0]
    assert plot.span[1] - plot.span[0] == pytest.approx(before[1] - before[0])


def test_the_button_of_an_export_asks_where_to_for_each_kind_of_file(
    panel: ChartsPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(chart_export, "ask_path", lambda _, *, suffix, take: asked.append(suffix))
    for action in panel.export.menu().actions():
        action.trigger()
    assert asked == ["png", "svg", "csv"]
