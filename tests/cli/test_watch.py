"""`mosaic watch` on real runs: frames on disk, and nothing left in shared memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from mosaic.app import run_index
from mosaic.paths import DataRoot
from mosaic.runs.folder import read_proc
from mosaic_worker.common import layout
from tests.cli.conftest import Said
from tests.fastlane.test_png import _decode

PLAY = """
import sys, gymnasium as gym
count = int(sys.argv[1])
one = {"id": "CartPole-v1"}
env = gym.make(**one) if count == 1 else gym.make_vec(**one, num_envs=count, vectorization_mode="sync")
env.reset(seed=1)
while True:
    result = env.step(env.action_space.sample())
    if count == 1 and (result[2] or result[3]):
        env.reset()
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "play.py"
    path.write_text(PLAY)
    return path


@pytest.mark.parametrize(("count", "size"), [(1, (600, 400)), (4, (1202, 802))])
def test_thirty_frames_of_an_unmodified_script_are_saved(
    root: DataRoot,
    mosaic: Callable[..., Said],
    script: Path,
    tmp_path: Path,
    count: int,
    size: tuple[int, int],
) -> None:
    del root
    assert mosaic("run", "--detach", "--", sys.executable, str(script), str(count)).code == 0
    said = mosaic("watch", "last", "--fps", "60", "--png", str(tmp_path / "out"), "--frames", "30")
    assert said.code == 0, said.err
    assert said.out.startswith("30 frames in")
    assert "episode" in said.err
    frames = sorted((tmp_path / "out").glob("*.png"))
    assert [path.name for path in frames] == [f"frame-{n:05d}.png" for n in range(1, 31)]
    for path in frames[::10]:
        width, height, channels, pixels = _decode(path.read_bytes())
        assert (width, height, channels) == (*size, 3)
        # The track is one black line across each frame, the cart a black box, the rest white.
        row = pixels[299 * width * 3 : 300 * width * 3]
        assert row.count(0) > 0.9 * len(row)
        assert pixels[: width * 3 * 20].count(255) > 0.98 * width * 3 * 20
    one = mosaic("watch", "last", "--env", str(count - 1), "--png", str(tmp_path / "one"), "--frames", "1")
    assert one.code == 0, one.err
    assert _decode((tmp_path / "one" / "frame-00001.png").read_bytes())[:2] == (600, 400)
    assert mosaic("stop", "last").code == 0


LAKE = """
import time, gymnasium as gym
env = gym.make("FrozenLake-v1", is_slippery=False)
env.reset(seed=1)
while True:
    time.sleep(0.01)
    if env.step(1)[2]:
        env.reset()
"""


def test_scenes_are_printed_as_text_or_saved_and_what_has_none_says_so(
    root: DataRoot, mosaic: Callable[..., Said], script: Path, tmp_path: Path
) -> None:
    del root
    lake = tmp_path / "lake.py"
    lake.write_text(LAKE)
    assert mosaic("run", "--detach", "--", sys.executable, str(lake)).code == 0
    said = mosaic("watch", "last", "--view", "text", "--frames", "3")
    assert said.code == 0, said.err
    assert [block.count("@") for block in said.out.strip().split("\n\n")] == [1, 1, 1]
    assert "4 by 4 cells" in said.out
    out = tmp_path / "out"
    said = mosaic("watch", "last", "--view", "scene", "--frames", "2", "--png", str(out))
    assert said.code == 0, said.err
    assert said.out.startswith("2 scenes in")
    assert _decode((out / "frame-00001.png").read_bytes())[:3] == (384, 384, 3)
    said = mosaic("watch", "last", "--view", "text", "--png", str(out))
    assert said.code == 2
    assert "take --view scene" in said.err
    assert mosaic("stop", "last").code == 0
    assert mosaic("run", "--detach", "--", sys.executable, str(script), "1").code == 0
    said = mosaic("watch", "last", "--view", "text")
    assert said.code == 1
    assert "no scene of what this run plays. Without --view its frames are shown" in said.err
    assert mosaic("stop", "last").code == 0


def test_nothing_is_left_after_killing_everything_and_starting_a_daemon(
    root: DataRoot, mosaic: Callable[..., Said], script: Path
) -> None:
    assert mosaic("run", "--detach", "--", sys.executable, str(script), "1").code == 0
    assert mosaic("watch", "last", "--frames", "3").code == 0
    (row,) = run_index.rows(root)
    folder = root.run(row.run_id)
    shared = Path(layout.shared_memory()) / row.run_id
    assert {path.suffix for path in shared.iterdir()} == {".lane", ".ring"}
    proc = read_proc(folder)
    assert proc is not None
    assert proc.worker_pid is not None
    daemon = int(json.loads(root.daemon_info.read_text())["pid"])
    ingest = [child.pid for child in psutil.Process(daemon).children()]
    victims = [daemon, *ingest, proc.shim_pid, proc.worker_pid]
    for pid in dict.fromkeys(victims):
        os.kill(pid, signal.SIGKILL)
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in victims):
        time.sleep(0.01)
    assert shared.exists()
    assert mosaic("daemon", "start").code == 0
    assert not shared.exists()


def test_a_run_that_has_ended_has_nothing_to_watch(recorded: DataRoot, mosaic: Callable[..., Said]) -> None:
    del recorded
    said = mosaic("watch", "last")
    assert said.code == 2
    assert "has ended" in said.err


def test_a_run_without_environments_says_what_is_waited_for_and_why_there_was_nothing(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    del root
    over = tmp_path / "over"
    code = f"import os, time\nwhile not os.path.exists({str(over)!r}): time.sleep(0.05)"
    assert mosaic("run", "--detach", "--", sys.executable, "-c", code).code == 0
    with subprocess.Popen(
        [sys.executable, "-m", "mosaic", "watch", "last"], stderr=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stderr is not None
        assert watching.stderr.readline() == "mosaic: waiting for the run to reset its first environment …\n"
        over.touch()
        said = watching.stderr.read()
    assert watching.returncode == 1
    assert "no frame" in said
