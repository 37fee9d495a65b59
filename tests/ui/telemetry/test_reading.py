"""Reading the newest of a run: from near the head, by cursor, bounded, and anew when the store is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic.paths import DataRoot
from mosaic.store.rebuild import rebuild
from mosaic.ui.telemetry.model import News
from mosaic.ui.telemetry.reading import TelemetryReader
from tests.ui.stored import Stored


@pytest.fixture
def run(home: Path) -> Stored:
    return Stored(DataRoot(home))


def play(run: Stored, steps: int) -> None:
    """One episode of so many steps, each with its number as its reward."""
    episode = run.begin()
    for number in range(1, steps + 1):
        run.event(
            type="step",
            episode_id=episode,
            step=number,
            action=0,
            reward=float(number),
            terminated=number == steps,
            truncated=False,
            obs=[0.5],
        )


def rewards(news: News) -> list[float]:
    return [line.row.reward for line in news.steps]


def test_a_long_run_is_read_from_its_end(run: Stored) -> None:
    play(run, 300)
    run.commit()
    news = TelemetryReader(run.folder, steps=20, episodes=5).read()
    assert rewards(news)[-1] == 300.0
    assert 0 < len(news.steps) <= 20
    assert (news.skipped_events, news.anew) == (0, True)


def test_only_the_newest_episodes_come(run: Stored) -> None:
    run.episodes([float(n) for n in range(12)])
    run.commit()
    news = TelemetryReader(run.folder, episodes=5).read()
    assert [row.index for row in news.episodes] == [7, 8, 9, 10, 11]


def test_only_what_is_new_comes_and_none_twice(run: Stored) -> None:
    reader = TelemetryReader(run.folder, steps=50)
    assert reader.read() == News(), "no store yet"
    play(run, 5)
    run.commit()
    assert rewards(reader.read()) == [1.0, 2.0, 3.0, 4.0, 5.0]
    again = reader.read()
    assert (again.steps, again.episodes, again.anew) == ([], [], False)
    play(run, 3)
    run.commit()
    news = reader.read()
    assert rewards(news) == [1.0, 2.0, 3.0]
    assert [row.index for row in news.episodes] == [1]


def test_who_is_too_far_behind_goes_on_near_the_head_and_says_what_was_left_out(run: Stored) -> None:
    reader = TelemetryReader(run.folder, steps=10)
    play(run, 5)
    before = run.commit().store_seq
    reader.read()
    play(run, 100)
    after = run.commit().store_seq
    news = reader.read()
    assert news.skipped_events == after - 10 - before
    assert rewards(news)[-1] == 100.0
    assert len(news.steps) <= 10


def test_a_store_that_was_built_anew_is_read_as_a_new_one(run: Stored) -> None:
    reader = TelemetryReader(run.folder, steps=50)
    play(run, 5)
    run.commit(ended=True)
    reader.read()
    rebuild(run.folder)
    news = reader.read()
    assert (rewards(news), news.anew) == ([1.0, 2.0, 3.0, 4.0, 5.0], True)


def test_a_store_that_is_shorter_than_before_is_read_as_a_new_one_though_it_is_the_same_file(
    run: Stored,
) -> None:
    reader = TelemetryReader(run.folder, steps=50)
    play(run, 5)
    run.commit()
    shorter = run.folder.store.read_bytes()
    play(run, 3)
    run.commit()
    reader.read()
    inode = run.folder.store.stat().st_ino
    run.folder.store.write_bytes(shorter)
    assert run.folder.store.stat().st_ino == inode
    news = reader.read()
    assert (rewards(news), news.anew) == ([1.0, 2.0, 3.0, 4.0, 5.0], True)
