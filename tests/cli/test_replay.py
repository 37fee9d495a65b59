"""`mosaic replay`: what it prints, what it refuses, how it exits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import av
import pytest

from mosaic.paths import DataRoot
from tests.cli.conftest import Said

SCRIPT = """
import gymnasium as gym
env = gym.make("FrozenLake-v1", is_slippery=True)
env.action_space.seed(0)
for episode in range(3):
    env.reset(seed=1 if episode == 0 else None)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        over = terminated or truncated
"""


def record(mosaic: Callable[..., Said], folder: Path) -> None:
    script = folder / "train.py"
    script.write_text(SCRIPT)
    said = mosaic("run", "--name", "lake", "--", sys.executable, str(script))
    assert said.code == 0, said.err


def test_exact_episodes_make_a_table_and_exit_code_zero(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    del root
    record(mosaic, tmp_path)
    said = mosaic("replay", "lake", "--all", "--verify")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0].split() == ["EPISODE", "STEPS", "REPLAY", "AT", "HOW"]
    assert [line.split()[::2] for line in lines[1:]] == [[str(k), "exact"] for k in range(3)]
    assert "all 3 episodes" in said.err
    assert "the episode, " in mosaic("replay", "lake", "-e", "1").err
    said = mosaic("replay", "lake", "-e", "2", "-e", "0", "--json")
    assert [json.loads(line)["episode"] for line in said.out.splitlines()] == [0, 2]

    out = tmp_path / "pictures"
    said = mosaic("replay", "lake", "-e", "1", "--png", str(out), "--from", "1", "--to", "3")
    assert said.code == 0, said.err
    assert sorted(path.name for path in out.iterdir()) == [f"step-{k:06d}.png" for k in (1, 2, 3)]
    assert mosaic("replay", "lake", "-e", "1", "--gif", str(tmp_path / "a.gif"), "--fps", "10").code == 0
    assert (tmp_path / "a.gif").read_bytes()[:3] == b"GIF"
    assert mosaic("replay", "lake", "-e", "1", "--mp4", str(tmp_path / "a.mp4")).code == 0
    with av.open(str(tmp_path / "a.mp4")) as film:
        assert film.streams.video[0].average_rate == 4  # as FrozenLake asks for

    said = mosaic("replay", "lake", "-e", "1", "--view", "scene", "--mp4", str(tmp_path / "scene.mp4"))
    assert said.code == 0, said.err
    with av.open(str(tmp_path / "scene.mp4")) as film:
        assert (film.streams.video[0].width, film.streams.video[0].height) == (384, 384)
    said = mosaic("replay", "lake", "-e", "1", "--step", "0", "--svg", str(tmp_path / "board.svg"))
    assert said.code == 0, said.err
    assert "row 1, column 1" in (tmp_path / "board.svg").read_text()
    said = mosaic("replay", "lake", "-e", "1", "--step", "1", "--png", str(tmp_path / "one.png"))
    assert (tmp_path / "one.png").read_bytes() == (out / "step-000001.png").read_bytes()
    said = mosaic("replay", "lake", "-e", "1", "--view", "text", "--to", "1")
    assert said.code == 0, said.err
    assert said.out.startswith("step 0 of ")
    assert [block.count("@") for block in said.out.strip().split("\n\n")] == [1, 1]
    assert "episode 1: exact" in said.err
    said = mosaic("replay", "lake", "-e", "1", "--view", "text", "--step", "900")
    assert said.code == 2
    assert "has the frames 0 to" in said.err


def test_a_run_without_episodes_says_so_and_exits_with_one(
    root: DataRoot, mosaic: Callable[..., Said], tmp_path: Path
) -> None:
    del root
    script = tmp_path / "idle.py"
    script.write_text("import gymnasium\n")
    assert mosaic("run", "--name", "idle", "--", sys.executable, str(script)).code == 0
    said = mosaic("replay", "idle", "--all", "--verify")
    assert said.code == 1
    assert "run idle has no episodes" in said.err
    assert "exactly" not in said.err


def test_what_cannot_be_replayed_says_why_and_exits_with_one(
    recorded: DataRoot, mosaic: Callable[..., Said]
) -> None:
    del recorded
    said = mosaic("replay", "printed", "--all")
    assert said.code == 1
    assert said.out.count("how its environment was made was not recorded") == 3
    assert "3 of 3 episodes did not replay exactly" in said.err
    said = mosaic("replay", "printed", "--episode", "0", "--mp4", "x.mp4")
    assert said.code == 1
    assert "was not recorded" in said.err


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        ((), "--episode N, or --all"),
        (("--all", "-e", "1"), "--episode N, or --all"),
        (("--all", "--mp4", "a.mp4"), "one --episode"),
        (("-e", "1", "--mp4", "a.mp4", "--gif", "a.gif"), "choose one"),
        (("-e", "1", "--from", "3"), "--from"),
        (("--all", "--view", "text"), "one --episode"),
        (("-e", "1", "--view", "text", "--json"), "is for people"),
        (("-e", "77"), "episodes 0 to 2"),
    ],
)
def test_asking_wrongly_is_answered_with_the_way_out(
    recorded: DataRoot, mosaic: Callable[..., Said], args: tuple[str, ...], hint: str
) -> None:
    del recorded
    said = mosaic("replay", "printed", *args)
    assert said.code == 2
    assert hint in said.err
