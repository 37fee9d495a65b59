"""Columns of a store, by cursor."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from mosaic.paths import DataRoot
from mosaic.store.series import SeriesReader
from tests.ui.stored import Stored


def test_metrics_come_in_pages_bit_for_bit(home: Path) -> None:
    run = Stored(DataRoot(home))
    values = [0.1, -0.0, math.nan, math.inf, 5.0]
    run.metric("loss", values, first_step=7)
    run.metric("other", [1.0], first_step=None)
    run.commit()
    with SeriesReader(run.folder) as reader:
        first = reader.metric_from("loss", since_seq=0, limit=3)
        rest = reader.metric_from("loss", since_seq=first.seq, limit=3)
        assert first.more
        assert not rest.more
        found = np.concatenate([first.value, rest.value])
        assert found.tobytes() == np.array(values).tobytes()
        assert np.concatenate([first.step, rest.step]).tolist() == [7.0, 8.0, 9.0, 10.0, 11.0]
        assert np.isnan(reader.metric_from("other", since_seq=0, limit=9).step).all()
        assert not len(reader.metric_from("nobody logs this", since_seq=0, limit=9).value)
        assert reader.names() == [("loss", "loss/total"), ("other", None)]


def test_a_curve_goes_on_from_its_last_block(home: Path) -> None:
    run = Stored(DataRoot(home))
    run.episodes([float(n) for n in range(9000)])
    run.commit()
    with SeriesReader(run.folder) as reader:
        page = reader.curve_from(0)
        assert page.points.return_.tolist() == [float(n) for n in range(9000)]
        assert page.block == 1
        later = reader.curve_from(page.block)
        assert 0 < len(later.points) < 1000
        assert later.points.index[-1] == 8999


def test_a_place_tells_how_far_the_store_goes(home: Path) -> None:
    run = Stored(DataRoot(home))
    row = run.commit()
    with SeriesReader(run.folder) as reader:
        assert reader.mark().seq == row.store_seq
        assert reader.mark().inode == run.folder.store.stat().st_ino
