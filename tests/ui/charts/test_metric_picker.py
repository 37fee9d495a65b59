"""The list of metrics: grouped, searched, and used from the keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from mosaic.ui.charts.metric_picker import MetricPicker
from mosaic.ui.charts.model import Charts, Loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


@pytest.fixture
def charts() -> Charts:
    made = Charts()
    made.show_runs(["a"])
    return made


@pytest.fixture
def picker(qtbot: QtBot, charts: Charts) -> Iterator[MetricPicker]:
    window = QWidget()
    qtbot.addWidget(window)
    button = QPushButton("Metrics", window)
    window.show()
    made = MetricPicker(charts, window)
    made.open_below(button)
    yield made
    made.hide()


def take(charts: Charts, *names: str) -> None:
    """A run has been read that logs these."""
    pairs = tuple((name, None) for name in names)
    charts.take([Loaded(run_id="a", seq=1, names=pairs, has_episodes=True)])


def listed(picker: MetricPicker) -> dict[str, dict[str, bool]]:
    """The groups, and which of their metrics are shown."""
    found = {}
    for at in range(picker.list.topLevelItemCount()):
        group = picker.list.topLevelItem(at)
        assert group is not None
        items = [item for number in range(group.childCount()) if (item := group.child(number)) is not None]
        found[group.text(0)] = {item.text(0): item.checkState(0) is Qt.CheckState.Checked for item in items}
    return found


def test_metrics_stand_in_their_groups_as_soon_as_they_are_known(
    charts: Charts, picker: MetricPicker
) -> None:
    assert listed(picker) == {"No metrics yet.": {}}
    take(charts, "losses/td", "score")
    assert listed(picker) == {
        "Common": {"return": True, "length": True},
        "losses": {"losses/td": False},
        "Other": {"score": False},
    }


def test_a_search_and_enter_show_the_first_that_answers(charts: Charts, picker: MetricPicker) -> None:
    take(charts, "losses/td", "losses/value")
    QTest.keyClicks(picker.search, "loss val")
    assert listed(picker) == {"losses": {"losses/value": False}}
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert charts.keys == ("return", "length", "losses/value")
    assert listed(picker) == {"losses": {"losses/value": True}}
    QTest.keyClicks(picker.search, " zzz")
    assert listed(picker) == {"No metric is called that.": {}}
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert charts.keys == ("return", "length", "losses/value")


def test_down_goes_from_the_search_to_the_first_metric_and_a_group_is_no_choice(
    charts: Charts, picker: MetricPicker
) -> None:
    take(charts, "score")
    QTest.keyClick(picker.search, Qt.Key.Key_Down)
    current = picker.list.currentItem()
    assert current is not None
    assert current.text(0) == "return"
    group = picker.list.topLevelItem(0)
    assert group is not None
    picker.list.itemClicked.emit(group, 0)
    assert list(charts.keys) == ["return", "length"]
    picker.list.itemClicked.emit(current, 0)
    assert list(charts.keys) == ["length"]
    assert current.checkState(0) is Qt.CheckState.Unchecked
