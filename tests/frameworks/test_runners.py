"""The other runners, each the whole way, from install to stop; and what the preflight refuses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.acceptance import workbench
from tests.envs import python_of
from tests.frameworks.journey import WORKBENCH, Journey, install, make_journey, ok, replay, shown

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(1800)]
SCRIPTS = Path(__file__).parents[1] / "scripts"
SB3 = {
    "rollout/ep_rew_mean": "return",
    "rollout/ep_len_mean": "length",
    "time/fps": "sps",
    "train/learning_rate": "lr",
}
JOURNEYS = [
    Journey(
        "tabular/q_learning",
        "FrozenLake-v1",
        steps=3000,
        words=("env.is_slippery=false",),
        metrics={"rollout/ep_rew_mean": "return"},
    ),
    Journey("tabular/sarsa", "Taxi-v4", steps=3000, metrics={"rollout/ep_rew_mean": "return"}),
    Journey("sb3/ppo", steps=2048, words=("n_steps=512", "--envs", "2"), metrics=SB3),
    Journey("sbx/ppo", steps=2048, words=("n_steps=512",), metrics=SB3),
]


@pytest.mark.parametrize("journey", JOURNEYS, ids=[journey.target for journey in JOURNEYS])
def test_a_runner_goes_the_whole_way(home: Path, journey: Journey) -> None:
    with workbench(home, **WORKBENCH) as bench:
        make_journey(bench, journey)


def test_any_command_is_a_runner_too(home: Path) -> None:
    with workbench(home, **WORKBENCH) as bench:
        install(bench, Journey("script"))
        python = str(python_of("cleanrl"))
        ok(bench, "train", "script", "--", python, str(SCRIPTS / "single_file_dqn.py"))
        found = shown(bench, "last")
        assert (found["state"], found["checkpoints"]) == ("finished", 1)
        names = {row["name"]: row.get("canonical") for row in bench.ask("metrics", "last")}
        assert names["charts/episodic_return"] == "return"
        replay(bench, "last")
        refused = bench.call("eval", "last")
        assert refused.returncode == 2, refused.stdout + refused.stderr
        assert "-- python play.py --weights {checkpoint}" in refused.stderr
        play = [python, str(SCRIPTS / "single_file_play.py"), "{checkpoint}", "{episodes}", "{seed}"]
        ok(bench, "eval", "last", "--episodes", "2", "--seed", "7", "--", *play)
        played = shown(bench, "last")
        assert (played["kind"], played["parent"], played["episodes"]) == ("eval", found["run_id"], 2)
        replay(bench, "last")


def test_a_framework_that_is_not_there_is_refused_with_the_way_out(home: Path) -> None:
    with workbench(home, MOSAIC_ENVS_DIR=str(home / "empty")) as bench:
        for target in ("sb3/ppo", "sbx/ppo"):
            done = bench.call("train", target, "CartPole-v1")
            assert done.returncode == 2, done.stdout + done.stderr
            assert f"mosaic runners install {target[:3]}" in done.stderr
            named = bench.call("train", target, "CartPole-v1", "--python", str(python_of("envs")))
            assert named.returncode == 2, named.stdout + named.stderr
            assert "cannot import" in named.stderr
        assert bench.ask("ls") == []


def test_a_game_without_its_rom_is_refused_with_the_way_out(home: Path, tmp_path: Path) -> None:
    python = python_of("envs")
    found = subprocess.run(
        [str(python), "-c", "import ale_py; print(ale_py.__path__[0])"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    copy = tmp_path / "packages" / "ale_py"
    package = Path(found.stdout.strip())
    for folder in (package, package.with_name("ale_py.libs")):  # the shared libraries lie beside it
        shutil.copytree(folder, copy.with_name(folder.name))
    (rom,) = copy.rglob("pong.bin")
    rom.unlink()
    words = ("train", "tabular/q_learning", "ALE/Pong-v5", "--python", str(python))
    with workbench(home, PYTHONPATH=str(copy.parent)) as bench:
        done = bench.call(*words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "ROM is missing" in done.stderr
        assert "Reinstall ale-py" in done.stderr
        assert bench.ask("ls") == []
    with workbench(home) as bench:
        there = bench.call(*words)
        assert "ROM" not in there.stderr  # the same without our meddling: only the spaces do not fit
        assert "spaces" in there.stderr
