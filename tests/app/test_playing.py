from __future__ import annotations

import json
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from mosaic.app import playing
from mosaic.artifacts.trust import trust
from mosaic.errors import UsageError
from mosaic.paths import DataRoot
from mosaic.runners.environments import Readiness
from tests.artifacts.saving import saved_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    return DataRoot(path)


def test_a_session_that_can_work_has_a_command_and_says_so(root: DataRoot) -> None:
    plan = playing.plan(
        root,
        "FrozenLake-v1",
        {"*": "random"},
        seeds=[3, 5, 6, 7],
        parameters={"env.is_slippery": "false"},
        fps=4.0,
        on_failure="noop",
    )
    assert plan.ok
    assert plan.command[:3] == [sys.executable, "-m", "mosaic_worker.drivers.session"]
    told = json.loads(plan.command[3])
    assert (told["env_id"], told["env_arguments"]) == ("FrozenLake-v1", {"is_slippery": False})
    assert (told["seeds"], told["fps"], told["on_failure"]) == ([[3, 3], [5, 7]], 4.0, "noop")
    assert told["seats"] == {"*": {"kind": "random", "name": "random"}}
    assert (plan.job.kind, plan.job.runner, plan.job.seed, plan.job.episodes) == ("session", "session", 3, 4)


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ({"player_9": "random", "*": "random"}, "has no agent 'player_9'"),
        ({"player_1": "random"}, "nobody decides for player_2"),
    ],
)
def test_seats_that_are_not_the_environments_are_refused_before_anything_starts(
    root: DataRoot, seats: dict[str, str], said: str
) -> None:
    plan = playing.plan(root, "pettingzoo.classic.tictactoe_v3", seats)
    assert not plan.ok
    (check,) = [check for check in plan.checks if check.name == "seats"]
    assert check.level == "fail"
    assert said in check.text


def test_the_seats_of_a_match_are_named(root: DataRoot) -> None:
    plan = playing.plan(root, "pettingzoo.classic.tictactoe_v3", {"player_1": "noop", "*": "random"})
    (check,) = [check for check in plan.checks if check.name == "seats"]
    assert (check.level, check.text) == ("ok", "player_1: noop, player_2: random")
    assert json.loads(plan.command[3])["api"] == "aec"


@pytest.mark.parametrize(
    ("seats", "asked", "said"),
    [
        ({"*": "randm"}, {}, "neither an operator, nor a run, nor a file.*Did you mean 'random'"),
        ({"a": "random"}, {}, "has one actor: use --operator"),
        ({"*": "random"}, {"parallel": True}, "--parallel is for PettingZoo"),
        (
            {"*": "random"},
            {"parameters": {"op.sample": "true"}},
            "no operator in these seats has a parameter 'sample'",
        ),
        ({"*": "random"}, {"fps": -1.0}, "a session cannot be like this"),
        ({"*": "python:/no/such.py"}, {}, "there is no file"),
    ],
)
def test_what_cannot_be_asked_for_says_why(
    root: DataRoot, seats: dict[str, str], asked: playing.Asked, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        playing.plan(root, "CartPole-v1", seats, **asked)


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return path


SAVED_BY_A_SCRIPT = ("data", "policy.pth", "policy.optimizer.pth", "_stable_baselines3_version")


def with_sb3(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the runner's environment were there: nothing of it is started by a plan."""
    ready = Readiness(state="ready", text="", python="/envs/sb3/bin/python", remedy="")
    monkeypatch.setattr("mosaic.runners.environments.readiness", lambda *_, **__: ready)


def test_what_a_script_saved_is_known_by_its_contents_and_loaded_only_when_trusted(
    root: DataRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_sb3(monkeypatch)
    path = zipped(tmp_path / "policy.zip", *SAVED_BY_A_SCRIPT)
    with pytest.raises(UsageError, match=f"mosaic trust {path}"):
        playing.seat_of(root, str(path), {})
    found = trust(root, path)
    seat, python = playing.seat_of(root, str(path), {})
    assert (seat.kind, python) == ("policy", "/envs/sb3/bin/python")
    assert seat.argv[:3] == ["/envs/sb3/bin/python", "-m", "mosaic_worker.drivers.sb3"]
    assert found.sha256 in seat.argv
    assert "--algo" not in seat.argv  # the file says so itself


@pytest.mark.parametrize("names", [("data", "policy.pth"), ("weights.npy",)])
def test_what_no_runner_knows_says_how_to_play_it(
    root: DataRoot, tmp_path: Path, names: tuple[str, ...]
) -> None:
    path = zipped(tmp_path / "policy.zip", *names)
    said = (
        rf"no runner knows it\. .*--operator python:FILE\.py\. To evaluate it: mosaic eval {path} -- python"
    )
    with pytest.raises(UsageError, match=said):
        playing.seat_of(root, str(path), {})


@pytest.mark.parametrize("normalised", [False, True])
def test_a_policy_whose_script_kept_its_normaliser_elsewhere_is_refused(
    root: DataRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, normalised: bool
) -> None:
    with_sb3(monkeypatch)
    run = saved_run(root, name="script")
    run.list_elsewhere(zipped(tmp_path / "policy.zip", *SAVED_BY_A_SCRIPT), kind="sb3")
    if normalised:
        statistics = tmp_path / "vecnormalize.pkl"
        statistics.write_bytes(b"statistics")
        run.list_elsewhere(statistics, kind="vecnormalize")
    run.end()
    monkeypatch.setattr("mosaic.app.reading.has_ended", lambda *_: False)  # its journal is stored already
    if not normalised:
        seat, _ = playing.seat_of(root, str(tmp_path / "policy.zip"), {})
        assert seat.name == "script@0"
        return
    with pytest.raises(UsageError, match="trained on normalised observations.*python:FILE.py"):
        playing.seat_of(root, str(tmp_path / "policy.zip"), {})
