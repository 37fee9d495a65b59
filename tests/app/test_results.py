"""What a session came to: by seat, with intervals, and with the decisions somebody replaced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mosaic.app.results import results_of
from mosaic.paths import DataRoot
from mosaic.store.reader import StoreReader
from tests.ui.stored import Stored


def decided(run: Stored, episode: str, step: int, **more: object) -> None:
    run.event(type="decision", episode_id=episode, step=step, **more)


def test_each_seat_has_its_returns_their_interval_and_its_corrections(home: Path) -> None:
    run = Stored(DataRoot(home))
    returns = [1.0, 2.0, 3.0, 10.0]
    run.episodes(returns, length=10)
    run.commit()
    with StoreReader(run.folder) as reader:
        ids = [row.episode_id for row in reader.episodes()]
    for episode in ids:
        decided(run, episode, 0, operator="last:best")
    decided(run, ids[0], 3, operator="last:best", verdict="replace", by="person")
    decided(run, ids[1], 0, operator="random")
    run.begin()
    run.commit()
    with StoreReader(run.folder) as reader:
        (seat,) = results_of(reader)
    assert (seat.seat, seat.operators, seat.returns) == ("agent", ("last:best", "random"), tuple(returns))
    assert (seat.cut, seat.length, seat.corrected) == (0, 10.0, 1)
    assert seat.mean is not None
    assert seat.mean.value == pytest.approx(np.mean(returns))
    assert seat.iqm is not None
    assert seat.iqm.value == pytest.approx(2.5), "without the lowest and the highest quarter"
    assert seat.iqm.interval is not None
    assert seat.iqm.interval.low <= 2.5 <= seat.iqm.interval.high


def test_episodes_that_were_cut_are_counted_and_enter_no_figure(home: Path) -> None:
    run = Stored(DataRoot(home))
    run.episodes([4.0], outcome="cut")
    run.commit()
    with StoreReader(run.folder) as reader:
        (seat,) = results_of(reader)
    assert (seat.returns, seat.cut, seat.iqm, seat.length) == ((), 1, None, None)


def test_seats_are_told_apart_by_who_is_decided_for(home: Path) -> None:
    run = Stored(DataRoot(home))
    run.episodes([1.0, 5.0])
    run.commit()
    with StoreReader(run.folder) as reader:
        ids = [row.episode_id for row in reader.episodes()]
    decided(run, ids[0], 0, operator="a", agent_id="seat_0")
    decided(run, ids[1], 0, operator="b", agent_id="seat_1")
    run.commit()
    with StoreReader(run.folder) as reader:
        found = results_of(reader)
    assert [(one.seat, one.operators, one.returns) for one in found] == [
        ("seat_0", ("a",), (1.0,)),
        ("seat_1", ("b",), (5.0,)),
    ]
