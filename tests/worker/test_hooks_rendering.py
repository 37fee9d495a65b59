"""Frames of real environments in real recorded processes: only when watched, no trace in the script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mosaic.fastlane.lane import Lease
from mosaic.fastlane.reader import Frame
from mosaic.fastlane.viewer import Viewer
from mosaic.paths import RunFolder
from mosaic_worker.common import layout
from mosaic_worker.hooks import rendering
from tests.worker.reading import lines_of, record
from tests.worker.watching import PREAMBLE, playing, watch


def some(count: int) -> Callable[[Viewer, dict[Any, Frame]], bool]:
    """Until that many environments have shown a frame of a later episode, with a speed."""
    return lambda _, newest: sum(f.hud.rate > 0 and f.hud.episode > 0 for f in newest.values()) >= count


ENDING = """
base = env.unwrapped
print(json.dumps({'calls': Painted.calls, 'mode': base.render_mode, 'own': base.render()}))
"""


def test_unwatched_not_a_single_render_call_is_made(tmp_path: Path) -> None:
    script = PREAMBLE + (
        "env = gym.make('Painted-v0', disable_env_checker=True)\n"
        "for _ in range(100):\n"
        "    env.reset()\n"
        "    while not env.step(0)[2]: pass\n"
        "print(json.dumps(Painted.calls))"
    )
    done = record(tmp_path, script)
    assert done.said == 0, done.stderr
    assert len(done.events("episode")) == 100


def test_watched_frames_show_the_step_they_name_and_the_script_sees_no_difference(tmp_path: Path) -> None:
    script = f"env = gym.make('Painted-v0', disable_env_checker=True)\nuntil_told(env)\n{ENDING}"
    with playing(tmp_path, script) as player:
        (frame,) = watch(player.run, some(1)).values()
        assert frame.pixels.shape == (6, 8, 3)
        assert set(np.unique(frame.pixels)) == {frame.hud.step}
        assert frame.hud.total == 0.5 * frame.hud.step
        assert frame.hud.reward == 0.5
        assert frame.hud.free_rate >= frame.hud.rate > 0
        assert frame.hud.episode_id.endswith(f".e0.{frame.hud.episode}")
        said = player.end()
    assert said["calls"] > 0
    assert (said["mode"], said["own"]) == (None, "nothing")
    first = next(e for e in _events(player.run) if e["type"] == "reset")
    assert first["env"]["kwargs"] == {}, "the record says what the script asked for"


def _events(run: RunFolder) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in sorted(run.journal.glob("*")) for line in lines_of(path.read_bytes())
    ]


def test_rendering_ends_when_the_viewer_leaves_even_by_dying(tmp_path: Path) -> None:
    script = f"env = gym.make('Painted-v0', disable_env_checker=True)\nuntil_told(env)\n{ENDING}"
    viewing = """
import sys, time
from pathlib import Path
from mosaic.fastlane.viewer import Viewer
from mosaic.paths import RunFolder
viewer = Viewer(RunFolder(Path(sys.argv[1])))
while True:
    viewer.tick()
    if viewer.frames():
        print("frame", flush=True)
    time.sleep(0.01)
