"""The newest frame of an environment, through resizes and damage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mosaic.fastlane.lane import Lane
from mosaic.fastlane.reader import FrameReader
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane as WorkerLane
from mosaic_worker.fastlane import RingFile
from tests.fastlane import patterns


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerLane]:
    lane = WorkerLane(str(tmp_path / "run"), "p1xa")
    lane.list_row(0, state=layout.SHOWN, env_index=0, group="")
    yield lane
    lane.close()


def test_frames_go_on_through_a_resize(worker: WorkerLane) -> None:
    with Lane(Path(worker.path)) as lane:
        reader = FrameReader(lane, 0)
        assert reader.latest() is None
        old: RingFile | None = None
        for epoch, size in enumerate((1000, 40_000, 300), 1):
            ring = worker.new_ring(0, pixel_bytes=size, epoch=epoch)
            worker.set_epoch(0, epoch)
            if old is not None:
                old.close()
            old = ring
            assert reader.latest() is None
            for _ in range(9):
                patterns.publish(ring.writer, epoch, pixel_bytes=size)
            frame = reader.latest()
            assert frame is not None
            assert not patterns.wrong_frame(frame, size)
            assert reader.latest() is None
        reader.close()
        assert old is not None
        old.close()
        worker.set_epoch(0, 0)
        assert reader.latest() is None


def test_columns_come_back_as_rows(worker: WorkerLane) -> None:
    picture = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    ring = worker.new_ring(0, pixel_bytes=1000, epoch=1)
    worker.set_epoch(0, 1)
    columns = np.ascontiguousarray(picture.transpose(1, 0, 2))
    ring.writer.publish(columns, 7, 5, 3, flags=layout.TRANSPOSED)
    with Lane(Path(worker.path)) as lane:
        reader = FrameReader(lane, 0)
        frame = reader.latest()
        reader.close()
    assert frame is not None
    assert (frame.pixels == picture).all()
    ring.close()


def test_a_ring_that_lies_is_refused_once_and_its_successor_read(worker: WorkerLane) -> None:
    path = Path(worker.folder) / layout.ring_name("p1xa", 0, 1)
    path.write_bytes(b"\xff" * 8192)
    worker.set_epoch(0, 1)
    with Lane(Path(worker.path)) as lane:
        reader = FrameReader(lane, 0)
        assert reader.latest() is None
        assert reader.latest() is None
        assert reader.refused == 1
        path.unlink()
        ring = worker.new_ring(0, pixel_bytes=300, epoch=2)
        worker.set_epoch(0, 2)
        patterns.publish(ring.writer, 2, pixel_bytes=300)
        assert reader.latest() is not None
        reader.close()
    ring.close()


def test_a_ring_of_another_epoch_is_not_taken(worker: WorkerLane) -> None:
    ring = worker.new_ring(0, pixel_bytes=300, epoch=1)
    ring.writer.publish(b"abc", 1, 1)
    Path(ring.path).rename(Path(worker.folder) / layout.ring_name("p1xa", 0, 9))
    worker.set_epoch(0, 9)
    with Lane(Path(worker.path)) as lane:
        reader = FrameReader(lane, 0)
        assert reader.latest() is None
        assert reader.refused == 1
        reader.close()
    ring.close()
    (Path(worker.folder) / layout.ring_name("p1xa", 0, 9)).unlink()
