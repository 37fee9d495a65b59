"""When a frame is due, and what it costs: decided by leases and a clock, seen through a real lane."""

from __future__ import annotations

import gc
import pickle
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mosaic.fastlane.lane import Lane, Lease
from mosaic.fastlane.reader import FrameReader, SceneReader
from mosaic_worker import frames as module
from mosaic_worker.common import layout
from mosaic_worker.frames import Frames
from mosaic_worker.hooks.rendering import fit

MILLI = 1_000_000


class Track(SimpleNamespace):
    """What frames need of a track."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def track(env_index: int = 0) -> Any:
    shared = SimpleNamespace(episodes=1)
    return Track(
        env_index=env_index, group=None, shared=shared, step_count=7, total=3.5, reward=0.5, episode_id="e"
    )


class Clock:
    now = 10**12

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "_now", made)
    return made


@pytest.fixture
def frames(tmp_path: Path) -> Iterator[Frames]:
    made = Frames()
    made.start(str(tmp_path / "run"), producer=lambda: "p1xa", fit=fit, remedy=lambda _: "Buy glasses.")
    yield made
    made.close()


class Camera:
    """Counts its frames; each takes as long as the test says."""

    def __init__(self, clock: Clock, *, nanos: int = MILLI, size: int = 4) -> None:
        self.clock, self.nanos, self.size = clock, nanos, size
        self.calls = 0

    def __call__(self, env: Any) -> list[Any]:
        self.calls += 1
        self.clock.now += self.nanos
        return [np.full((self.size, self.size, 3), self.calls, np.uint8)]


def _play(frames: Frames, owner: Any, clock: Clock, *, steps: int, every: int = MILLI) -> None:
    for _ in range(steps):
        clock.now += every
        if frames.wake[0]:
            frames.stepped("env", owner)


def _lane(frames: Frames) -> Lane:
    assert frames._lane is not None
    return Lane(Path(frames._lane.path))


def test_nothing_exists_before_the_first_environment(frames: Frames) -> None:
    assert frames.wake[0] == 0
    assert frames._lane is None


def test_frames_come_as_often_as_the_lease_says_and_only_then(frames: Frames, clock: Clock) -> None:
    owner, camera = track(), Camera(clock)
    frames.add(owner, [owner], render=camera, state=layout.SHOWN)
    _play(frames, owner, clock, steps=1000)
    assert camera.calls == 0
    with _lane(frames) as lane:
        for _ in range(10):  # one second of steps, renewed as a viewer does
            lane.renew(1, Lease(fps=20), until_nanos=clock.now + 1000 * MILLI, now_nanos=clock.now)
            _play(frames, owner, clock, steps=100)
        assert 18 <= camera.calls <= 22
        before = camera.calls
    _play(frames, owner, clock, steps=3000)
    assert camera.calls <= before + 1, "at most the one that was due when the viewer left"
    assert frames.wake[0] == 0


def test_no_more_than_half_of_the_time_goes_into_frames(frames: Frames, clock: Clock) -> None:
    cameras = []
    owners = [track(n) for n in range(3)]
    for owner in owners:
        cameras.append(Camera(clock, nanos=50 * MILLI))
        frames.add(owner, [owner], render=cameras[-1], state=layout.SHOWN)
    began = clock.now
    with _lane(frames) as lane:
        for _ in range(3000):
            lane.renew(0b111, Lease(fps=200), until_nanos=clock.now + 1000 * MILLI, now_nanos=clock.now)
            for owner in owners:
                _play(frames, owner, clock, steps=1)
    spent = sum(camera.calls for camera in cameras) * 50 * MILLI
    assert spent <= 0.51 * (clock.now - began)
    assert min(camera.calls for camera in cameras) > 10, "every one gets its turn"


def test_the_price_is_told(frames: Frames, clock: Clock) -> None:
    owner, camera = track(), Camera(clock, nanos=10 * MILLI)
    frames.add(owner, [owner], render=camera, state=layout.SHOWN)
    with _lane(frames) as lane:
        reader = FrameReader(lane, 0)
        for _ in range(2000):
            lane.renew(1, Lease(fps=50), until_nanos=clock.now + 1000 * MILLI, now_nanos=clock.now)
            _play(frames, owner, clock, steps=1)
        frame = reader.latest()
        reader.close()
    assert frame is not None
    assert frame.hud.free_rate == pytest.approx(1000, rel=0.05)
    assert frame.hud.rate == pytest.approx(500, rel=0.1)
    assert frame.hud.render_secs == pytest.approx(0.01)
    assert (frame.hud.step, frame.hud.total, frame.hud.reward, frame.hud.episode_id) == (7, 3.5, 0.5, "e")


def test_a_larger_frame_makes_a_new_ring(frames: Frames, clock: Clock) -> None:
    owner, camera = track(), Camera(clock)
    frames.add(owner, [owner], render=camera, state=layout.SHOWN)
    with _lane(frames) as lane:
        reader = FrameReader(lane, 0)
        for size in (4, 200, 10):
            camera.size = size
            lane.renew(1, Lease(fps=100), until_nanos=clock.now + 1000 * MILLI, now_nanos=clock.now)
            _play(frames, owner, clock, steps=100)
            frame = reader.latest()
            assert frame is not None
            assert frame.pixels.shape == (size, size, 3)
        assert lane.epoch_of(0) == 2
        reader.close()
        assert len(list(lane.path.parent.glob("*.ring"))) == 1


def test_a_failing_frame_is_never_asked_for_again(
    frames: Frames, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = track()
    calls = []

    def broken(env: Any) -> Any:
        calls.append(env)
        raise OSError("no GL")

    frames.add(owner, [owner], render=broken, state=layout.SHOWN)
    with _lane(frames) as lane:
        for _ in range(50):
            lane.renew(1, Lease(fps=100), until_nanos=clock.now + 1000 * MILLI, now_nanos=clock.now)
            _play(frames, owner, clock, steps=10)
        assert calls == ["env"]
        assert [row.state for row in lane.rows()] == [layout.FAILED]
        assert "no GL). Buy glasses." in lane.note()
    assert capsys.readouterr().err.count("no frames") == 1


def test_rows_are_free_again_when_environments_are_closed_or_gone(frames: Frames, clock: Clock) -> None:
    kept = []
    for _ in range(layout.ROWS + 10):
        kept.append(track())
        frames.add(kept[-1], [kept[-1]], render=Camera(clock), state=layout.SHOWN)
    with _lane(frames) as lane:
        assert len(lane.rows()) == layout.ROWS
        frames.leave(kept[0])
        assert len(lane.rows()) == layout.ROWS - 1
        kept.clear()
        gc.collect()
        one = track()
        frames.add(one, [one], render=Camera(clock), state=layout.SHOWN)
        assert len(lane.rows()) == 1
        assert frames.knows(one)


def test_deciding_what_is_shown_knows_no_hook() -> None:
    assert "mosaic_worker.hooks" not in Path(module.__file__).read_text()


def test_a_process_that_belongs_to_no_run_lists_nothing() -> None:
    assert Frames().knows(track())


def test_pickled_it_is_the_one_of_the_process_it_comes_out_in() -> None:
    assert pickle.loads(pickle.dumps(module.frames)) is module.frames


def test_the_real_clock_is_the_viewers_clock() -> None:
    assert module._now is time.monotonic_ns


def test_threads_that_begin_side_by_side_share_one_lane(frames: Frames, clock: Clock) -> None:
    owners = [track(n) for n in range(16)]
    start = threading.Barrier(len(owners))

    def begin(owner: Any) -> None:
        start.wait()
        frames.add(owner, [owner], render=Camera(clock), state=layout.SHOWN)

    threads = [threading.Thread(target=begin, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with _lane(frames) as lane:
        assert sorted(row.env_index for row in lane.rows()) == list(range(16))


def test_between_two_frames_a_step_costs_a_look_at_the_clock(frames: Frames, clock: Clock) -> None:
    class Counting(weakref.WeakKeyDictionary[Any, Any]):
        asked = 0

        def get(self, *given: Any) -> Any:
            self.asked += 1
            return super().get(*given)

    owner, camera = track(), Camera(clock)
    frames.add(owner, [owner], render=camera, state=layout.SHOWN)
    scenes = frames._exhibits = Counting(frames._exhibits)
    with _lane(frames) as lane:
        lane.renew(1, Lease(fps=1), until_nanos=clock.now + 10_000 * MILLI, now_nanos=clock.now)
        _play(frames, owner, clock, steps=1000)
    assert camera.calls > 0
    assert 0 < scenes.asked < 100, "when leases are read or a frame is due, and at no other step"


def test_what_was_stepped_before_a_frame_was_due_is_shown_once_nothing_is_stepped(
    frames: Frames, clock: Clock
) -> None:
    class Env:
        pass

    owner, camera, env = track(), Camera(clock), Env()
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, env=env)
    with _lane(frames) as lane:
        lane.renew(1, Lease(fps=10), until_nanos=clock.now + 10_000 * MILLI, now_nanos=clock.now)
        _play(frames, owner, clock, steps=3)
        assert camera.calls == 1, "the first at once, the others not for another hundred milliseconds"
        frames.settle()
        assert camera.calls == 2
        frames.settle()
        assert camera.calls == 2, "nothing has moved since"


class Teller:
    """Makes scenes of a size the test says, and notes what it was given."""

    def __init__(self, data: bytes | None = b"scene") -> None:
        self.data = data
        self.given: list[Any] = []

    def __call__(self, env: Any, last: Any) -> bytes | None:
        self.given.append(last)
        return self.data


def _watch(frames: Frames, owner: Any, clock: Clock, *leases: Lease, tenths: int = 10) -> None:
    """Some tenths of a second of steps, watched by as many viewers as there are leases."""
    lanes = [_lane(frames) for _ in leases]
    for _ in range(tenths):
        for lane, lease in zip(lanes, leases, strict=True):
            lane.renew(1, lease, until_nanos=clock.now + 1000 * MILLI, now_nanos=clock.now)
        _play(frames, owner, clock, steps=100)
    for lane in lanes:
        lane.close()


def test_a_lease_of_scenes_gets_scenes_and_nothing_is_drawn(frames: Frames, clock: Clock) -> None:
    owner, camera, teller = track(), Camera(clock), Teller()
    owner.last = 5
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, make_scene=teller)
    _play(frames, owner, clock, steps=1000)
    assert teller.given == [], "unwatched, none is made"
    _watch(frames, owner, clock, Lease(fps=20, scenes=True))
    assert 18 <= len(teller.given) <= 22
    assert set(teller.given) == {5}
    assert camera.calls == 0
    with _lane(frames) as lane:
        (row,) = lane.rows()
        assert (row.epoch, row.scene_epoch, row.scenes, row.calls) == (0, 1, layout.HAS_SCENES, 0)


def test_frames_and_scenes_are_made_for_two_viewers_each_as_often_as_asked(
    frames: Frames, clock: Clock
) -> None:
    owner, camera, teller = track(), Camera(clock, nanos=100_000), Teller()
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, make_scene=teller)
    _watch(frames, owner, clock, Lease(fps=50, scenes=True), Lease(fps=5))
    assert 45 <= len(teller.given) <= 55
    assert 4 <= camera.calls <= 7
    with _lane(frames) as lane:
        (row,) = lane.rows()
        assert {row.epoch, row.scene_epoch} == {1, 2}
        found = SceneReader(lane, 0)
        assert found.latest() is None
        assert found.refused == 1, "what the teller told is no scene, and a reader looks"
        found.close()
        reader = FrameReader(lane, 0)
        frame = reader.latest()
        assert frame is not None
        assert frame.hud.step == 7
        reader.close()


def test_a_viewer_of_frames_learns_that_there_are_scenes_at_the_price_of_one(
    frames: Frames, clock: Clock
) -> None:
    owner, teller = track(), Teller()
    frames.add(owner, [owner], render=Camera(clock), state=layout.SHOWN, make_scene=teller)
    with _lane(frames) as lane:
        assert [row.scenes for row in lane.rows()] == [layout.NOT_ASKED]
    _watch(frames, owner, clock, Lease(fps=20))
    assert len(teller.given) == 1
    with _lane(frames) as lane:
        assert [row.scenes for row in lane.rows()] == [layout.HAS_SCENES]


@pytest.mark.parametrize("state", [layout.WITHOUT_FRAMES, layout.HUMAN])
def test_what_cannot_be_drawn_can_be_told(frames: Frames, clock: Clock, state: int) -> None:
    owner, camera, teller = track(), Camera(clock), Teller()
    frames.add(owner, [owner], render=camera, state=state, make_scene=teller)
    _watch(frames, owner, clock, Lease(fps=20))
    assert (len(teller.given), camera.calls) == (1, 0)
    _watch(frames, owner, clock, Lease(fps=20, scenes=True))
    assert 18 <= len(teller.given) <= 23
    assert camera.calls == 0


def test_an_environment_without_scenes_is_asked_once(frames: Frames, clock: Clock) -> None:
    owner, camera, teller = track(), Camera(clock), Teller(None)
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, make_scene=teller)
    _watch(frames, owner, clock, Lease(fps=20, scenes=True), Lease(fps=20))
    assert len(teller.given) == 1
    assert camera.calls > 15
    with _lane(frames) as lane:
        assert [row.scenes for row in lane.rows()] == [layout.NO_SCENES]


def test_a_scene_that_fails_is_said_and_frames_go_on(
    frames: Frames, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(env: Any, last: Any) -> bytes | None:
        raise RuntimeError(f"no such board: {env}")

    owner, camera = track(), Camera(clock)
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, make_scene=fail)
    _watch(frames, owner, clock, Lease(fps=20, scenes=True), Lease(fps=20))
    assert camera.calls > 15
    assert capsys.readouterr().err.count("no such board: env") == 1
    with _lane(frames) as lane:
        assert [row.scenes for row in lane.rows()] == [layout.NO_SCENES]


def test_a_larger_scene_makes_a_new_ring_and_the_old_one_goes(frames: Frames, clock: Clock) -> None:
    owner, teller = track(), Teller()
    frames.add(owner, [owner], render=Camera(clock), state=layout.SHOWN, make_scene=teller)
    _watch(frames, owner, clock, Lease(fps=20, scenes=True), tenths=2)
    teller.data = b"x" * 10_000
    _watch(frames, owner, clock, Lease(fps=20, scenes=True), tenths=2)
    teller.data = b"x" * 16_000
    _watch(frames, owner, clock, Lease(fps=20, scenes=True), tenths=2)
    with _lane(frames) as lane:
        assert [row.scene_epoch for row in lane.rows()] == [2], "there is room for a scene that has grown"
        assert [path.name for path in lane.path.parent.glob("*.ring")] == ["p1xa.0.2.ring"]
    frames.leave(owner)
    assert frames._lane is not None
    assert list(Path(frames._lane.folder).glob("*.ring")) == []


def test_who_comes_while_nothing_is_stepped_is_shown_how_it_stands_and_only_what_was_asked_for(
    frames: Frames, clock: Clock
) -> None:
    class Env:
        pass

    owner, env, camera, teller = track(), Env(), Camera(clock), Teller()
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, make_scene=teller, env=env)
    frames.settle()
    assert (camera.calls, len(teller.given)) == (0, 0)
    with _lane(frames) as lane:
        lane.renew(1, Lease(fps=1, scenes=True), until_nanos=clock.now + 9000 * MILLI, now_nanos=clock.now)
        frames.settle()
        assert (camera.calls, len(teller.given)) == (0, 1)
        clock.now += MILLI
        frames.stepped(env, owner)
        frames.settle()
        assert (camera.calls, len(teller.given)) == (0, 2)


def test_what_a_step_changed_is_shown_when_nothing_is_stepped_any_more(frames: Frames, clock: Clock) -> None:
    class Env:
        pass

    owner, env, camera, teller = track(), Env(), Camera(clock), Teller()
    frames.add(owner, [owner], render=camera, state=layout.SHOWN, make_scene=teller, env=env)
    with _lane(frames) as one, _lane(frames) as two:
        for lane, scenes in ((one, False), (two, True)):
            lane.renew(
                1, Lease(fps=1, scenes=scenes), until_nanos=clock.now + 9000 * MILLI, now_nanos=clock.now
            )
        clock.now += MILLI
        frames.stepped(env, owner)
        assert (camera.calls, len(teller.given)) == (1, 1)
        clock.now += MILLI
        frames.stepped(env, owner)  # nothing is due yet
        assert (camera.calls, len(teller.given)) == (1, 1)
        frames.settle()
        assert (camera.calls, len(teller.given)) == (2, 2)
        frames.settle()
        assert (camera.calls, len(teller.given)) == (2, 2), "it stands as it was shown"
