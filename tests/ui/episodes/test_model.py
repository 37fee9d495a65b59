"""Episodes as columns: sorted and filtered."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.ui.episodes.loading import EpisodeLoader
from mosaic.ui.episodes.model import EpisodeList, best, last, parse_filter, view, worst
from tests.ui.episodes.listing import load, returns
from tests.ui.stored import Stored


@pytest.fixture
def run(home: Path) -> Stored:
    return Stored(DataRoot(home))


def test_sorting_puts_what_has_no_value_last_either_way(run: Stored) -> None:
    run.episodes([2.0, math.nan, 3.0, 1.0])
    run.commit()
    found = load(EpisodeLoader(run.folder))
    assert returns(found, by="return") == pytest.approx([1.0, 2.0, 3.0, math.nan], nan_ok=True)
    assert returns(found, by="return", descending=True) == pytest.approx(
        [3.0, 2.0, 1.0, math.nan], nan_ok=True
    )
    assert view(found).tolist() == [3, 2, 1, 0], "newest first"
    assert view(found, by="outcome", descending=False).tolist() == [0, 1, 2, 3]


def test_a_filter_takes_comparisons_and_words(run: Stored) -> None:
    run.episodes([1.0, 5.0], length=10)
    run.episodes([9.0], length=50, outcome="truncated")
    run.commit()
    found = load(EpisodeLoader(run.folder))
    assert returns(found, "return>=5") == [5.0, 9.0]
    assert returns(found, "return > 2 length<20") == [5.0]
    assert returns(found, "TRUNC") == [9.0]
    assert returns(found, "cartpole") == [1.0, 5.0, 9.0]
    assert returns(found, "seed=1") == [1.0]
    assert returns(found, "nothing like it") == []


def test_a_filter_that_compares_with_no_number_says_what_to_write() -> None:
    with pytest.raises(UsageError, match=r"^'abc' is not a number. Try: return>100"):
        parse_filter("return>abc")


def test_best_worst_and_last_look_at_ended_episodes_only(run: Stored) -> None:
    run.episodes([5.0, math.nan, -3.0, 5.0, 1.0])
    run.begin()
    run.commit()
    found = load(EpisodeLoader(run.folder))
    assert tuple(which(found, view(found)) for which in (best, worst, last)) == (0, 2, 4)


def test_best_worst_and_last_are_of_training_that_was_played_to_its_end(run: Stored) -> None:
    run.episodes([90.0, 95.0], role="eval")
    run.episodes([4.0, 3.0], role="train")
    run.episodes([99.0, -9.0], outcome="cut")
    run.episodes([0.0], length=0)
    run.commit()
    found = load(EpisodeLoader(run.folder))
    listed = view(found)
    assert (best(found, listed), worst(found, listed), last(found, listed)) == (2, 3, 3)
    evaluation = view(found, wanted=parse_filter("role=eval"))
    assert (best(found, evaluation), worst(found, evaluation), last(found, evaluation)) == (1, 0, 1)


def test_a_filter_takes_a_role_and_says_which_there_are(run: Stored) -> None:
    run.episodes([1.0], role="train")
    run.episodes([2.0], role="eval")
    run.episodes([3.0])
    run.commit()
    found = load(EpisodeLoader(run.folder))
    assert [returns(found, f"role={role}") for role in ("train", "EVAL", "unknown")] == [[1.0], [2.0], [3.0]]
    assert returns(found, "role = eval return>1 terminated") == [2.0]
    with pytest.raises(UsageError, match=r"'test' is not a role. Try: role=train"):
        parse_filter("role=test")


def test_without_an_ended_episode_there_is_no_best(run: Stored) -> None:
    run.begin()
    run.commit()
    found = load(EpisodeLoader(run.folder))
    assert tuple(which(found, view(found)) for which in (best, worst, last)) == (None, None, None)


def test_a_list_says_why_it_is_empty(run: Stored) -> None:
    listed = EpisodeList()
    assert listed.empty.startswith("Choose a run")
    listed.turn_to(run.run_id)
    assert listed.empty == "Loading…"
    listed.take(None)
    assert listed.empty.startswith("No episode yet")
    run.episodes([1.0, 2.0])
    run.commit()
    found = load(EpisodeLoader(run.folder))
    listed.take((found, view(found)))
    assert (listed.empty, listed.said) == ("", "2 episodes   CartPole-v1")
    assert listed.idle_columns == {"role", "env", "agent"}
    listed.fail("the disk refuses")
    assert listed.empty == "the disk refuses"
    listed.turn_to(None)
    assert (listed.episodes, len(listed.rows), listed.empty[:12]) == (None, 0, "Choose a run")


def test_sorting_by_a_column_twice_turns_the_order_round() -> None:
    listed = EpisodeList()
    asked: list[tuple[str, bool]] = []
    listed.asked.connect(lambda: asked.append((listed.by, listed.descending)))
    for by in ("return", "return", "return", "index"):
        listed.sort(by)
    assert asked == [("return", True), ("return", False), ("return", True), ("index", True)]


def test_a_filter_that_cannot_be_one_is_refused_and_the_last_one_kept() -> None:
    listed = EpisodeList()
    asked: list[str] = []
    listed.asked.connect(lambda: asked.append(listed.words))
    listed.filter("return>1")
    listed.filter("return>x")
    assert "Try: return>100" in listed.said
    assert listed.wanted == parse_filter("return>1")
    listed.filter("")
    listed.filter("")
    assert (listed.refusal, asked) == ("", ["return>1", ""])