"""
    with playing(tmp_path, script) as player:
        viewer = subprocess.Popen(
            [sys.executable, "-c", viewing, str(player.run.path)], stdout=subprocess.PIPE, text=True
        )
        assert viewer.stdout is not None
        assert viewer.stdout.readline() == "frame\n"
        viewer.kill()
        viewer.communicate()
        with Viewer(player.run, env=99) as counting:  # asks for nothing, but sees the worker's own count
            before = -1
            while True:
                counting._look_at = 0
                counting.tick()
                calls = [row.calls for lane in counting._lanes.values() for row in lane.rows()]
                if calls == [before]:
                    break
                before = calls[0]
                time.sleep(1.5)  # longer than a lease
        assert player.end()["calls"] == before


def test_a_failing_render_is_said_once_with_a_remedy_and_the_training_goes_on(tmp_path: Path) -> None:
    script = """
    class Broken(Painted):
        def render(self):
            Painted.calls += 1
            raise RuntimeError("no display")
    env = Broken()
    until_told(env)
    print(json.dumps({"calls": Painted.calls}))
    """
    with playing(tmp_path, script) as player:
        notes: list[str] = []

        def failed(viewer: Viewer, _: Any) -> bool:
            notes.extend(viewer.notes())
            return bool(notes)

        watch(player.run, failed)
        assert "RuntimeError: no display" in notes[0]
        assert "SDL_VIDEODRIVER=dummy" in notes[0]
        assert player.end()["calls"] == 1
    assert player.stderr.count("no frames") == 1
    assert "hook_errors" not in _events(player.run)[-1]


@pytest.mark.parametrize(
    ("made", "record_option", "said"),
    [
        ("Painted(render_mode='human')", "{}", "window"),
        ("gym.make('Blackjack-v1', sab=True) and Plain()", "{}", "no render mode"),
        ("Painted()", '{"render_inject": false}', "render_inject"),
    ],
)
def test_environments_that_cannot_or_must_not_be_shown_are_left_alone_and_viewers_told(
    tmp_path: Path, made: str, record_option: str, said: str
) -> None:
    script = f"""
    class Plain(Painted):
        metadata = {{}}
    env = {made}
    until_told(env)
    print(json.dumps({{"calls": Painted.calls}}))
    """
    with playing(tmp_path, script, MOSAIC_RECORD=record_option) as player:
        notes: list[str] = []

        def told(viewer: Viewer, _: Any) -> bool:
            notes.extend(viewer.notes())
            return bool(notes)

        watch(player.run, told)
        assert said in notes[0]
        assert player.end()["calls"] == 0


@pytest.mark.parametrize("mode", ["sync", "async", "vector_entry_point"])
def test_each_environment_of_a_vector_one_has_its_frames(tmp_path: Path, mode: str) -> None:
    script = f"""
    if __name__ == "__main__":
        env = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="{mode}")
        env.reset(seed=1)
        print("ready", flush=True)
        import threading
        over = threading.Event()
        threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
        while not over.is_set():
            env.step(np.ones(3, int))
        env.close()
        print("{{}}")
    """
    with playing(tmp_path, script) as player:
        newest = watch(player.run, some(3))
        assert sorted(frame.hud.env_index for frame in newest.values()) == [0, 1, 2]
        assert {frame.pixels.shape for frame in newest.values()} == {(400, 600, 3)}
        assert len({key[0] for key in newest}) == (3 if mode == "async" else 1)
        (one,) = watch(player.run, some(1), env=2).values()
        assert one.hud.env_index == 2
        player.end()
    assert not list(Path(layout.shared_memory()).glob("run/*")), "nothing is left"


def test_watching_changes_nothing_that_is_recorded(tmp_path: Path) -> None:
    script = """
    import os, time
    from mosaic_worker.frames import frames
    env = gym.make("CartPole-v1")
    env.reset(seed=5)
    print("ready", flush=True)
    while "WATCHED" in os.environ and not frames.wake[0]:
        time.sleep(0.01)
    env.action_space.seed(1)
    for n in range(400):
        if env.step(env.action_space.sample())[2]:
            env.reset()
        time.sleep(0.002)
    sys.stdin.readline()  # the last frame stays until then
    env.close()
    print("{}")
    """
    found = []
    for name in ("watched", "alone"):
        folder = tmp_path / name
        folder.mkdir()
        with playing(folder, script, **({"WATCHED": "1"} if name == "watched" else {})) as player:
            if name == "watched":
                assert watch(player.run, lambda _, newest: bool(newest))
            player.end()
        volatile = ("t", "t_start", "t_end", "episode_id", "seq")
        found.append(
            [
                {k: v for k, v in event.items() if k not in volatile}
                for event in _events(player.run)
                if event["type"] in ("reset", "step", "episode")
            ]
        )
    assert found[0] == found[1]


def test_a_watched_script_still_ends_by_sigterm(tmp_path: Path) -> None:
    with playing(tmp_path, "env = gym.make('CartPole-v1')\nuntil_told(env)") as player:
        watch(player.run, lambda _, newest: bool(newest))
        player.process.send_signal(signal.SIGTERM)
        assert player.process.wait(timeout=60) == -signal.SIGTERM


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (np.zeros((4, 6, 3), np.uint8), (6, 4, 3, 0)),
        (np.zeros((4, 6), np.uint8), (6, 4, 1, 0)),
        (np.zeros((6, 4, 3), np.uint8).transpose(1, 0, 2), (6, 4, 3, layout.TRANSPOSED)),
        (np.zeros((8, 12, 3), np.uint8)[::2, ::2], (6, 4, 3, 0)),
        ([np.zeros((4, 6, 4), np.uint8)], (6, 4, 4, 0)),
    ],
)
def test_frames_of_any_layout_fit(frame: Any, expected: tuple[int, ...]) -> None:
    pixels, *rest = rendering.fit(frame, 0, 0)
    assert tuple(rest) == expected
    assert memoryview(pixels).c_contiguous


@pytest.mark.parametrize(
    ("height", "width", "fitted"),
    [(400, 600, (200, 300)), (600, 400, (300, 200)), (320, 320, (320, 320)), (321, 10, (161, 5))],
)
def test_larger_frames_are_made_smaller_by_the_side_that_needs_it(
    height: int, width: int, fitted: tuple[int, int]
) -> None:
    pixels, across, down, *_ = rendering.fit(np.zeros((height, width, 3), np.uint8), 320, 320)
    assert (down, across) == fitted
    assert pixels.shape[:2] == fitted


@pytest.mark.parametrize(
    "frame", [None, "text", np.zeros((4, 6, 3)), np.zeros((4, 6, 2), np.uint8), np.zeros(3, np.uint8)]
)
def test_what_is_not_a_frame_is_refused(frame: Any) -> None:
    with pytest.raises(TypeError, match="render gave"):
        rendering.fit(frame, 0, 0)


class Old:
    """As environments were before `render_mode`."""

    metadata = {"render.modes": ["human", "rgb_array"]}  # noqa: RUF012  (as environments have it)
    asked: Any = None

    @property
    def unwrapped(self) -> Old:
        return self

    def render(self, mode: str = "human") -> Any:
        self.asked = mode
        return np.zeros((4, 6, 3), np.uint8)


def test_an_environment_of_the_old_kind_is_asked_by_argument() -> None:
    env = Old()
    assert rendering._state(env) == (layout.SHOWN, "")
    (frame,) = rendering.render(env)
    assert (frame.shape, env.asked) == ((4, 6, 3), "rgb_array")
    assert not hasattr(env, "render_mode")


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "mujoco", types.ModuleType("mujoco"))


class Robot:
    """As MuJoCo environments are: they look for a way to draw when they first do."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012
    render_mode = None
    found: Any = None

    @property
    def unwrapped(self) -> Robot:
        return self

    def render(self) -> Any:
        self.found = os.environ.get("MUJOCO_GL")
        return np.zeros((4, 6, 3), np.uint8)


