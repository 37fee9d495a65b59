"""What the live view watches, shows and says; with real lanes, written here instead of by a worker."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator

import msgspec
import pytest

from mosaic.paths import DataRoot
from mosaic.protocol.runs import RunRow, RunState
from mosaic.ui.live.model import Live, Phase, hud
from mosaic_worker.common import layout
from mosaic_worker.common.scene import encode
from mosaic_worker.fastlane import Lane, RingFile
from tests.render.shown import MOVES

RUN = "01JLVE0000000000000000000A"


def row(state: RunState = RunState.RUNNING, *, run_id: str = RUN, reason: str = "") -> RunRow:
    return RunRow(run_id=run_id, name="", state=state, reason=reason, created=0.0, command=["x"])


@pytest.fixture
def root(tmp_path_factory: pytest.TempPathFactory) -> DataRoot:
    return DataRoot(tmp_path_factory.mktemp("home"))


@pytest.fixture
def lane(root: DataRoot) -> Iterator[Lane]:
    made = Lane(str(root.run(RUN).path), "p1xa")
    yield made
    made.close()


@pytest.fixture
def live(root: DataRoot) -> Iterator[Live]:
    made = Live(root, settle_secs=0.0)
    yield made
    made.close()


def watched(lane: Lane) -> list[int]:
    """Which environments somebody wishes to see now."""
    return [lease.rows for lease in lane.leases(time.monotonic_ns())]


def tick(live: Live) -> bool:
    live._look_at = 0.0
    if live._viewer is not None:
        live._viewer._look_at = 0
    return live.tick()


def test_a_lease_is_held_only_while_somebody_looks_at_a_run_that_goes_on(live: Live, lane: Lane) -> None:
    lane.list_row(0, state=layout.SHOWN, env_index=0, group="")
    held = []
    changes: tuple[Callable[[], object], ...] = (
        lambda: live.show(row()),
        lambda: live.want(True),
        lambda: live.hold(True),
        lambda: live.hold(False),
        lambda: live.want(False),
        lambda: live.want(True),
        lambda: live.show(row(RunState.FINISHED)),
        lambda: live.show(row()),
        lambda: live.show(row(run_id="01JOTHER00000000000000000A")),
        lambda: live.show(row()),
        lambda: live.show(None),
    )
    for change in changes:
        change()
        tick(live)
        held.append(bool(watched(lane)))
    assert held == [False, True, False, True, False, True, False, True, False, True, False]


def test_frames_become_pixels_and_numbers(live: Live, lane: Lane) -> None:
    lane.list_row(0, state=layout.SHOWN, env_index=3, group="")
    ring = lane.new_ring(0, pixel_bytes=6, epoch=1)
    live.show(row())
    live.want(True)
    assert not tick(live)
    assert live.said().title == "Waiting for the next step"
    ring.writer.publish(
        b"abcdef", 2, 1, env_index=3, episode=1234, step=7, reward=0.5, total=9.0, rate=90.0, free_rate=100.0
    )
    lane.set_epoch(0, 1)
    assert tick(live)
    assert live.phase is Phase.SHOWING
    assert live.on_screen is not None
    assert live.on_screen.pixels is not None
    assert live.on_screen.pixels.shape == (1, 2, 3)
    numbers = dict(hud(live.on_screen, now_nanos=live.on_screen.newest.monotonic_nanos + 5_000_000))
    assert numbers["Episode"] == "1,234"
    assert (numbers["Step"], numbers["Reward"], numbers["Return"]) == ("7", "0.5", "9")
    assert (numbers["Steps/s"], numbers["Unwatched"], numbers["Price"]) == ("90", "100", "10.0 %")
    assert (numbers["Age"], numbers["Size"], numbers["Environment"]) == ("5 ms", "2 x 1", "3")
    assert not tick(live), "the same frame is not a new one"
    ring.close()


def test_several_environments_are_a_grid_or_one_of_them(live: Live, lane: Lane) -> None:
    for place in range(3):
        lane.list_row(place, state=layout.SHOWN, env_index=place, group="v")
    live.show(row())
    live.want(True)
    tick(live)
    assert (live.envs, watched(lane)) == ([0, 1, 2], [0b111])
    live.choose(env=1)
    tick(live)
    assert watched(lane) == [0b010]
    live.choose(env=None, most=2)
    tick(live)
    assert watched(lane) == [0b011]
    live.choose(env=7)
    tick(live)
    assert live.said().title == "No environment 7"


def test_the_numbers_beside_a_grid_say_whose_they_are(live: Live, lane: Lane) -> None:
    rings = []
    for place in range(2):
        lane.list_row(place, state=layout.SHOWN, env_index=place, group="v")
        rings.append(lane.new_ring(place, pixel_bytes=6, epoch=1))
    live.show(row())
    live.want(True)
    tick(live)
    for place, ring in enumerate(rings):
        ring.writer.publish(b"abcdef", 2, 1, env_index=place)
        lane.set_epoch(place, 1)
    assert tick(live)
    assert live.on_screen is not None
    assert dict(hud(live.on_screen, now_nanos=0))["Environment"] == "1 (of 2)"
    for ring in rings:
        ring.close()


def test_a_large_grid_asks_for_small_frames_and_a_few_for_whole_ones(live: Live, lane: Lane) -> None:
    sizes = []
    live.show(row())
    live.want(True)
    for count in (4, 9):
        for place in range(count):
            lane.list_row(place, state=layout.SHOWN, env_index=place, group="v")
        tick(live)  # sees how many there are
        assert live._viewer is not None
        live._viewer._renew_at = 0
        tick(live)
        sizes.append([(lease.width, lease.height) for lease in lane.leases(time.monotonic_ns())])
    assert min(sizes[0][0]) > 10_000, "any size"
    assert sizes[1] == [(400, 400)]


def test_why_there_is_no_frame_is_said(live: Live, lane: Lane) -> None:
    assert live.said().title == "No run to watch"
    live.want(True)
    live.show(row(RunState.QUEUED, reason="behind two others"))
    assert live.said() == ("The run is queued", "Behind two others.")
    live.show(row())
    tick(live)
    assert live.said().title == "Waiting for the first reset"
    live.show(row(RunState.PAUSED, reason="paused by the user"))
    assert live.said() == ("The run is paused", "Paused by the user. Frames come when it goes on.")
    live.show(row(RunState.PAUSED))
    assert live.said().text == "Frames come when it goes on."
    live.show(row())
    lane.list_row(0, state=layout.WITHOUT_FRAMES, env_index=0, group="")
    lane.note("made with render_mode='ansi'")
    tick(live)
    assert live.phase is Phase.NO_FRAME
    assert live.said() == ("No frame", "made with render_mode='ansi'")
    live.hold(True)
    assert live.said().title == "Viewing is paused"
    titles = []
    for state in (RunState.STOPPED, RunState.FINISHED, RunState.FAILED, RunState.LOST):
        live.show(row(state))
        titles.append(live.said().title.removeprefix("This run has "))
    assert titles == ["been stopped", "finished", "failed", "gone: nothing of it runs any more"]


def test_limits_are_kept(live: Live) -> None:
    live.limit(10_000.0)
    live.choose(env=None, most=10_000)
    assert (live.fps, live.most) == (240.0, 64)


def scene_lane(lane: Lane, *, state: int = layout.SHOWN) -> RingFile:
    """An environment with a scene on the lane."""
    lane.list_row(0, state=state, env_index=0, group="", scenes=layout.HAS_SCENES)
    ring = lane.new_ring(0, pixel_bytes=2000, epoch=2)
    lane.set_epoch(0, 2, kind=layout.SCENE)
    ring.writer.publish(zlib.compress(encode(MOVES)), 0, 0, 0, kind=layout.SCENE, step=3)
    return ring


def kinds(lane: Lane) -> list[int]:
    return [lease.kind for lease in lane.leases(time.monotonic_ns())]


def test_another_view_asks_for_scenes_and_keeps_the_frame_until_one_is_there(live: Live, lane: Lane) -> None:
    told = scene_lane(lane)
    drawn = lane.new_ring(0, pixel_bytes=6, epoch=1)
    drawn.writer.publish(b"abcdef", 2, 1)
    lane.set_epoch(0, 1)
    live.show(row())
    live.want(True)
    assert tick(live)
    assert (live.offered, live.view, kinds(lane)) == (("frame", "scene", "text"), "frame", [layout.PIXELS])
    live.choose_next_view()
    assert live.view == "scene"
    assert live.on_screen is not None
    assert live.on_screen.scene is None
    assert tick(live)
    assert kinds(lane) == [layout.SCENE]
    assert live.on_screen.scene == MOVES
    assert dict(hud(live.on_screen, now_nanos=time.monotonic_ns()))["Size"] == "3 x 2 cells"
    live.choose_view("text")
    assert (live.view, kinds(lane)) == ("text", [layout.SCENE]), "the lease stays"
    live.choose_view("frame")
    assert tick(live)
    assert kinds(lane) == [layout.PIXELS]
    assert live.on_screen.pixels is not None
    told.close()
    drawn.close()


def test_the_view_is_remembered_for_the_environment_not_for_the_run(live: Live, root: DataRoot) -> None:
    lake = msgspec.structs.replace(row(), env_ids=["FrozenLake-v1"])
    live.show(lake)
    live.offered = ("frame", "scene", "text")
    live.choose_view("scene")
    other = Live(root, views=live.views)
    other.show(msgspec.structs.replace(lake, run_id="01JLVE0000000000000000000B"))
    other.offered = live.offered
    assert other.view == "scene"
    other.show(row(run_id="01JLVE0000000000000000000C"))
    other.offered = live.offered
    assert other.view == "frame"
    other.close()


def test_what_cannot_be_drawn_is_shown_as_a_scene_without_being_asked(live: Live, lane: Lane) -> None:
    ring = scene_lane(lane, state=layout.WITHOUT_FRAMES)
    lane.note("no render mode")
    live.show(row())
    live.want(True)
    tick(live)
    assert (live.offered, live.view) == (("scene", "text"), "scene")
    assert tick(live)
    assert live.phase is Phase.SHOWING
    assert live.on_screen is not None
    assert live.on_screen.scene == MOVES
    ring.close()
