"""A lane from both sides: rows one way, leases the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from mosaic.errors import ProtocolError
from mosaic.fastlane.lane import Lane, Lease, Row
from mosaic_worker.common import layout
from mosaic_worker.fastlane import Lane as WorkerLane

SECOND = 1_000_000_000


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerLane]:
    lane = WorkerLane(str(tmp_path / "run"), "p1xa")
    yield lane
    lane.close()


def test_a_viewer_sees_the_rows_a_worker_lists(worker: WorkerLane) -> None:
    with Lane(Path(worker.path)) as lane:
        assert lane.rows() == []
        worker.list_row(3, state=layout.SHOWN, env_index=7, group="v0")
        worker.set_epoch(3, 2)
        worker.set_epoch(3, 5, kind=layout.SCENE)
        worker.count_call(3, 11)
        assert lane.rows() == [Row(3, 2, 5, layout.SHOWN, 7, 11, layout.NOT_ASKED, "v0")]
        assert (lane.epoch_of(3), lane.epoch_of(3, kind=layout.SCENE)) == (2, 5)
        worker.set_scenes(3, layout.HAS_SCENES)
        assert [row.scenes for row in lane.rows()] == [layout.HAS_SCENES]
        assert lane.alive
        worker.set_state(3, layout.FREE)
        assert lane.rows() == []


def test_a_lease_is_in_force_until_it_runs_out_or_is_ended(worker: WorkerLane) -> None:
    assert worker.wake[0] == 0
    with Lane(Path(worker.path)) as lane:
        assert lane.renew(
            0b101, Lease(fps=50, width=320, height=200), until_nanos=5 * SECOND, now_nanos=4 * SECOND
        )
        assert worker.wake[0] == 1
        (lease,) = worker.leases(4 * SECOND)
        assert (lease.period_nanos, lease.rows, lease.width, lease.height) == (SECOND // 50, 0b101, 320, 200)
        assert lease.kind == layout.PIXELS
        assert list(worker.leases(5 * SECOND)) == []
        lane.renew(1, Lease(scenes=True), until_nanos=5 * SECOND, now_nanos=4 * SECOND)
        assert [lease.kind for lease in worker.leases(4 * SECOND)] == [layout.SCENE]
    assert list(worker.leases(4 * SECOND)) == []


def test_a_lease_of_a_kind_nobody_knows_is_not_in_force(worker: WorkerLane) -> None:
    layout.LEASE.pack_into(worker._memory, layout.LEASES_AT, 2 * SECOND, 9, SECOND, 1, 0, 0, 2)
    assert list(worker.leases(SECOND)) == []


def test_leases_are_kept_within_bounds_whatever_they_say(worker: WorkerLane) -> None:
    with Lane(Path(worker.path)) as lane:
        lane.renew(1, Lease(fps=1e9), until_nanos=SECOND, now_nanos=0)
        (lease,) = worker.leases(1)
        assert lease.period_nanos == layout.SHORTEST_PERIOD_NANOS
        assert (lease.width, lease.height) == (layout.MAX_SIDE, layout.MAX_SIDE)
        lane.renew(1, Lease(), until_nanos=1 << 63, now_nanos=0)
        assert list(worker.leases(1)) == [], "a lease for ever is none"


def test_viewers_have_slots_of_their_own_and_the_ninth_is_refused(worker: WorkerLane) -> None:
    lanes = [Lane(Path(worker.path)) for _ in range(layout.VIEWERS + 1)]
    answers = [
        lane.renew(1, Lease(fps=n + 1), until_nanos=SECOND, now_nanos=1) for n, lane in enumerate(lanes)
    ]
    assert answers == [True] * layout.VIEWERS + [False]
    assert len(list(worker.leases(1))) == layout.VIEWERS
    lanes[0].close()
    assert lanes[-1].renew(1, Lease(), until_nanos=SECOND, now_nanos=1)
    for lane in lanes:
        lane.close()


def test_the_first_note_stays(worker: WorkerLane) -> None:
    with Lane(Path(worker.path)) as lane:
        assert lane.note() == ""
        worker.note("no display")
        worker.note("something else")
        assert lane.note() == "no display"


def test_garbage_in_a_lane_harms_neither_side(worker: WorkerLane) -> None:
    dice = random.Random(5)
    with Lane(Path(worker.path)) as lane:
        for _ in range(300):
            at = layout.LEASES_AT
            worker._memory[at:] = dice.randbytes(layout.LANE_BYTES - at)
            lane.rows()
            lane.note()
            for lease in worker.leases(dice.getrandbits(63)):
                assert lease.period_nanos >= layout.SHORTEST_PERIOD_NANOS
            lane.renew(1, Lease(), until_nanos=1, now_nanos=1)


@pytest.mark.parametrize(
    "content", [b"", b"x", b"MOSAICLN", bytes(layout.LANE_BYTES), b"\xff" * layout.LANE_BYTES]
)
def test_what_is_no_lane_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p1xa.lane"
    path.write_bytes(content)
    with pytest.raises(ProtocolError):
        Lane(path)
