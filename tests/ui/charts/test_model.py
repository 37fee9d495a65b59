"""What the charts show: metrics to choose from, settings, solo and mute."""

from __future__ import annotations

import numpy as np
import pytest

from mosaic.analysis.series import Curve, prepare
from mosaic.analysis.smoothing import Smoother, Smoothing
from mosaic.ui.charts.model import Charts, Choice, Loaded, choices, logged_as, matches


def curve() -> Curve:
    return prepare(np.array([1.0]), np.array([2.0]), smoother=Smoother(Smoothing()))


def test_canonical_names_come_first_then_groups_by_the_part_before_the_slash() -> None:
    names = [("losses/value", "loss/value"), ("charts/SPS", "sps"), ("score", None), ("global_step", "steps")]
    found = choices(names, has_episodes=True)
    assert [(one.group, one.key) for one in found] == [
        ("Common", "return"),
        ("Common", "length"),
        ("Common", "sps"),
        ("Common", "loss/value"),
        ("charts", "charts/SPS"),
        ("losses", "losses/value"),
        ("Other", "global_step"),
        ("Other", "score"),
    ]


def test_without_episodes_a_return_that_nobody_logs_is_not_offered() -> None:
    assert choices([], has_episodes=False) == []


@pytest.mark.parametrize(("text", "found"), [("", True), ("VAL loss", True), ("value x", False)])
def test_a_search_finds_every_word_anywhere(text: str, *, found: bool) -> None:
    assert matches(Choice(key="losses/value_loss", group="losses"), text) is found


def test_choosing_one_metric_too_many_drops_the_oldest_and_the_last_one_stays() -> None:
    charts = Charts(most_charts=2)
    charts.toggle("a")
    assert list(charts.keys) == ["length", "a"]
    charts.toggle("length")
    charts.toggle("a")
    assert list(charts.keys) == ["a"]


def test_solo_shows_one_run_and_mute_hides_one() -> None:
    charts = Charts()
    charts.show_runs(["A", "B"])
    charts.take([Loaded(run_id=run_id, curves={"return": curve()}) for run_id in ("A", "B")])
    charts.mute("A")
    assert list(charts.curves("return")) == ["B"]
    charts.only("A")
    assert list(charts.curves("return")) == ["A"]
    charts.only("A")
    charts.mute("A")
    assert list(charts.curves("return")) == ["A", "B"]


def test_a_run_stays_alone_as_long_as_it_is_shown_and_no_longer() -> None:
    charts = Charts()
    charts.show_runs(["A", "B"])
    charts.only("A")
    charts.show_runs(["A", "B", "C"])
    assert [run_id for run_id in charts.runs if charts.audible(run_id)] == ["A"]
    charts.show_runs(["B", "C"])
    assert [run_id for run_id in charts.runs if charts.audible(run_id)] == ["B", "C"]


def test_of_too_many_runs_the_last_chosen_are_shown_and_the_rest_are_counted() -> None:
    charts = Charts(most_runs=2)
    charts.show_runs(["A", "B", "C"])
    assert (charts.runs, charts.left_out) == (("B", "C"), 1)


def test_what_comes_late_for_a_run_no_longer_shown_is_dropped() -> None:
    charts = Charts()
    charts.show_runs(["A"])
    charts.take([Loaded(run_id="B", curves={"return": curve()})])
    assert charts.curves("return") == {}
    assert charts.waiting


def test_metrics_of_all_runs_are_offered_and_problems_are_kept_by_run() -> None:
    charts = Charts()
    charts.show_runs(["A", "B"])
    charts.take([Loaded(run_id="A", names=(("x/1", None),)), Loaded(run_id="B", problem="It is gone.")])
    assert [one.key for one in charts.choices] == ["x/1"]
    assert charts.problems == {"B": "It is gone."}
    assert not charts.waiting


def test_listeners_hear_of_settings_and_of_data_apart() -> None:
    charts = Charts()
    heard: list[str] = []
    charts.changed.connect(lambda: heard.append("changed"))
    charts.loaded.connect(lambda: heard.append("loaded"))
    charts.show_runs(["A"])
    charts.take([Loaded(run_id="A")])
    charts.set_log(True)
    assert heard == ["changed", "loaded", "changed"]


def test_a_metric_is_what_is_logged_by_that_name_else_the_first_it_is_canonical_for() -> None:
    names = [("a/lr", "lr"), ("b/lr", "lr"), ("loss", None)]
    assert logged_as(names, "lr") == "a/lr"
    assert logged_as([*names, ("lr", None)], "lr") == "lr"
    assert logged_as(names, "loss") == "loss"
    assert logged_as(names, "nothing") is None
