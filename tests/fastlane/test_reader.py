"""The newest frame of an environment, through resizes and damage."""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mosaic.fastlane.lane import Lane
from mosaic.fastlane.reader import FrameReader, SceneReader
from mosaic_worker.common import layout
from mosaic_worker.common.scene import encode
from mosaic_worker.fastlane import Lane as WorkerLane
from mosaic_worker.fastlane import RingFile
from tests.fastlane import patterns
from tests.render.shown import ALL


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
    turned = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    ring = worker.new_ring(0, pixel_bytes=1000, epoch=1)
    worker.set_epoch(0, 1)
    columns = np.ascontiguousarray(turned.transpose(1, 0, 2))
    ring.writer.publish(columns, 7, 5, 3, flags=layout.TRANSPOSED)
    with Lane(Path(worker.path)) as lane:
        reader = FrameReader(lane, 0)
        frame = reader.latest()
        reader.close()
    assert frame is not None
    assert (frame.pixels == turned).all()
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


def test_a_scene_comes_back_as_it_was(worker: WorkerLane) -> None:
    ring = worker.new_ring(0, pixel_bytes=2000, epoch=3)
    worker.set_epoch(0, 3, kind=layout.SCENE)
    with Lane(Path(worker.path)) as lane:
        scenes, frames = SceneReader(lane, 0), FrameReader(lane, 0)
        assert scenes.latest() is None
        ring.writer.publish(zlib.compress(encode(ALL)), 0, 0, 0, kind=layout.SCENE, step=4, episode_id=b"e")
        found = scenes.latest()
        assert found is not None
        assert (found.scene, found.epoch, found.hud.step, found.hud.episode_id) == (ALL, 3, 4, "e")
        assert scenes.latest() is None
        assert scenes.latest(again=True) is not None
        assert frames.latest() is None, "the row has no ring of frames"
        scenes.close()
    ring.close()


@pytest.mark.parametrize(
    "data",
    [
        b"not compressed",
        zlib.compress(b'{"v":1'),
        zlib.compress(b'{"v":1,"w":0,"h":1}'),
        zlib.compress(b" " * (64 << 20)),
    ],
    ids=["not compressed", "cut", "beyond bounds", "unpacks to much more than a scene"],
)
def test_what_is_no_scene_is_refused_and_the_next_one_read(worker: WorkerLane, data: bytes) -> None:
    ring = worker.new_ring(0, pixel_bytes=100_000, epoch=1)
    worker.set_epoch(0, 1, kind=layout.SCENE)
    with Lane(Path(worker.path)) as lane:
        reader = SceneReader(lane, 0)
        ring.writer.publish(data, 0, 0, 0, kind=layout.SCENE)
        tracemalloc.start()
        assert reader.latest() is None
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
        tracemalloc.stop()
        assert reader.refused == 1
        ring.writer.publish(zlib.compress(encode(ALL)), 0, 0, 0, kind=layout.SCENE)
        assert reader.latest() is not None
        reader.close()
    ring.close()


def test_what_is_of_the_other_kind_is_never_taken_for_ones_own(worker: WorkerLane) -> None:
    ring = worker.new_ring(0, pixel_bytes=2000, epoch=1)
    for kind in (layout.PIXELS, layout.SCENE):
        worker.set_epoch(0, 1, kind=kind)
    with Lane(Path(worker.path)) as lane:
        frames, scenes = FrameReader(lane, 0), SceneReader(lane, 0)
        ring.writer.publish(zlib.compress(encode(ALL)), 0, 0, 0, kind=layout.SCENE)
        assert frames.latest() is None
        ring.writer.publish(b"abc", 1, 1)
        assert scenes.latest() is None
        assert (frames.refused, scenes.refused) == (1, 1)
        frames.close()
        scenes.close()
    ring.close()
