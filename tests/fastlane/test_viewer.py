"""One viewer, several processes' lanes, a clock of our own."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mosaic.fastlane.lane import Lease
from mosaic.fastlane.viewer import OTHER_VERSION, Viewer
from mosaic.paths import RunFolder
from mosaic_worker.common import layout
from mosaic_worker.common.scene import encode
from mosaic_worker.fastlane import Lane
from tests.render.shown import MOVES

SECOND = 1_000_000_000


class Clock:
    now = SECOND

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def lanes(tmp_path: Path) -> Iterator[list[Lane]]:
    made = [Lane(str(tmp_path / "run"), f"p{n}xa") for n in range(2)]
    for lane, indices in zip(made, ((0, 2), (1,)), strict=True):
        for row, index in enumerate(indices):
            lane.list_row(row, state=layout.SHOWN, env_index=index, group="v0")
    yield made
    for lane in made:
        lane.close()


def test_every_environment_of_every_process_is_asked_for_and_shown_in_order(
    tmp_path: Path, lanes: list[Lane]
) -> None:
    clock = Clock()
    rings = [lanes[0].new_ring(1, pixel_bytes=100, epoch=1), lanes[1].new_ring(0, pixel_bytes=100, epoch=1)]
    with Viewer(RunFolder(tmp_path / "run"), lease=Lease(fps=10), now_nanos=clock) as viewer:
        viewer.tick()
        assert [one.row.env_index for one in viewer.watched] == [0, 1, 2]
        assert [lease.rows for lane in lanes for lease in lane.leases(clock.now)] == [0b11, 0b1]
        assert viewer.frames() == {}
        for ring, lane, row in zip(rings, lanes, (1, 0), strict=True):
            ring.writer.publish(b"abc", 1, 1, env_index=row)
            lane.set_epoch(row, 1)
        assert set(viewer.frames()) == {("p0xa", 1), ("p1xa", 0)}
        assert viewer.frames() == {}
    assert [list(lane.leases(clock.now)) for lane in lanes] == [[], []], "leases end with their viewer"
    for ring in rings:
        ring.close()


def test_one_environment_alone_is_asked_for(tmp_path: Path, lanes: list[Lane]) -> None:
    clock = Clock()
    with Viewer(RunFolder(tmp_path / "run"), env=2, now_nanos=clock) as viewer:
        viewer.tick()
        assert [(lease.rows) for lane in lanes for lease in lane.leases(clock.now)] == [0b10]
        assert viewer.count() == 3


def test_no_more_than_the_most_are_asked_for(tmp_path: Path, lanes: list[Lane]) -> None:
    with Viewer(RunFolder(tmp_path / "run"), most=2, now_nanos=Clock()) as viewer:
        viewer.tick()
        assert [one.row.env_index for one in viewer.watched] == [0, 1]


def test_leases_are_renewed_before_they_run_out_and_not_when_we_stop_ticking(
    tmp_path: Path, lanes: list[Lane]
) -> None:
    clock = Clock()
    with Viewer(RunFolder(tmp_path / "run"), lease_secs=1.0, now_nanos=clock) as viewer:
        for _ in range(40):
            viewer.tick()
            clock.now += SECOND // 10
            assert list(lanes[0].leases(clock.now))
        assert not list(lanes[0].leases(clock.now + SECOND))


def test_a_process_that_ends_is_forgotten_and_a_new_one_found(tmp_path: Path, lanes: list[Lane]) -> None:
    clock = Clock()
    with Viewer(RunFolder(tmp_path / "run"), now_nanos=clock) as viewer:
        viewer.tick()
        lanes.pop(0).close()
        lanes.append(Lane(str(tmp_path / "run"), "p9xa"))
        lanes[-1].list_row(5, state=layout.SHOWN, env_index=7, group="")
        lanes[-1].note("why not")
        clock.now += SECOND
        viewer.tick()
        assert [one.row.env_index for one in viewer.watched] == [1, 7]
        assert viewer.notes() == ["why not"]


def test_environments_without_frames_are_counted_but_not_watched(tmp_path: Path) -> None:
    lane = Lane(str(tmp_path / "run"), "p1xa")
    for row, state in enumerate((layout.HUMAN, layout.FAILED, layout.WITHOUT_FRAMES)):
        lane.list_row(row, state=state, env_index=row, group="", scenes=layout.NO_SCENES)
    with Viewer(RunFolder(tmp_path / "run")) as viewer:
        viewer.tick()
        assert (viewer.watched, viewer.count()) == ([], 3)
        assert lane.wake[0] == 0
        assert not viewer.has_frames()
        assert viewer.without_scenes()
    lane.close()


def test_whether_what_cannot_be_drawn_has_scenes_is_asked_until_it_is_known(tmp_path: Path) -> None:
    clock = Clock()
    lane = Lane(str(tmp_path / "run"), "p1xa")
    lane.list_row(0, state=layout.WITHOUT_FRAMES, env_index=0, group="")
    lane.list_row(1, state=layout.HUMAN, env_index=1, group="")
    with Viewer(RunFolder(tmp_path / "run"), now_nanos=clock) as viewer:
        viewer.tick()
        assert [lease.rows for lease in lane.leases(clock.now)] == [0b11]
        assert (viewer.watched, viewer.has_scenes()) == ([], False)
        lane.set_scenes(0, layout.HAS_SCENES)
        lane.set_scenes(1, layout.NO_SCENES)
        assert viewer.has_scenes()
        assert not viewer.without_scenes()
        clock.now += 2 * SECOND
        viewer.tick()
        assert list(lane.leases(clock.now)) == [], "it is known, and there are no frames to ask for"
    lane.close()


def test_scenes_and_frames_of_one_environment_go_to_two_viewers_at_once(tmp_path: Path) -> None:
    clock, run = Clock(), RunFolder(tmp_path / "run")
    lane = Lane(str(tmp_path / "run"), "p1xa")
    lane.list_row(0, state=layout.SHOWN, env_index=4, group="", scenes=layout.HAS_SCENES)
    drawn, told = lane.new_ring(0, pixel_bytes=100, epoch=1), lane.new_ring(0, pixel_bytes=100, epoch=2)
    lane.set_epoch(0, 1)
    lane.set_epoch(0, 2, kind=layout.SCENE)
    with (
        Viewer(run, now_nanos=clock) as frames,
        Viewer(run, lease=Lease(scenes=True), now_nanos=clock) as scenes,
    ):
        frames.tick()
        scenes.tick()
        assert sorted(lease.kind for lease in lane.leases(clock.now)) == [layout.PIXELS, layout.SCENE]
        drawn.writer.publish(b"abc", 1, 1, step=7)
        told.writer.publish(zlib.compress(encode(MOVES)), 0, 0, 0, kind=layout.SCENE, step=8)
        assert [frame.hud.step for frame in frames.frames().values()] == [7]
        assert frames.scenes() == {}
        ((key, found),) = scenes.scenes().items()
        assert key == ("p1xa", 0)
        assert (found.scene, found.hud.step) == (MOVES, 8)
        assert scenes.frames() == {}
        assert scenes.scenes() == {}
        lane.set_scenes(0, layout.NO_SCENES)
        clock.now += SECOND
        scenes.tick()
        assert scenes.watched == []
    drawn.close()
    told.close()
    lane.close()


def test_a_process_of_another_version_is_not_read_and_people_are_told(
    tmp_path: Path, lanes: list[Lane]
) -> None:
    clock = Clock()
    struct.pack_into("<I", lanes[0]._memory, 8, layout.VERSION - 1)
    with Viewer(RunFolder(tmp_path / "run"), now_nanos=clock) as viewer:
        viewer.tick()
        assert [one.row.env_index for one in viewer.watched] == [1]
        assert list(lanes[0].leases(clock.now)) == [], "nothing is written into what we cannot read"
        assert viewer.notes() == [OTHER_VERSION]
        lanes.pop(0).close()
        clock.now += SECOND
        viewer.tick()
        assert viewer.notes() == []


def test_files_that_are_no_lanes_disturb_nobody(tmp_path: Path, lanes: list[Lane]) -> None:
    (Path(lanes[0].folder) / "p5xa.lane").write_bytes(b"\xff" * layout.LANE_BYTES)
    with Viewer(RunFolder(tmp_path / "run")) as viewer:
        viewer.tick()
        assert viewer.notes() == []
        assert len(viewer.watched) == 3
    (Path(lanes[0].folder) / "p5xa.lane").unlink()
