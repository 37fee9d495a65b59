"""The legend: one line for each run, in the order of the runs, with solo and mute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from mosaic.ui.charts.legend import Legend
from mosaic.ui.charts.model import Charts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def charts() -> Charts:
    made = Charts()
    made.show_runs(["a", "b", "c"])
    return made


@pytest.fixture
def legend(qtbot: QtBot, charts: Charts) -> Legend:
    made = Legend(charts, colour_of=lambda _: "#3366ff", name_of=lambda run_id: f"run {run_id}")
    qtbot.addWidget(made)
    made.resize(400, 200)
    charts.changed.connect(made.refresh)
    made.refresh()
    made.show()
    return made


def lines(legend: Legend) -> list[str]:
    """The runs from top to bottom."""
    return sorted(legend.rows, key=lambda run_id: legend._column.indexOf(legend.rows[run_id]))


def test_runs_stand_in_their_order_whichever_go_and_come(charts: Charts, legend: Legend) -> None:
    assert lines(legend) == ["a", "b", "c"]
    kept = legend.rows["c"]
    charts.show_runs(["c", "d", "a"])
    assert lines(legend) == ["c", "d", "a"]
    assert legend.rows["c"] is kept
    assert legend.rows["d"].mute.accessibleName() == "Mute run d"


def test_mute_and_solo_are_the_charts_and_the_buttons_show_it(charts: Charts, legend: Legend) -> None:
    QTest.mouseClick(legend.rows["b"].mute, Qt.MouseButton.LeftButton)
    assert charts.muted == {"b"}
    QTest.mouseClick(legend.rows["a"].solo, Qt.MouseButton.LeftButton)
    assert charts.solo == "a"
    charts.only("c")
    assert [legend.rows[one].solo.isChecked() for one in "abc"] == [False, False, True]
    assert [legend.rows[one].mute.isChecked() for one in "abc"] == [False, True, False]


def test_a_run_that_is_not_drawn_has_a_faint_stroke(charts: Charts, legend: Legend) -> None:
    def stroke(run_id: str) -> str:
        image = legend.rows[run_id].swatch.grab().toImage()
        return image.pixelColor(image.rect().center()).name()

    assert stroke("a") == stroke("b") == "#3366ff"
    charts.mute("b")
    assert stroke("a") == "#3366ff"
    assert stroke("b") != "#3366ff"


def test_values_at_the_crosshair_stand_beside_their_runs_and_go_again(legend: Legend) -> None:
    legend.show_values({"a": "1.5", "c": "2"})
    assert [legend.rows[one].value.text() for one in "abc"] == ["1.5", "", "2"]
    legend.show_values({})
    assert legend.rows["a"].value.text() == ""
