"""Curves out of real stores: history once, then what is new; axes; a store that is built anew."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from mosaic.analysis.axes import Axis
from mosaic.analysis.smoothing import Smoothing
from mosaic.paths import DataRoot
from mosaic.store.rebuild import rebuild
from mosaic.ui.charts.loading import ChartLoader
from mosaic.ui.charts.model import Asked, Loaded
from tests.ui.stored import Stored


@pytest.fixture
def root(home: Path) -> DataRoot:
    return DataRoot(home)


def load(
    loader: ChartLoader, run: Stored, *keys: str, axis: Axis = "steps", budget_secs: float = 0.2
) -> Loaded | None:
    asked = Asked(runs=(run.run_id,), keys=keys or ("return",), axis=axis)
    found = loader.load(asked, budget_secs=budget_secs)
    return found[0] if found else None


def test_returns_and_lengths_come_from_the_episodes_themselves(root: DataRoot) -> None:
    run = Stored(root)
    run.episodes([1.0, 2.5, math.nan], length=7)
    run.commit()
    found = load(ChartLoader(root), run, "return", "length")
    assert found is not None
    assert found.curves["return"].x.tolist() == [7.0, 14.0, 21.0]
    assert found.curves["return"].y.tolist() == pytest.approx([1.0, 2.5, math.nan], nan_ok=True)
    assert found.curves["return"].bad.tolist() == [2]
    assert found.curves["length"].y.tolist() == [7.0, 7.0, 7.0]


def test_only_what_is_new_is_read_and_it_joins_without_a_seam(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root)
    run.episodes([1.0, 2.0])
    run.metric("losses/value_loss", [0.5, 0.4])
    run.commit()
    keys = ("return", "losses/value_loss")
    assert load(loader, run, *keys) is not None
    assert load(loader, run, *keys) is None, "nothing is new"
    run.episodes([3.0])
    run.metric("losses/value_loss", [0.3], first_step=2)
    run.commit()
    found = load(loader, run, *keys)
    assert found is not None
    assert found.curves["return"].y.tolist() == [1.0, 2.0, 3.0]
    assert found.curves["losses/value_loss"].x.tolist() == [0.0, 1.0, 2.0]
    assert found.curves["losses/value_loss"].y.tolist() == [0.5, 0.4, 0.3]


def test_who_has_lost_a_curve_is_told_it_again(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root)
    run.episodes([1.0, 2.0])
    run.commit()
    asked = Asked(runs=(run.run_id,), keys=("return",), axis="steps")
    assert len(loader.load(asked)) == 1
    assert loader.load(asked) == []
    (again,) = loader.load(asked, anew=frozenset({run.run_id}))
    assert again.curves["return"].y.tolist() == [1.0, 2.0]


def test_growing_in_many_turns_gives_what_one_reading_gives(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root, page=3)
    rng = np.random.default_rng(4)
    for _ in range(12):
        run.episodes(rng.normal(size=int(rng.integers(1, 300))).tolist(), length=int(rng.integers(1, 50)))
        run.metric("loss", rng.normal(size=int(rng.integers(1, 20))).tolist())
        run.commit()
        grown = load(loader, run, "return", "loss")
    fresh = load(ChartLoader(root), run, "return", "loss")
    assert grown is not None
    assert fresh is not None
    for key in ("return", "loss"):
        assert grown.curves[key].x.tolist() == fresh.curves[key].x.tolist()
        assert grown.curves[key].y.tolist() == fresh.curves[key].y.tolist()


def test_a_store_that_was_built_anew_is_read_from_its_beginning(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root)
    run.episodes([1.0, 2.0, 3.0])
    run.metric("loss", [1.0, 2.0])
    run.commit()
    before = load(loader, run, "return", "loss")
    rebuild(run.folder)
    after = load(loader, run, "return", "loss")
    assert before is not None
    assert after is not None
    for key in ("return", "loss"):
        assert after.curves[key].y.tolist() == before.curves[key].y.tolist()


@pytest.mark.parametrize(
    ("axis", "returns", "losses"),
    [
        ("steps", [10.0, 20.0, 30.0], [100.0, 101.0]),
        ("episodes", [1.0, 2.0, 3.0], [2.0, 2.0]),
        ("time", [10.0, 20.0, 32.0], [21.0, 22.0]),
        ("updates", [0.0, 0.0, 2.0], [1.0, 2.0]),
    ],
)
def test_episodes_and_metrics_lie_right_on_every_axis(
    root: DataRoot, axis: Axis, returns: list[float], losses: list[float]
) -> None:
    run = Stored(root)
    run.episodes([1.0, 2.0], length=10)
    run.metric("losses/value_loss", [0.5, 0.4], first_step=100)
    run.episodes([3.0], length=10)
    run.commit()
    found = load(ChartLoader(root), run, "return", "losses/value_loss", axis=axis)
    assert found is not None
    assert found.curves["return"].x.tolist() == returns
    assert found.curves["losses/value_loss"].x.tolist() == losses


def test_a_metric_without_steps_lies_at_the_steps_by_its_time(root: DataRoot) -> None:
    run = Stored(root)
    run.episodes([1.0, 2.0], length=10)
    run.metric("my/score", [5.0], first_step=None)
    run.commit()
    found = load(ChartLoader(root), run, "my/score")
    assert found is not None
    assert found.curves["my/score"].x.tolist() == [20.0]


def test_a_canonical_name_finds_what_each_framework_calls_differently(root: DataRoot) -> None:
    run = Stored(root)
    run.metric("eval/mean_reward", [7.0])
    run.commit()
    found = load(ChartLoader(root), run, "eval_return", "return")
    assert found is not None
    assert found.curves["eval_return"].y.tolist() == [7.0]
    assert "return" not in found.curves


def test_a_return_that_is_only_logged_is_shown_too(root: DataRoot) -> None:
    run = Stored(root)
    run.metric("rollout/ep_rew_mean", [7.0, 8.0])
    run.commit()
    found = load(ChartLoader(root), run, "return")
    assert found is not None
    assert found.curves["return"].y.tolist() == [7.0, 8.0]


def test_a_long_metric_comes_in_pieces_and_says_so(root: DataRoot) -> None:
    run = Stored(root)
    run.metric("loss", [float(n) for n in range(50)])
    run.commit()
    loader = ChartLoader(root, page=10)
    found = load(loader, run, "loss", budget_secs=-1.0)
    assert found is not None
    assert found.more
    assert len(found.curves["loss"].x) == 10
    rounds = 0
    while found is not None and found.more:
        rounds += 1
        found = load(loader, run, "loss", budget_secs=-1.0)
        assert found is not None
    assert rounds > 2
    assert found.curves["loss"].y.tolist() == [float(n) for n in range(50)]


def test_a_metric_over_the_bound_is_thinned_and_says_so(root: DataRoot) -> None:
    run = Stored(root)
    run.metric("loss", [float(n % 7) for n in range(500)])
    run.commit()
    found = load(ChartLoader(root, points_per_series=100), run, "loss", axis="updates")
    assert found is not None
    assert found.curves["loss"].thinned
    assert len(found.curves["loss"].x) <= 101
    assert found.curves["loss"].x[-1] == 500.0


def test_runs_not_asked_for_are_forgotten_at_the_bound(root: DataRoot) -> None:
    first, second = Stored(root), Stored(root)
    for run in (first, second):
        run.episodes([1.0] * 10)
        run.commit()
    loader = ChartLoader(root, points_in_all=15)
    assert load(loader, first) is not None
    assert load(loader, second) is not None
    assert load(loader, first) is not None, "it was forgotten, so it is read again"


def test_a_run_without_a_store_yet_is_no_problem_and_one_that_is_gone_is(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root)
    found = load(loader, run)
    assert found is not None
    assert (found.problem, found.curves) == ("", {})
    gone = loader.load(Asked(runs=("01ARZ3NDEKTSV4RRFFQ69G5FAV",), keys=("return",)))
    assert gone[0].problem == "This run is gone."


def test_a_store_that_cannot_be_read_is_a_sentence(root: DataRoot) -> None:
    run = Stored(root)
    run.folder.store.write_bytes(b"this is no database, and it is long enough to be looked at" * 40)
    found = load(ChartLoader(root), run)
    assert found is not None
    assert "mosaic rebuild" in found.problem


def test_smoothing_is_part_of_what_is_asked(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root)
    run.episodes([0.0, 10.0])
    run.commit()
    how = Smoothing(kind="window", window=2)
    found = loader.load(Asked(runs=(run.run_id,), keys=("return",), smoothing=how))
    assert found[0].curves["return"].smooth.tolist() == [0.0, 5.0]


def test_a_curve_is_of_training_and_evaluation_lies_at_the_steps_trained_by_then(root: DataRoot) -> None:
    run, loader = Stored(root), ChartLoader(root)
    run.episodes([1.0, 2.0], role="train")
    run.episodes([50.0], role="eval", length=500)
    run.episodes([3.0], outcome="cut")
    run.episodes([0.0], length=0)
    run.episodes([4.0])
    run.commit()

    def drawn(which: str, axis: Axis = "steps") -> list[tuple[float, float]]:
        (found,) = loader.load(Asked(runs=(run.run_id,), keys=("return",), axis=axis, which=which))
        assert found.has_evaluation
        return list(zip(found.curves["return"].x.tolist(), found.curves["return"].y.tolist(), strict=True))

    assert drawn("") == [(10.0, 1.0), (20.0, 2.0), (40.0, 4.0)]
    assert drawn("eval") == [(20.0, 50.0)]
    assert [y for _, y in drawn("all")] == [1.0, 2.0, 50.0, 3.0, 0.0, 4.0]
    assert drawn("eval", axis="episodes") == [(2.0, 50.0)]


def test_a_run_that_only_evaluates_is_drawn_by_its_evaluation(root: DataRoot) -> None:
    run = Stored(root)
    run.episodes([5.0, 6.0], role="eval")
    run.commit()
    found = load(ChartLoader(root), run)
    assert found is not None
    assert (found.curves["return"].x.tolist(), found.curves["return"].y.tolist()) == (
        [10.0, 20.0],
        [5.0, 6.0],
    )
