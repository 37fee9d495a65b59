"""Episodes as columns: read by pages and followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.paths import DataRoot
from mosaic.store.rebuild import rebuild
from mosaic.ui.episodes.loading import EpisodeLoader
from tests.ui.episodes.listing import load, returns
from tests.ui.stored import Stored


@pytest.fixture
def run(home: Path) -> Stored:
    return Stored(DataRoot(home))


def test_all_pages_come_and_only_what_changed_after_that(run: Stored) -> None:
    run.episodes([float(n) for n in range(25)])
    run.commit()
    loader = EpisodeLoader(run.folder, page=10)
    assert returns(load(loader)) == [float(n) for n in range(25)]
    assert loader.load() is None
    run.episodes([99.0])
    run.commit()
    assert returns(load(loader))[-2:] == [24.0, 99.0]


def test_a_running_episode_is_listed_and_becomes_an_ended_one(run: Stored) -> None:
    loader = EpisodeLoader(run.folder)
    run.episodes([1.0])
    name = run.begin()
    run.commit()
    found = load(loader)
    assert [found.text(int(code)) for code in found.outcome] == ["terminated", "running"]
    before = found.return_.tolist()
    told = {"type": "episode", "episode_id": name, "steps": 3, "return": 5.0, "outcome": "truncated"}
    run.event(**told, t_end=run.t + 1)
    run.commit()
    after = load(loader)
    assert [after.text(int(code)) for code in after.outcome] == ["terminated", "truncated"]
    assert after.return_.tolist() == [1.0, 5.0]
    assert found.return_.tolist() == before, "what was given out does not change"


def test_a_long_history_comes_in_pieces_and_misses_nothing_that_changes_meanwhile(run: Stored) -> None:
    name = run.begin()
    run.episodes([float(n) for n in range(29)])
    run.commit()
    loader = EpisodeLoader(run.folder, page=10)
    first = loader.load(budget_secs=-1.0)
    assert first is not None
    assert first.more
    assert len(first) == 10
    run.event(type="episode", episode_id=name, steps=1, outcome="truncated", t_end=run.t, **{"return": -7.0})
    run.commit()
    found = load(loader)
    found = loader.load() or found
    assert len(found) == 30
    assert found.return_[0] == -7.0


def test_of_too_many_the_newest_are_kept(run: Stored) -> None:
    run.episodes([float(n) for n in range(30)])
    run.commit()
    assert load(EpisodeLoader(run.folder, most=5)).index.tolist() == [25, 26, 27, 28, 29]


def test_a_rebuilt_store_is_read_again(run: Stored) -> None:
    run.episodes([1.0, 2.0])
    run.commit()
    loader = EpisodeLoader(run.folder)
    load(loader)
    rebuild(run.folder)
    assert returns(load(loader)) == [1.0, 2.0]


def test_no_store_yet_is_nothing_yet(run: Stored) -> None:
    assert EpisodeLoader(run.folder).load() is None
