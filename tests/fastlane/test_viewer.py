"""One viewer, several processes' lanes, a clock of our own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mosaic.fastlane.lane import Wish
from mosaic.fastlane.viewer import Viewer
from mosaic.paths import RunFolder
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane

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
    with Viewer(RunFolder(tmp_path / "run"), wish=Wish(fps=10), now_nanos=clock) as viewer:
        viewer.tick()
        assert [place.row.env_index for place in viewer.places] == [0, 1, 2]
        assert [lease.rows for lane in lanes for lease in lane.leases(clock.now)] == [0b11, 0b1]
        assert viewer.frames() == {}
        for ring, lane, row in zip(rings, lanes, (1, 0), strict=True):
            ring.writer.publish(b"abc", 1, 1, env_index=row)
            lane.set_epoch(row, 1)
        assert set(viewer.frames()) == {("p0xa", 1), ("p1xa", 0)}
        assert viewer.frames() == {}
    assert [list(lane.leases(clock.now)) for lane in lanes] == [[], []], "wishes are taken back"
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
        assert [place.row.env_index for place in viewer.places] == [0, 1]


def test_wishes_are_renewed_before_they_run_out_and_not_when_we_stop_ticking(
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
        assert [place.row.env_index for place in viewer.places] == [1, 7]
        assert viewer.notes() == ["why not"]


def test_environments_without_pictures_are_counted_but_not_asked_for(tmp_path: Path) -> None:
    lane = Lane(str(tmp_path / "run"), "p1xa")
    for row, state in enumerate((layout.HUMAN, layout.FAILED, layout.WITHOUT_PICTURES)):
        lane.list_row(row, state=state, env_index=row, group="")
    with Viewer(RunFolder(tmp_path / "run")) as viewer:
        viewer.tick()
        assert (viewer.places, viewer.count()) == ([], 3)
        assert lane.wake[0] == 0
    lane.close()


def test_files_that_are_no_lanes_disturb_nobody(tmp_path: Path, lanes: list[Lane]) -> None:
    (Path(lanes[0].folder) / "p5xa.lane").write_bytes(b"\xff" * layout.LANE_BYTES)
    with Viewer(RunFolder(tmp_path / "run")) as viewer:
        viewer.tick()
        assert len(viewer.places) == 3
    (Path(lanes[0].folder) / "p5xa.lane").unlink()