@pytest.mark.usefixtures("no_screen")
def test_mujoco_without_a_screen_draws_by_egl_and_nothing_of_it_stays() -> None:
    env = Robot()
    env.mujoco_renderer = object()  # type: ignore[attr-defined]
    rendering.render(env)
    assert env.found == "egl"
    assert "MUJOCO_GL" not in os.environ


@pytest.mark.usefixtures("no_screen")
def test_what_draws_with_mujoco_in_ways_we_do_not_know_is_not_tried_without_a_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = Robot()
    with pytest.raises(rendering.HopelessError, match="no display"):
        rendering.render(env)
    assert env.found is None
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    rendering.render(env)
    assert env.found == "osmesa"


LAKE = """
env = gym.make('FrozenLake-v1', is_slippery=False)
until_told(env)
print(json.dumps(None))
"""
BOARD = """
from pettingzoo.classic import connect_four_v3
env = connect_four_v3.env()
env.reset(seed=1)
print("ready", flush=True)
import threading
over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
turn = 0
while not over.is_set():
    if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
        env.reset()
        turn = 0
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(int(np.flatnonzero(mask)[turn % mask.sum()]))
    turn += 1
print(json.dumps(None))
"""


def scenes(run: RunFolder, *, count: int) -> list[Any]:
    """So many scenes of a running script."""
    found: list[Any] = []
    with Viewer(run, lease=Lease(fps=200, scenes=True)) as viewer:
        while len(found) < count:
            viewer.tick()
            found += viewer.scenes().values()
            time.sleep(0.002)
    return found


def test_scenes_of_a_running_environment_come_to_whoever_asks_for_them(tmp_path: Path) -> None:
    with playing(tmp_path, LAKE) as player:
        found = scenes(player.run, count=5)
        (frame,) = watch(player.run, lambda _, newest: bool(newest)).values()
        player.end()
    assert all(one.scene.says.startswith("Frozen lake, 4 by 4.") for one in found)
    assert len({one.scene.says for one in found}) > 1
    for one in found:  # always down: as many rows as steps, until it falls into the hole
        assert f"row {one.hud.step + 1}, column 1" in one.scene.says
    assert frame.pixels.shape == (256, 256, 3)


def test_a_board_that_cannot_be_drawn_is_told_with_its_last_move(tmp_path: Path) -> None:
    with playing(tmp_path, BOARD) as player:
        found = scenes(player.run, count=5)
        player.end()
    marked = [
        [item for item in one.scene.items if item[3] == "mark.last.dot"] for one in found if one.hud.step
    ]
    assert marked
    assert all(len(dots) == 1 for dots in marked)
    assert all("Last move: column" in one.scene.says for one in found if one.hud.step)
