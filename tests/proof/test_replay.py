"""Replay as promised: unmodified scripts, a real daemon, the command line; every episode, every pixel."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import av
import pytest

from mosaic import replay
from mosaic.paths import DataRoot
from mosaic.replay.resimulator import Resimulator
from mosaic.store.reader import StoreReader
from tests.acceptance import Workbench, workbench
from tests.envs import python_of
from tests.replay.envs import LUCKY, LUCKY_LOOP
from tests.replay.recorded import LOOP, VECTOR, record

CLASSIC = {
    "CartPole": ('"CartPole-v1"', "", 300),
    "MountainCarContinuous": ('"MountainCarContinuous-v0"', "", 120),
    "FrozenLake": ('"FrozenLake-v1", is_slippery=True', "", 100),
    "Taxi": ('"Taxi-v4"', "", 200),
}
HEAVIER = {
    "LunarLander": ('"LunarLander-v3"', "", 500),
    "DoorKey": ('"MiniGrid-DoorKey-5x5-v0"', "import minigrid", 250),
    "HalfCheetah": ('"HalfCheetah-v5"', "", 150),
    "Pong": ('"ALE/Pong-v5"', "import ale_py", 300),
}
NO_SHARED_MEMORY = ', vector_kwargs={"shared_memory": False}'
WAYS = ["seeded", "unseeded", "sync", "async"]


def script(make: str, imports: str, steps: int, way: str) -> str:
    if way in ("sync", "async"):
        more = NO_SHARED_MEMORY if way == "async" and "MiniGrid" in make else ""
        return VECTOR.format(make=make, imports=imports, num_envs=4, mode=way, seed=3, steps=steps, more=more)
    return LOOP.format(
        make=make, imports=imports, steps=steps, seed=7 if way == "seeded" else None, episodes=3
    )


def assert_exact(bench: Workbench, python: object, source: str) -> None:
    file = bench.home.parent / "train.py"
    file.write_text(source)
    done = bench.call("run", "--", str(python), file)
    assert done.returncode == 0, done.stderr
    verified = bench.call("replay", "last", "--all", "--verify", "--json")
    verdicts = [json.loads(line) for line in verified.stdout.splitlines()]
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert {verdict["status"] for verdict in verdicts} == {"exact"}
    assert len(verdicts) >= 3
    assert sum(verdict["steps"] for verdict in verdicts) == bench.show()["steps"] > 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """One data root and daemon for the runs of this file that do not mind each other."""
    home = tmp_path_factory.mktemp("replays") / "home"
    home.mkdir(mode=0o700)
    with workbench(home, MUJOCO_GL="egl", SDL_VIDEODRIVER="dummy") as bench:
        yield bench


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CLASSIC)
def test_every_episode_of_an_unmodified_script_replays_exactly(
    shared: Workbench, name: str, way: str
) -> None:
    assert_exact(shared, sys.executable, script(*CLASSIC[name], way))


@pytest.mark.frameworks
@pytest.mark.timeout(900)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HEAVIER)
def test_so_it_does_for_simulators_and_emulators(shared: Workbench, name: str, way: str) -> None:
    assert_exact(shared, python_of("envs"), script(*HEAVIER[name], way))


def test_true_chance_is_told_apart_with_the_step_and_the_values(home: Path) -> None:
    (home.parent / "lucky.py").write_text(LUCKY)
    (home.parent / "train.py").write_text(LUCKY_LOOP)
    with workbench(home) as bench:
        assert bench.call("run", "--", sys.executable, home.parent / "train.py").returncode == 0
        refused = bench.call("replay", "last", "--all", "--verify")
        assert refused.returncode == 2
        assert "--allow-import lucky" in refused.stderr
        done = bench.call("replay", "last", "--all", "--verify", "--json", "--allow-import", "lucky")
    assert done.returncode == 1
    for verdict in map(json.loads, done.stdout.splitlines()):
        assert (verdict["status"], verdict["step"], verdict["what"]) == ("diverged", 3, "obs[1]")
        assert float(verdict["recorded"]) != float(verdict["now"])


def test_twenty_seven_replays_give_the_same_pixels(home: Path) -> None:
    with workbench(home) as bench:
        (home.parent / "train.py").write_text(script('"CartPole-v1"', "", 25, "unseeded"))
        assert bench.call("run", "--", sys.executable, home.parent / "train.py").returncode == 0
        folder = DataRoot(home).run(bench.show()["run_id"])
    digests = set()
    for _ in range(27):
        with replay.open(folder, 2) as player:
            digest = hashlib.sha256()
            for frame in player.play(0):
                digest.update(frame.rgb)
            digests.add(digest.hexdigest())
    assert len(digests) == 1


def test_a_branch_replays_exactly_and_differs_only_by_its_actions(home: Path) -> None:
    with workbench(home) as bench:
        (home.parent / "train.py").write_text(script('"CartPole-v1"', "", 200, "unseeded"))
        assert (
            bench.call("run", "--name", "parent", "--", sys.executable, home.parent / "train.py").returncode
            == 0
        )
        actions = home.parent / "actions.json"
        actions.write_text("[0, 0, 0]")
        done = bench.call("branch", "parent", "--episode", "1", "--step", "6", "--policy", actions)
        assert done.returncode == 0, done.stdout + done.stderr
        assert bench.call("replay", "last", "--all", "--verify").returncode == 0
        before, after = bench.ask("steps", "parent", "1"), bench.ask("steps", "last", "0")
        names = ("action", "reward", "terminated", "truncated", "obs")
        assert [[s[n] for n in names] for s in after[:6]] == [[s[n] for n in names] for s in before[:6]]
        assert [step["action"] for step in after[6:]] == [0, 0, 0]
        parent = json.loads(bench.call("show", "parent", "--json").stdout)
        branch = bench.show()
        assert branch["parent"] == parent["run_id"]
        assert not list(DataRoot(home).branches.iterdir())


def test_a_video_has_one_frame_more_than_the_episode_has_steps(home: Path) -> None:
    with workbench(home) as bench:
        (home.parent / "train.py").write_text(script('"CartPole-v1"', "", 200, "seeded"))
        assert bench.call("run", "--", sys.executable, home.parent / "train.py").returncode == 0
        film = home.parent / "film.mp4"
        done = bench.call("replay", "last", "--episode", "1", "--mp4", film)
        assert done.returncode == 0, done.stderr
        steps = len(bench.ask("steps", "last", "1"))
    with av.open(str(film)) as container:
        assert sum(1 for _ in container.decode(video=0)) == steps + 1


def test_all_that_replay_needs_takes_at_most_sixteen_bytes_a_step(home: Path) -> None:
    source = """
    import gymnasium as gym
    import numpy as np
    chance = np.random.default_rng(1)
    env = gym.make("CartPole-v1")
    obs, _ = env.reset()
    for _ in range(20_000):
        balanced = int(3 * obs[2] + obs[3] > 0)
        action = balanced if chance.random() > 0.15 else int(chance.integers(2))
        obs, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            obs, _ = env.reset()
    """
    folder = record(home, source)
    with StoreReader(folder) as reader:
        assert reader.summary().steps == 20_000
        with Resimulator(folder, reader) as resimulator:
            assert resimulator.judge(reader.episode(3)).exact
    assert folder.store.stat().st_size / 20_000 <= 16
