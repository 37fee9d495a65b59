"""One chart: what is drawn of its curves, the range it shows, its marks, and what it says in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from mosaic.analysis.series import Curve, prepare
from mosaic.analysis.smoothing import Smoother, Smoothing
from mosaic.ui.charts.model import Charts, Loaded
from mosaic.ui.charts.plot import Plot

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

NAN = math.nan


@pytest.fixture
def charts() -> Charts:
    made = Charts()
    made.set_smoothing(Smoothing(kind="none"))
    made.show_runs(["A"])
    return made


@pytest.fixture
def plot(qtbot: QtBot, charts: Charts) -> Plot:
    made = Plot(charts, "return", colour_of=lambda _: "#3366cc")
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    return made


def curve(y: list[float], x: list[float] | None = None, *, smoothing: Smoothing | None = None) -> Curve:
    at = np.arange(float(len(y))) if x is None else np.array(x)
    return prepare(at, np.array(y), smoother=Smoother(smoothing or Smoothing(kind="none")))


def give(charts: Charts, plot: Plot, **curves: Curve) -> None:
    charts.take([Loaded(run_id=run_id, curves={"return": one}) for run_id, one in curves.items()])
    plot.redraw()


def drawn(plot: Plot, run_id: str = "A") -> list[float]:
    line = plot.line_of(run_id)
    return [] if line is None else [float(y) for y in line]


def height(plot: Plot) -> tuple[float, float]:
    low, high = plot._view.viewRange()[1]
    return low, high


def press(plot: Plot, key: Qt.Key) -> None:
    plot.keyPressEvent(QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))


def test_all_of_a_curve_is_in_view_with_a_little_room(charts: Charts, plot: Plot) -> None:
    give(charts, plot, A=curve([1.0, 5.0, 3.0]))
    assert drawn(plot) == [1.0, 5.0, 3.0]
    assert plot.x_of("A") == [0.0, 1.0, 2.0]
    assert plot.span == pytest.approx((-0.02, 2.02))
    assert height(plot) == pytest.approx((1.0 - 0.24, 5.0 + 0.24))


def test_a_curve_that_grows_stays_in_view_until_somebody_moves_the_view(charts: Charts, plot: Plot) -> None:
    give(charts, plot, A=curve([1.0, 2.0]))
    give(charts, plot, A=curve([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert plot.span[1] > 4.0
    press(plot, Qt.Key.Key_Plus)
    span = plot.span
    give(charts, plot, A=curve([float(n) for n in range(100)]))
    assert plot.span == span
    press(plot, Qt.Key.Key_0)
    assert plot.span[1] > 99.0


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        (Qt.Key.Key_Plus, 25.0, 75.0),
        (Qt.Key.Key_Minus, -50.0, 150.0),
        (Qt.Key.Key_Left, -10.0, 90.0),
        (Qt.Key.Key_Right, 10.0, 110.0),
    ],
)
def test_keys_zoom_and_move_along_x(charts: Charts, plot: Plot, key: Qt.Key, low: float, high: float) -> None:
    give(charts, plot, A=curve([float(n) for n in range(101)]))
    plot.show_x(0.0, 100.0)
    moved: list[tuple[float, float]] = []
    plot.x_moved.connect(lambda *span: moved.append(span))
    press(plot, key)
    assert plot.span == pytest.approx((low, high))
    assert moved == [pytest.approx((low, high))], "the other charts are told"


def test_the_range_of_another_chart_is_shown_and_not_told_back(charts: Charts, plot: Plot) -> None:
    give(charts, plot, A=curve([1.0, 2.0, 3.0]))
    moved: list[tuple[float, float]] = []
    plot.x_moved.connect(lambda *span: moved.append(span))
    plot.show_x(0.5, 1.5)
    assert plot.span == pytest.approx((0.5, 1.5))
    assert moved == []


@pytest.mark.parametrize("keep_y", [True, False])
def test_who_moves_along_x_alone_still_sees_the_whole_height(
    charts: Charts, plot: Plot, *, keep_y: bool
) -> None:
    give(charts, plot, A=curve([1.0, 2.0]))
    plot.leave_follow(keep_y=keep_y)
    give(charts, plot, A=curve([1.0, 50.0]))
    assert (height(plot)[1] > 50.0) is keep_y


def test_a_smoothed_curve_is_drawn_over_the_raw_one(charts: Charts, plot: Plot) -> None:
    smoothing = Smoothing(kind="window", window=2)
    charts.set_smoothing(smoothing)
    give(charts, plot, A=curve([0.0, 2.0, 4.0], smoothing=smoothing))
    assert drawn(plot) == [0.0, 2.0, 4.0]
    assert plot.smooth_of("A") == [0.0, 1.0, 3.0]


def test_a_run_that_is_muted_leaves_the_chart_and_comes_back(charts: Charts, plot: Plot) -> None:
    charts.show_runs(["A", "B"])
    give(charts, plot, A=curve([1.0, 2.0]), B=curve([10.0, 20.0]))
    assert height(plot)[1] > 20.0
    charts.mute("B")
    plot.redraw()
    assert plot.line_of("B") is None
    assert height(plot)[1] < 3.0
    charts.mute("A")
    plot.redraw()
    assert plot._empty.text() == "All runs are muted. Unmute one below."
    charts.mute("B")
    plot.redraw()
    assert drawn(plot, "B") == [10.0, 20.0]
    assert not plot._empty.isVisible()


def test_what_is_not_a_number_is_marked_at_the_edge_and_counted(charts: Charts, plot: Plot) -> None:
    give(charts, plot, A=curve([1.0, NAN, math.inf, -math.inf, 2.0]))
    assert plot.note == "1 NaN, 2 infinite"
    bottom, top = height(plot)
    middle = (bottom + top) / 2
    marked = dict(plot.marked)
    assert set(marked) == {1.0, 2.0, 3.0}
    assert marked[2.0] > middle > max(marked[1.0], marked[3.0])


def test_a_lone_value_is_a_dot(charts: Charts, plot: Plot) -> None:
    give(charts, plot, A=curve([7.0]))
    assert plot.marked == [(0.0, 7.0)]
    charts.set_log(True)
    plot.redraw()
    ((x, y),) = plot.marked
    assert (x, y) == pytest.approx((0.0, math.log10(7.0)))
    give(charts, plot, A=curve([0.25]))
    ((x, y),) = plot.marked
    assert (x, y) == pytest.approx((0.0, math.log10(0.25)))
    give(charts, plot, A=curve([0.0]))
    assert plot.marked == []


def test_on_a_logarithmic_axis_what_is_not_above_zero_is_left_out_and_said(
    charts: Charts, plot: Plot
) -> None:
    charts.set_log(True)
    give(charts, plot, A=curve([0.0, 10.0, 1000.0]))
    assert [y for y in drawn(plot) if math.isfinite(y)] == [1.0, 3.0]
    assert plot.note == "values ≤ 0 are not shown"


def test_values_that_lie_nowhere_on_the_axis_are_counted_and_explained(charts: Charts, plot: Plot) -> None:
    give(charts, plot, A=curve([1.0, 2.0, 3.0], [NAN, 5.0, 6.0]))
    assert plot.note == "1 value without a position on this axis"
    give(charts, plot, A=curve([1.0, 2.0], [NAN, NAN]))
    assert plot._empty.text().startswith("These values have no position on this axis")


def test_an_empty_chart_says_whether_something_may_still_come(charts: Charts, plot: Plot) -> None:
    plot.redraw()
    assert plot._empty.text() == "Loading…"
    charts.take([Loaded(run_id="A")])
    plot.redraw()
    assert plot._empty.text() == "No value of return yet."


def test_the_crosshair_tells_the_nearest_value_of_each_run(charts: Charts, plot: Plot) -> None:
    charts.show_runs(["A", "B"])
    give(charts, plot, A=curve([1.0, 2.0, 3.0]), B=curve([10.0, 20.0], [0.0, 2.0]))
    assert plot.values(1.9) == {"A": "3", "B": "20"}
    charts.set_smoothing(Smoothing(kind="window", window=2))
    smoothed = curve([0.0, 2.0], smoothing=Smoothing(kind="window", window=2))
    give(charts, plot, A=smoothed)
    assert plot.values(1.0)["A"] == "1 (2)"


def test_the_crosshair_comes_and_goes(plot: Plot) -> None:
    plot.point(1.5)
    assert plot._cross.isVisible()
    assert plot._cross.value() == 1.5
    plot.point(NAN)
    assert not plot._cross.isVisible()


def test_a_chart_can_be_closed_by_its_own_button(plot: Plot) -> None:
    from PySide6.QtWidgets import QToolButton

    closed: list[str] = []
    plot.closed.connect(closed.append)
    (button,) = [one for one in plot.findChildren(QToolButton) if one.toolTip() == "Hide return"]
    button.click()
    assert closed == ["return"]
