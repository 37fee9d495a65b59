"""The axes of a chart, and what the mouse asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic.ui.charts.plot_parts import Axis, View

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_numbers_on_an_axis_are_short_and_have_the_digits_the_distance_needs(qtbot: QtBot) -> None:
    axis = Axis("left")
    assert axis.tickStrings([0.0, 500_000.0, 1_500_000.0], 1.0, 500_000.0) == ["0", "500k", "1.5M"]
    assert axis.tickStrings([0.25, 0.5], 1.0, 0.25) == axis.tickStrings([25.0, 50.0], 0.01, 25.0)


def test_on_a_logarithmic_axis_only_whole_powers_are_named(qtbot: QtBot) -> None:
    axis = Axis("left")
    axis.setLogMode(y=True)
    assert axis.tickStrings([0.0, 0.5, 3.0], 1.0, 1.0) == ["1", "", "1k"]


def test_a_double_click_asks_to_show_everything_and_is_taken(qtbot: QtBot) -> None:
    class Click:
        taken = False

        def accept(self) -> None:
            self.taken = True

    asked: list[str] = []
    view = View(follow=lambda: asked.append("all"), moved=lambda **_: asked.append("moved"))
    click = Click()
    view.mouseDoubleClickEvent(click)
    assert (asked, click.taken) == (["all"], True)
