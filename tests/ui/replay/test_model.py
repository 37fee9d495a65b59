"""How a replay moves: every button, every end, and time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic.protocol.counting import mark_of
from mosaic.ui.replay.model import DIGIT_SPEEDS, SPEEDS, Book, Transport, bars


def at(position: int = 0, *, last: int = 100, fps: float = 10.0) -> Transport:
    transport = Transport(last=last, fps=fps)
    transport.seek(position)
    return transport


def test_a_seek_stays_within_the_episode() -> None:
    transport = at()
    for wanted, found in ((50, 50), (-3, 0), (101, 100)):
        transport.seek(wanted)
        assert transport.position == found


def test_a_step_stops_playing_and_a_seek_does_not() -> None:
    transport = at(5)
    transport.toggle()
    transport.seek(9)
    assert transport.playing
    transport.step(-10)
    assert (transport.playing, transport.position) == (False, 0)


def test_a_step_that_cannot_move_still_stops_playing_and_says_so() -> None:
    transport = at(0)
    transport.toggle()
    told: list[bool] = []
    transport.changed.connect(lambda: told.append(transport.playing))
    transport.step(-1)
    assert told == [False]


def test_at_speed_one_the_environments_pace_is_kept() -> None:
    transport = at()
    transport.toggle()
    moves = [transport.advance(0.05) for _ in range(20)]
    assert transport.position == 10
    assert moves == [False, True] * 10


def test_a_late_frame_leaves_none_out_up_to_speed_one() -> None:
    transport = at()
    transport.toggle()
    transport.advance(5.0)
    assert transport.position == 1
    transport.advance(0.0)
    assert transport.position == 2, "one is made up for"
    transport.advance(0.0)
    assert transport.position == 2, "but no more"


def test_above_speed_one_a_tenth_of_a_second_is_caught_up_at_most() -> None:
    transport = at(last=10_000, fps=50.0)
    transport.set_speed(32.0)
    transport.toggle()
    transport.advance(60.0)
    assert transport.position == 160


@pytest.mark.parametrize(("speed", "ticks"), [(0.5, 4), (1.0, 2), (2.0, 1)])
def test_twice_the_speed_takes_half_the_time_to_the_next_frame(speed: float, ticks: int) -> None:
    transport = at(last=100, fps=10.0)
    transport.set_speed(speed)
    transport.toggle()
    due = [transport.advance(0.05) for _ in range(ticks)]
    assert due == [False] * (ticks - 1) + [True]


def test_above_speed_one_frames_are_left_out_in_proportion() -> None:
    transport = at(last=1000, fps=10.0)
    transport.set_speed(8.0)
    transport.toggle()
    for _ in range(10):
        transport.advance(0.05)
    assert transport.position == 40


def test_it_stops_at_the_end_and_plays_again_from_the_beginning() -> None:
    transport = at(99)
    transport.toggle()
    transport.advance(0.1)
    assert transport.ended
    transport.toggle()
    assert (transport.playing, transport.position) == (True, 0)


def test_a_loop_shows_the_last_frame_and_begins_again() -> None:
    transport = at(99)
    transport.set_loop(True)
    transport.toggle()
    seen = []
    for _ in range(3):
        transport.advance(0.1)
        seen.append(transport.position)
    assert seen == [100, 0, 1]
    assert transport.playing


def test_the_shuttle_turns_round_and_gets_faster_each_time() -> None:
    transport = at(50)
    transport.shuttle(1)
    assert (transport.playing, transport.direction, transport.speed) == (True, 1, 1.0)
    transport.shuttle(1)
    transport.shuttle(1)
    assert transport.speed == 4.0
    transport.shuttle(-1)
    assert (transport.direction, transport.speed) == (-1, 1.0)
    transport.advance(0.1)
    assert transport.position == 49
    transport.pause()
    assert not transport.playing


def test_backwards_it_stops_at_the_beginning() -> None:
    transport = at(1)
    transport.shuttle(-1)
    transport.advance(0.1)
    assert (transport.position, transport.playing) == (0, False)


def test_speeds_go_up_and_down_and_stop_at_their_ends() -> None:
    transport = at()
    for _ in range(20):
        transport.faster()
    assert transport.speed == SPEEDS[-1] == 32.0
    for _ in range(20):
        transport.slower()
    assert transport.speed == SPEEDS[0] == 0.1
    transport.set_speed(0.3)
    transport.faster()
    assert transport.speed == 0.5
    assert set(DIGIT_SPEEDS.values()) <= set(SPEEDS)


def test_another_episode_begins_at_its_beginning_with_the_speed_that_was_chosen() -> None:
    transport = at(50)
    transport.set_speed(4.0)
    transport.shuttle(-1)
    transport.load(last=7, fps=25.0, play=True)
    assert (transport.position, transport.last, transport.direction, transport.playing) == (0, 7, 1, True)
    transport.load(last=0, fps=25.0, play=True)
    assert not transport.playing, "an episode without steps has nothing to play"


PRESSES = ["toggle", "step", "back", "seek", "faster", "loop", "left", "right", "time"]


@given(st.lists(st.sampled_from(PRESSES), max_size=60))
def test_whatever_is_pressed_the_position_exists(presses: list[str]) -> None:
    transport = at(last=3)
    does: dict[str, Callable[[], object]] = {
        "toggle": transport.toggle,
        "step": lambda: transport.step(2),
        "back": lambda: transport.step(-2),
        "seek": lambda: transport.seek(9),
        "faster": transport.faster,
        "loop": lambda: transport.set_loop(not transport.loop),
        "left": lambda: transport.shuttle(-1),
        "right": lambda: transport.shuttle(1),
        "time": lambda: transport.advance(0.2),
    }
    for press in presses:
        does[press]()
        assert 0 <= transport.position <= transport.last


def book_of(returns: list[float], *, index: list[int] | None = None, steps: list[int] | None = None) -> Book:
    numbers = np.array(index or range(len(returns)), np.int64)
    return Book(numbers, np.array(returns), numbers + 1 if steps is None else np.array(steps, np.int64))


def test_the_best_and_the_worst_are_found_and_nan_is_neither() -> None:
    book = book_of([1.0, math.nan, 5.0, -2.0, 5.0])
    assert (book.best, book.worst, book.last) == (2, 3, 4)
    assert book_of([math.nan, math.nan]).best == 1
    assert (Book().best, Book().last, len(Book())) == (None, None, 0)


def test_the_best_and_the_worst_are_of_training_that_was_played_to_its_end() -> None:
    marks = [mark_of("terminated", role) for role in ("eval", "train", None)] + [mark_of("cut", "train")] * 2
    found = Book(np.arange(5), np.array([90.0, 2.0, 1.0, 70.0, -5.0]), np.full(5, 3), np.array(marks))
    assert (found.best, found.worst, found.last) == (1, 2, 4)


def test_an_episode_cut_before_its_first_step_is_neither_last_nor_best_nor_worst() -> None:
    book = book_of([-1.0, -3.0, 0.0], steps=[4, 2, 0])
    assert (book.last, book.best, book.worst) == (1, 0, 1)
    assert len(book) == 3
    assert book_of([-1.0, -3.0, 0.0], steps=[0, 0, 0]).last == 2


@pytest.mark.parametrize(
    ("episode", "by", "found"), [(4, 1, 7), (4, -1, 2), (9, 1, None), (2, -1, None), (5, 1, 7), (5, -1, 4)]
)
def test_the_neighbours_of_an_episode_are_finished_ones(episode: int, by: int, found: int | None) -> None:
    book = book_of([0.0] * 4, index=[2, 4, 7, 9])
    assert book.beside(episode, by) == found


def test_an_episode_is_found_in_the_book_or_not() -> None:
    book = book_of([0.0] * 3, index=[2, 4, 7])
    assert [book.line_of(episode) for episode in (2, 3, 7, 8)] == [0, None, 2, None]


def test_many_rewards_become_the_extremes_of_each_column() -> None:
    rewards = np.zeros(1000)
    rewards[[123, 777]] = 5.0, -3.0
    found = bars(rewards, 100)
    assert found.shape == (100, 2)
    assert found[12].tolist() == [0.0, 5.0]
    assert found[77].tolist() == [-3.0, 0.0]
    assert (np.delete(found, [12, 77], axis=0) == 0).all()


def test_few_rewards_are_spread_and_nan_stays_a_gap() -> None:
    found = bars(np.array([1.0, math.nan]), 4)
    assert found[:2].tolist() == [[1.0, 1.0]] * 2
    assert np.isnan(found[2:]).all()
    assert bars(np.empty(0), 3).shape == (3, 2)
    assert bars(np.ones(5), 0).shape == (0, 2)


def test_a_line_that_becomes_shorter_takes_its_position_along() -> None:
    transport = Transport(last=9)
    transport.seek(8)
    changes: list[int] = []
    transport.changed.connect(lambda: changes.append(transport.position))
    transport.set_last(12)
    transport.set_last(5)
    transport.set_last(5)
    assert (transport.last, changes) == (5, [8, 5])
